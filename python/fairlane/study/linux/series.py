"""Linux's recorded time series next to ours."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from fairlane import files
from fairlane.files import FileError
from fairlane.study.linux.form import SERIES, first_mistake

SEGMENT_BYTES = 1448
TOLERANCE = 0.10
"""Share by which two windows may differ before they count as parted ..."""
SAMPLES = 5
"""... for this many consecutive samples: half a second."""
OVERFLOW = 0.95
"""A smoothed RTT of at least this share of a full queue's RTT indicates an overflow."""


@dataclass(frozen=True)
class Series:
    """One flow over its own time."""

    t_s: Sequence[float]
    cwnd_packets: Sequence[float]
    rtt_ms: Sequence[float]
    retransmits: Sequence[float]
    """In each interval that ends at a time of `t_s`."""


def linux(folder: Path, scenario: str) -> list[Series]:
    """What Linux recorded of each flow of a scenario; empty if nothing is stored. Raises FileError."""
    path = folder / "series" / f"{scenario}.json"
    if not path.is_file():
        return []
    remedy = "fix the file, or remove it"
    try:
        flows = SERIES.validate_python(files.json_value(path, remedy))
    except ValidationError as error:
        raise FileError(path, first_mistake(error), remedy) from None
    return [
        Series(flow.t_s, [kb * 1000 / SEGMENT_BYTES for kb in flow.cwnd_kb], flow.rtt_ms, flow.retr)
        for _, flow in sorted(flows.items(), key=lambda item: int(item[0]))
    ]


def ours(result: dict[str, Any]) -> list[Series]:
    """The same of a simulated run; times count from each flow's start, as iperf3's do."""
    return [
        Series(
            [t - flow["start_s"] for t in series["t_s"]],
            series["cwnd_packets"],
            series["rtt_ms"],
            series["retransmits"],
        )
        for flow, series in zip(result["flows"], result["series"]["flows"], strict=True)
    ]


def divergence_s(theirs: Series, mine: Series) -> float | None:
    """When the two windows first part for good measure; None if they never do.

    Windows diverge when they differ by more than TOLERANCE for SAMPLES consecutive samples. The samples are not taken
    at exactly the same times, so that a sharp drop alone does not count.
    """
    apart = 0
    for t, cwnd in zip(theirs.t_s, theirs.cwnd_packets, strict=True):
        nearest = min(range(len(mine.t_s)), key=lambda i: abs(mine.t_s[i] - t), default=None)
        if nearest is None:
            return None
        around = mine.cwnd_packets[max(0, nearest - 1) : nearest + 2]
        near = any(abs(value - cwnd) <= TOLERANCE * max(cwnd, 1) for value in around)
        apart = 0 if near else apart + 1
        if apart == SAMPLES:
            return round(t - (SAMPLES - 1) * 0.1, 1)
    return None


def retransmits_around(flow: Series, t_s: float) -> int:
    """Retransmissions of a flow within half a second of `t_s`."""
    counts = (count for t, count in zip(flow.t_s, flow.retransmits, strict=True) if abs(t - t_s) <= 0.5)
    return round(sum(counts))


def random_losses_s(flow: Series, path_rtt_ms: float, full_queue_rtt_ms: float) -> list[float] | None:
    """When the link lost the packets that a recorded flow retransmitted, in the flow's own time.

    A retransmission is sent after the packets that follow the lost one have arrived and been acknowledged: half
    a round trip after the loss. Which part of a sample's interval it fell into is not known; the middle is taken. None
    for a flow that overflowed the queue, whose retransmissions do not tell which of its losses were random.
    """
    if max(flow.rtt_ms) > OVERFLOW * full_queue_rtt_ms:
        return None
    interval_s = flow.t_s[1] - flow.t_s[0]
    delay_s = interval_s / 2 + path_rtt_ms / 2e3
    return [
        max(t - delay_s, 0.0) for t, count in zip(flow.t_s, flow.retransmits, strict=True) for _ in range(int(count))
    ]
