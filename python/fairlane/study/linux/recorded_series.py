"""Time series that Linux recorded beside ours: when windows diverge, and replays with the recorded losses."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Self

from pydantic import Field, TypeAdapter, ValidationError, model_validator

from fairlane import files
from fairlane.engine.result_bytes import Result
from fairlane.engine.types import Scenario as EngineScenario
from fairlane.files import FileError
from fairlane.scenario.base_model import Table
from fairlane.study.linux.score import Errors, compare, errors, flow_rows, load_rows
from fairlane.study.linux.truth import Scenario, first_mistake, with_losses

SEGMENT_BYTES = 1448
TOLERANCE = 0.10
"""Share by which two windows may differ before they count as diverged ..."""
SAMPLES = 5
"""... for this many consecutive samples: half a second."""
OVERFLOW = 0.95
"""A smoothed RTT of at least this share of a full queue's RTT indicates an overflow."""
FOLLOWED = {"reno", "cubic", "bbr"}
"""Scenarios with only these are followed; with other algorithms, only those with a single flow and no randomness."""

Number = Annotated[float, Field(allow_inf_nan=False)]
NotNegative = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class _Recorded(Table):
    """The samples of a flow in `series/NAME.json`."""

    t_s: list[Number] = Field(min_length=2)
    cwnd_kb: list[NotNegative]
    rtt_ms: list[NotNegative]
    retr: list[NotNegative]
    mbps: list[NotNegative] = Field([])
    """Not used."""

    @model_validator(mode="after")
    def _is_rectangular(self) -> Self:
        if len({len(self.t_s), len(self.cwnd_kb), len(self.rtt_ms), len(self.retr)}) > 1:
            raise ValueError("t_s, cwnd_kb, rtt_ms and retr differ in length")
        return self


_RECORDED: TypeAdapter[dict[str, _Recorded]] = TypeAdapter(
    dict[Annotated[str, Field(pattern=r"^[0-9]{1,5}$")], _Recorded]
)


@dataclass(frozen=True)
class Series:
    """One flow over its own time."""

    t_s: Sequence[float]
    cwnd_packets: Sequence[float]
    rtt_ms: Sequence[float]
    retransmits: Sequence[float]
    """In each interval that ends at a time of `t_s`."""


@dataclass(frozen=True)
class Divergence:
    """The times at which the windows of a flow diverge."""

    scenario: str
    flow: int
    at_s: float | None
    """None if the windows never diverge."""
    theirs: int
    ours: int
    """Retransmissions in the second around it."""

    @property
    def how(self) -> str:
        """The difference at that time."""
        if self.at_s is None:
            return ""
        if self.theirs == self.ours:
            return f"growth differs after the same losses ({self.ours})" if self.ours else "growth differs"
        return f"Linux retransmits {self.theirs}, the simulator {self.ours}"


def linux(folder: Path, scenario: str) -> list[Series]:
    """The recorded series of each flow of a scenario; empty if nothing is stored. Raises FileError."""
    path = folder / "series" / f"{scenario}.json"
    if not path.is_file():
        return []
    remedy = "fix the file, or remove it"
    try:
        flows = _RECORDED.validate_python(files.json_value(path, remedy))
    except ValidationError as error:
        raise FileError(path, first_mistake(error), remedy) from None
    return [
        Series(flow.t_s, [kb * 1000 / SEGMENT_BYTES for kb in flow.cwnd_kb], flow.rtt_ms, flow.retr)
        for _, flow in sorted(flows.items(), key=lambda item: int(item[0]))
    ]


def ours(result: Result) -> list[Series]:
    """The series of each flow of a simulated run; times count from each flow's start, as iperf3's do."""
    return [
        Series(
            [t - flow["start_s"] for t in series["t_s"]],
            series["cwnd_packets"],
            series["rtt_ms"],
            series["retransmits"],
        )
        for flow, series in zip(result["flows"], result["series"]["flows"], strict=True)
    ]


def divergences(folder: Path, runs: Mapping[str, Result]) -> list[Divergence]:
    """The divergences of the runs, sorted by scenario name."""
    return [one for name, result in sorted(runs.items()) for one in _divergences(folder, name, result)]


def _divergences(folder: Path, name: str, result: Result) -> Iterator[Divergence]:
    theirs = linux(folder, name)
    if not theirs or not (name.startswith("single-") or {flow["algorithm"] for flow in result["flows"]} <= FOLLOWED):
        return
    for number, pair in enumerate(zip(theirs, ours(result), strict=True)):
        at_s = divergence_s(*pair)
        counts = [0 if at_s is None else retransmits_around(flow, at_s) for flow in pair]
        yield Divergence(name, number, at_s, *counts)


def divergence_s(theirs: Series, mine: Series) -> float | None:
    """The time at which the two windows first diverge; None if they never do.

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
    a round trip after the loss. The part of a sample's interval is not known; the middle is taken. None
    for a flow that overflowed the queue, whose retransmissions do not tell which of its losses were random.
    """
    if max(flow.rtt_ms) > OVERFLOW * full_queue_rtt_ms:
        return None
    interval_s = flow.t_s[1] - flow.t_s[0]
    delay_s = interval_s / 2 + path_rtt_ms / 2e3
    return [
        max(t - delay_s, 0.0) for t, count in zip(flow.t_s, flow.retransmits, strict=True) for _ in range(int(count))
    ]


def replays(folder: Path, scenarios: Sequence[Scenario]) -> dict[str, EngineScenario]:
    """Engine scenarios, by name, of the runs whose random losses are known, with losses at those times.

    Which packets are lost decides how far such a run comes, and no two runs lose the same.
    """
    found = {}
    for recorded in scenarios:
        flows = linux(folder, recorded.name)
        if not recorded.loss_pct or len(flows) != 1 or recorded.queue.kind != "pfifo":
            continue
        times_s = random_losses_s(flows[0], recorded.rtt_ms, recorded.full_queue_rtt_ms)
        if times_s is not None:
            found[recorded.name] = with_losses(recorded, times_s)
    return found


def replay_errors(folder: Path, runs: Mapping[str, Result]) -> list[Errors]:
    """The errors of replays against the same runs of Linux."""
    replayed = [row for name, result in runs.items() for row in flow_rows(name, result["flows"])]
    recorded = [row for row in load_rows(folder / "linux.csv") if row["scenario"] in runs]
    return errors(compare(recorded, replayed), only_present=True)
