"""A truth folder's scenarios, as scenarios for the engine.

The network of the Linux recordings: a token bucket (burst of one packet and 40 bytes) after the queue
under test, then the delay with its random loss, and the delay back; hosts without offloads, pacing inside TCP,
buffers up to 64 MB, HZ = 100, traffic by iperf3. Rates and byte limits count the IP packet and 14 bytes.
"""

import copy
import random
import zlib
from collections import Counter
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from fairlane import files
from fairlane.engine.contract.vocabulary import QUEUES
from fairlane.files import FileError
from fairlane.scenario.diagnostics import ExperimentError
from fairlane.scenario.requests import scenario
from fairlane.study.linux import tc_arguments
from fairlane.study.linux.form import SCENARIOS, first_mistake

MTU_BYTES = 1500
FRAME_OVERHEAD_BYTES = 14
BUCKET_BURST_BYTES = MTU_BYTES + 40
HOSTS = {
    "hz": 100,
    "offload": False,
    "ecn": False,
    "sender": {"pacing": "internal", "wmem_max": "64MiB"},
    "receiver": {"rmem_max": "64MiB"},
}
# iperf3 exchanges messages for a few round trips before a flow's own time starts; none takes longer than this.
SETTING_UP_NS = 4_000_000_000
# Three on the control connection, then the data connection's handshake and the cookie.
SETTING_UP_ROUND_TRIPS = 5
# Repeats are numbered after the recorded ones.
FIRST_REPEAT = 5
LARGEST_OFFSET_S = 0.03
"""How much later a flow of a repeat may start than the scenario says."""


REMEDY = "name a folder that holds scenarios.json and linux.csv"


class TruthError(ValueError):
    """A truth folder that cannot be read; one line with the file, what is wrong, and the remedy."""


def load(folder: Path) -> list[dict[str, Any]]:
    """The scenarios of a truth folder, in their order."""
    path = folder / "scenarios.json"
    try:
        scenarios: list[dict[str, Any]] = files.json_value(path, REMEDY)
        SCENARIOS.validate_python(scenarios)
    except FileError as error:
        raise TruthError(str(error)) from None
    except ValidationError as error:
        raise TruthError(f"{path}: {first_mistake(error)}; fix the file") from None
    twice = [name for name, count in Counter(one["name"] for one in scenarios).items() if count > 1]
    if twice:
        raise TruthError(f"{path}: there are several scenarios '{twice[0]}'; rename them")
    for one in scenarios:
        try:
            _queue(one["queue"])
        except ValueError as error:
            raise TruthError(f"{path}: {one['name']}: queue.args: {error}") from None
    return scenarios


def missing(truth: dict[str, Any], algorithms: Collection[str]) -> str:
    """What keeps the simulator from running this scenario; empty if nothing does."""
    if _queue(truth["queue"]) is None:
        return f"queue {truth['queue']['kind']}"
    unknown = sorted({flow["cc"] for flow in truth["flows"]} - set(algorithms))
    return "algorithm " + ", ".join(unknown) if unknown else ""


def as_scenario(truth: dict[str, Any]) -> dict[str, Any]:
    """The engine's scenario for one that `missing` has nothing against. Raises TruthError."""
    links: list[dict[str, Any]] = [
        {
            "name": "bottleneck",
            "rate": f"{round(truth['rate_mbit'] * 1e6)}bit",
            "overhead_bytes": FRAME_OVERHEAD_BYTES,
            "burst": f"{BUCKET_BURST_BYTES}B",
            "queue": _queue(truth["queue"]),
        }
    ]
    flows = []
    for number, flow in enumerate(truth["flows"]):
        delay = _time((truth["rtt_ms"] + flow.get("rtt_extra_ms", 0)) / 2e3)
        there, back = f"out-{number}", f"back-{number}"
        loss = {"loss": f"{truth['loss_pct']}%"} if truth.get("loss_pct") else {}
        links += [{"name": there, "delay": delay, **loss}, {"name": back, "delay": delay}]
        flows.append(
            {
                "algorithm": flow["cc"],
                "forward": ["bottleneck", there],
                "reverse": [back],
                "start": _time(flow.get("start_s", 0)),
                "stop": _time(truth["duration_s"]),
                "workload": "iperf3",
            }
        )
    try:
        return scenario(_experiment(truth, links, flows))
    except ExperimentError as error:
        raise TruthError(f"scenario {truth['name']}: {error.lines[0].removeprefix('experiment: ')}") from None


def _experiment(truth: dict[str, Any], links: list[dict[str, Any]], flows: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        # Repeats of a scenario differ in name, and so in their random losses.
        "seed": zlib.crc32(truth["name"].encode()),
        "duration": f"{_ns(truth['duration_s']) + SETTING_UP_NS}ns",
        "network": {"mtu": MTU_BYTES, "links": links},
        "flows": flows,
        "hosts": HOSTS,
    }


def as_repeats(recorded: Sequence[dict[str, Any]], count: int) -> list[dict[str, Any]]:
    """`count` additional runs of a scenario with random variation.

    `recorded` are all its runs in the truth folder: NAME, NAME-r2, NAME-r3, ..., in which a flow starts at different
    times. The repeats take their turns at these, and each flow has a drawn offset, so that the order of flows that
    start together is drawn, too; their random losses differ by their name.
    """
    first = recorded[0]
    if len(first["flows"]) == 1 and not first.get("loss_pct"):
        return []
    repeats = []
    for number in range(count):
        repeat = copy.deepcopy(recorded[number % len(recorded)])
        repeat["name"] = f"{first['name']}-r{FIRST_REPEAT + number}"
        drawn = random.Random(repeat["name"])
        for flow in repeat["flows"]:
            flow["start_s"] = flow.get("start_s", 0) + round(drawn.uniform(0, LARGEST_OFFSET_S), 6)
        repeats.append(repeat)
    return repeats


def with_losses(truth: dict[str, Any], times_s: Sequence[float]) -> dict[str, Any]:
    """The scenario of one flow, with losses at these times of the flow's own instead of random ones."""
    made = as_scenario(truth)
    begins_ns = made["flows"][0]["start_ns"] + SETTING_UP_ROUND_TRIPS * _ns(truth["rtt_ms"] / 1e3)
    for link in made["links"]:
        if "loss" in link:
            link["loss"] = {"kind": "listed", "at_ns": [begins_ns + _ns(time_s) for time_s in times_s]}
    return made


def full_queue_rtt_ms(truth: dict[str, Any]) -> float:
    """The RTT with a full queue, for a queue that is limited in packets."""
    frame_bits = 8 * (MTU_BYTES + FRAME_OVERHEAD_BYTES)
    rtt_ms: float = truth["rtt_ms"] + truth["queue"]["packets"] * frame_bits / truth["rate_mbit"] / 1e3
    return rtt_ms


def _queue(queue: dict[str, Any]) -> dict[str, Any] | None:
    """A queue as an experiment file has it; None if the engine has no such queue."""
    match queue["kind"]:
        case "bfifo":
            return {"kind": "fifo", "limit": f"{queue['bytes']}B"}
        case "pfifo":
            return {"kind": "fifo", "limit": f"{queue['packets']}p"}
        case kind:
            return _of_tc(kind, queue.get("args", "").split())


def _of_tc(kind: str, words: list[str]) -> dict[str, Any] | None:
    """The same from the arguments that tc takes."""
    return {"kind": kind, **tc_arguments.parse(kind, words)} if kind in QUEUES else None


def _ns(seconds: float) -> int:
    return round(seconds * 1e9)


def _time(seconds: float) -> str:
    return f"{_ns(seconds)}ns"
