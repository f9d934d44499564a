"""Results of random networks as hashes, to show that a change of the code changes no result.

    python tools/random_networks.py FILE            # records; run it before the change
    python tools/random_networks.py FILE            # compares; run it after the change

The networks are experiments in the form of a file: topologies, queues, algorithms, workloads, host settings, QUIC and
Wi-Fi. A line of FILE has the hash of the engine's scenario and that of the result. Every experiment file of `studies/`
contributes the hashes of its scenarios alone.
"""

import hashlib
import json
import random
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from fairlane.engine import algorithms, run_packed
from fairlane.engine.result_bytes import unpack
from fairlane.scenario import requests
from fairlane.scenario.load import load

COUNT = 432
ROOT = Path(__file__).parents[1]
QUEUES = ("fifo", "red", "codel", "fq_codel", "pie", "fq_pie", "fq", "cake", "dualpi2", "policer")
WORKLOADS: tuple[dict[str, Any], ...] = (
    {"kind": "bulk"},
    {"kind": "bytes", "bytes": "300kB"},
    {"kind": "ping"},
    {"kind": "on_off", "on": "300ms", "off": "200ms"},
    {"kind": "request_response", "request": "200B", "response": "50kB", "think": "20ms"},
    {"kind": "web"},
    {"kind": "video"},
    {"kind": "poisson_flows", "rate_per_s": 20.0, "mean": "30kB"},
)
SENDER = {
    "offload": [True, False],
    "segmentation_offload": [True, False],
    "pacing": ["internal", "fq", "none"],
    "pacing_shift": [7, 8, 10],
    "wmem_max": ["256kB", "4MB", "64MiB"],
    "timestamps": [True, False],
    "initial_cwnd": [2, 10, 40],
    "route_memory": [True, False],
    "route_ssthresh": [20, 60],
    "tail_loss_probe": [True, False],
    "forward_rto": [True, False],
    "undo": [True, False],
    "slow_start_after_idle": [True, False],
    "nagle": [True, False],
    "header_room": ["256B", "320B"],
}
RECEIVER = {
    "offload": [True, False],
    "offload_interval": ["10us", "50us"],
    "rmem_initial": ["64KiB", "128KiB"],
    "rmem_max": ["1MiB", "6MiB"],
    "adv_win_scale": [1, 2],
    "autotune": [True, False],
    "sack_compression": [True, False],
    "sack_compression_rtt_percent": [5, 33],
    "prompt_right_sizing": [True, False],
    "rcvbuf_low_rtt": ["0ms", "1ms"],
}
QUIC = {
    "profile": ["ietf", "gquic"],
    "initial_cwnd": [10, 32],
    "pacing": [True, False],
    "ack_every": [1, 2, 10],
    "packet_threshold": [3, 10],
    "time_threshold_permille": [1125, 1250],
    "max_ack_delay": ["5ms", "25ms"],
    "zero_rtt": [True, False],
    "streams": [1, 4],
}


def some(draw: random.Random, choices: dict[str, list[Any]], share: float) -> dict[str, Any]:
    """Some of the settings, each with one of its values."""
    return {name: draw.choice(values) for name, values in choices.items() if draw.random() < share}


