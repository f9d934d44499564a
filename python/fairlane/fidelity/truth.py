"""A truth folder's scenarios, as scenarios for the engine.

The network that Linux was measured in: a token bucket (burst of one packet and 40 bytes) behind the queue
under test, then the delay with its random loss, and the delay back; hosts without offloads, pacing inside TCP,
buffers up to 64 MB, HZ = 100, traffic by iperf3. Rates and byte limits count the IP packet and 14 bytes.
"""

import copy
import json
import zlib
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

from fairlane.queues import from_tc

MTU_BYTES = 1500
FRAME_OVERHEAD_BYTES = 14
BUCKET_BURST_BYTES = MTU_BYTES + 40
HOST_BUFFER_MAX_BYTES = 64 * 1024 * 1024
HZ = 100
SERIES_INTERVAL_NS = 100_000_000
# iperf3 exchanges messages for a few round trips before a flow's own time begins; none takes longer than this.
SETTING_UP_NS = 4_000_000_000
# Three on the control connection, then the data connection's handshake and the cookie.
SETTING_UP_ROUND_TRIPS = 5
# Names of repeats go on from those of the recorded ones.
FIRST_REPEAT = 5
REPEAT_OFFSET_S = 0.013


class TruthError(ValueError):
    """A truth folder that cannot be read."""


def load(folder: Path) -> list[dict[str, Any]]:
    """The scenarios of a truth folder, in their order."""
    path = folder / "scenarios.json"
    try:
        scenarios = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise TruthError(
            f"cannot read '{path}' ({error.strerror}); name a folder that holds scenarios.json and linux.csv"
        ) from None
    except ValueError as error:
        raise TruthError(
            f"'{path}' is not JSON ({error}); name a folder that holds scenarios.json and linux.csv"
        ) from None
    if not isinstance(scenarios, list):
        raise TruthError(f"'{path}' holds no list of scenarios")
    return scenarios


def missing(truth: dict[str, Any], algorithms: Collection[str]) -> str:
    """What keeps the simulator from running this scenario; empty if nothing does."""
    if _queue(truth["queue"]) is None:
        return f"queue {truth['queue']['kind']}"
    unknown = sorted({flow["cc"] for flow in truth["flows"]} - set(algorithms))
    return "algorithm " + ", ".join(unknown) if unknown else ""


def as_scenario(truth: dict[str, Any]) -> dict[str, Any]:
    """The engine's scenario for one that `missing` has nothing against."""
    duration_ns = _ns(truth["duration_s"])
    links: list[dict[str, Any]] = [
        {
            "name": "bottleneck",
            "rate_bps": round(truth["rate_mbit"] * 1e6),
            "delay_ns": 0,
            "overhead_bytes": FRAME_OVERHEAD_BYTES,
            "burst_bytes": BUCKET_BURST_BYTES,
            "queue": _queue(truth["queue"]),
        }
    ]
    flows = []
    for number, flow in enumerate(truth["flows"]):
        half_ns = _ns((truth["rtt_ms"] + flow.get("rtt_extra_ms", 0)) / 2e3)
        there, back = f"out-{number}", f"back-{number}"
        delay: dict[str, Any] = {"name": there, "delay_ns": half_ns}
        if truth.get("loss_pct"):
            delay["loss"] = {"kind": "independent", "probability": truth["loss_pct"] / 100}
        links += [delay, {"name": back, "delay_ns": half_ns}]
        flows.append(
            {
                "algorithm": flow["cc"],
                "forward": ["bottleneck", there],
                "reverse": [back],
                "start_ns": _ns(flow.get("start_s", 0)),
                "stop_ns": duration_ns,
                "mtu": MTU_BYTES,
                "workload": {"kind": "iperf3"},
                "sender": {
                    "offload": False,
                    "pacing": "internal",
                    "wmem_max_bytes": HOST_BUFFER_MAX_BYTES,
                    "ecn": False,
                },
                "receiver": {"offload": False, "rmem_max_bytes": HOST_BUFFER_MAX_BYTES, "ecn": False},
            }
        )
    return {
        # Repeats of a scenario differ in name, and so in their random losses.
        "seed": zlib.crc32(truth["name"].encode()),
        "duration_ns": duration_ns + SETTING_UP_NS,
        "hz": HZ,
        "series_interval_ns": SERIES_INTERVAL_NS,
        "links": links,
        "flows": flows,
    }


def as_repeats(recorded: Sequence[dict[str, Any]], count: int) -> list[dict[str, Any]]:
    """`count` further runs of a scenario in which chance has a part.

    `recorded` are all its runs in the truth folder: NAME, NAME-r2, NAME-r3, ..., in which a flow starts at different
    times. The repeats take their turns at these and start the last flow a little later still, up to 0.3 s in all; their
    random losses differ by their name.
    """
    first = recorded[0]
    if len(first["flows"]) == 1 and not first.get("loss_pct"):
        return []
    repeats = []
    for number in range(count):
        repeat = copy.deepcopy(recorded[number % len(recorded)])
        repeat["name"] = f"{first['name']}-r{FIRST_REPEAT + number}"
        last = repeat["flows"][-1]
        last["start_s"] = last.get("start_s", 0) + (number // len(recorded) + 1) * REPEAT_OFFSET_S
        repeats.append(repeat)
    return repeats


def with_losses(truth: dict[str, Any], times_s: Sequence[float]) -> dict[str, Any]:
    """The scenario of one flow, with losses at these times of the flow's own instead of random ones."""
    scenario = as_scenario(truth)
    begins_ns = scenario["flows"][0]["start_ns"] + SETTING_UP_ROUND_TRIPS * _ns(truth["rtt_ms"] / 1e3)
    for link in scenario["links"]:
        if "loss" in link:
            link["loss"] = {"kind": "listed", "at_ns": [begins_ns + _ns(time_s) for time_s in times_s]}
    return scenario


def full_queue_rtt_ms(truth: dict[str, Any]) -> float:
    """The RTT behind a full queue, for one that is limited in packets."""
    frame_bits = 8 * (MTU_BYTES + FRAME_OVERHEAD_BYTES)
    rtt_ms: float = truth["rtt_ms"] + truth["queue"]["packets"] * frame_bits / truth["rate_mbit"] / 1e3
    return rtt_ms


def _queue(queue: dict[str, Any]) -> dict[str, Any] | None:
    match queue["kind"]:
        case "bfifo":
            return {"kind": "fifo", "limit_bytes": queue["bytes"]}
        case "pfifo":
            return {"kind": "fifo", "limit_packets": queue["packets"]}
        case kind:
            return from_tc(kind, queue.get("args", ""))


def _ns(seconds: float) -> int:
    return round(seconds * 1e9)