def experiment(number: int) -> dict[str, Any]:
    """The random network of this number."""
    draw = random.Random(number)
    names = [one["name"] for one in algorithms()]
    is_wifi, is_quic = number % 9 == 4, number % 9 == 7
    flows = []
    for _ in range(draw.choice([1, 1, 2, 2, 3, 5])):
        flow: dict[str, Any] = {"algorithm": draw.choice(names), "start": f"{draw.randrange(500)}ms"}
        if not is_wifi and draw.random() < 0.4:
            flow["rtt"] = f"{draw.randrange(81, 200)}ms"
        if draw.random() < 0.35 and not (is_quic and draw.random() < 0.5):
            flow["workload"] = draw.choice(WORKLOADS)
        if is_quic:
            flow |= {"transport": "quic", "quic": some(draw, QUIC, 0.25)}
        elif draw.random() < 0.5:
            flow |= {"sender": some(draw, SENDER, 0.2), "receiver": some(draw, RECEIVER, 0.2)}
        flows.append(flow)
    rate = draw.choice([1, 5, 10, 20, 50, 100, 300])
    if is_wifi:
        network: dict[str, Any] = {"kind": "wifi", "standard": draw.choice(["n", "ac", "ax"])}
        network["wire"] = {"delay": f"{draw.randrange(1, 30)}ms"}
    else:
        network = {"rate": f"{rate}mbit", "rtt": f"{draw.randrange(1, 80)}ms"}
        kind = draw.choice(QUEUES)
        network["queue"] = {"kind": kind, "rate": f"{rate}mbit", "burst": "60kB"} if kind == "policer" else kind
        if kind in ("fifo", "red") or (draw.random() < 0.3 and kind not in ("policer", "cake")):
            network["buffer"] = draw.choice(["0.5bdp", "1bdp", "4bdp", "100p"])
        if draw.random() < 0.25:
            network["loss"] = draw.choice(["0.1%", "1%"])
        if draw.random() < 0.15:
            network["jitter"] = draw.choice(["1ms", "5ms"])
        if draw.random() < 0.2:
            network["reverse"] = {"rate": f"{max(1, rate // 10)}mbit", "buffer": "100p"}
    found = {"duration": f"{draw.choice([2, 3, 4])}s", "seed": number + 1, "network": network, "flows": flows}
    if not is_quic and draw.random() < 0.3:
        found["hosts"] = {"ecn": draw.choice([True, "accecn"])}
    if not is_quic and draw.random() < 0.2:
        found.setdefault("hosts", {})["kernel"] = draw.choice(["4.9", "5.4", "6.1", "6.12"])
    if not is_wifi and draw.random() < 0.2:
        found["cross_traffic"] = [{"rate": f"{rate / 10:g}mbit", "on": "100ms", "off": "100ms"}]
    return found


def digest(data: bytes) -> str:
    """A short hash."""
    return hashlib.blake2b(data, digest_size=12).hexdigest()


def line_of(number: int) -> str:
    """The hashes of one network; of an experiment that is refused, the kind of error."""
    try:
        scenario = json.dumps(requests.scenario(experiment(number)), sort_keys=True)
        parts = unpack(run_packed(scenario))
    except Exception as error:
        return f"network {number} refused {type(error).__name__}"
    metrics = {name: value for name, value in parts.metrics.items() if name not in ("engine", "provenance")}
    streams = b"".join(bytes(stream.content) for _, stream in sorted(parts.streams.items()))
    result = digest(json.dumps(metrics, sort_keys=True).encode() + streams)
    return f"network {number} {digest(scenario.encode())} {result}"


def line_of_file(path: Path) -> str:
    """The hash of all scenarios of an experiment file."""
    try:
        hashes = [
            digest(json.dumps(planned.point.repeat(repeat), sort_keys=True).encode())
            for planned in load(path).points
            for repeat in range(2)
        ]
    except Exception as error:
        return f"file {path.relative_to(ROOT)} refused {type(error).__name__}"
    return f"file {path.relative_to(ROOT)} {len(hashes)} {digest(''.join(hashes).encode())}"


def lines() -> Iterator[str]:
    """The lines of all networks."""
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:  # a fork would inherit locks of threads
        yield from pool.map(line_of, range(COUNT), chunksize=4)
        yield from pool.map(line_of_file, sorted((ROOT / "studies").glob("*/*.toml")))


def main(path: Path) -> int:
    """Records if the file is not there, else compares."""
    found = list(lines())
    if not path.exists():
        path.write_text("\n".join(found) + "\n", encoding="utf-8")
        print(f"recorded: {len(found)}")
        return 0
    before = path.read_text(encoding="utf-8").splitlines()
    different = [pair for pair in zip(before, found, strict=True) if pair[0] != pair[1]]
    for old, new in different:
        print(f"- {old}\n+ {new}")
    print(f"{len(found) - len(different)} of {len(found)} are equal")
    return bool(different)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
