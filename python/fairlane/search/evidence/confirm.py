"""Reruns some of the networks on a stock kernel: the same network and seed, with Linux's TCP."""

import json
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from operator import itemgetter
from typing import Any

from fairlane.engine.result_bytes import unpack
from fairlane.runs.backends import Backend, Outcome, backend
from fairlane.runs.sweep.run_size import packets
from fairlane.scenario.load import PlannedPoint
from fairlane.search.breaks.evaluate import Compute, in_order, threads
from fairlane.search.breaks.objectives import Objective
from fairlane.search.evidence.evidence import Evidence, Judged, flows_of
from fairlane.search.evidence.measures import Measures, Run, Value

CELLS = 12
EACH = 2
"""Of a criterion."""
RULE = (
    f"The {CELLS} networks that are cheapest on a kernel in virtual time, at most {EACH} of a criterion, with the first"
    " seed: 4 ms of processor time for a packet of the simulator's run, and 0.4 s for each second."
)
_PACKET_S, _SECOND_S = 0.004, 0.4
_MEASURED = 6
"""Networks of a criterion whose packets the simulator counts: those with the fewest, by estimate."""
AGREES = 0.1
"""The share of the value by which both may differ, unless the simulator's own interval is wider."""
ON_KERNELS = {
    "loss_rate_pct": "retransmits_per_packet_pct",
    "packet_rtt_mean_ms": "mean_rtt_ms",
    "packet_rtt_p95_ms": "p95_rtt_ms",
}
"""Metrics that a kernel does not report, and the nearest ones that it does: it counts retransmissions, and has a
smoothed RTT, but does not say whose packets were lost, or the RTT of each."""
_REPORTED = re.compile("|".join(rf"\b{name}\b" for name in ON_KERNELS))


@dataclass(frozen=True)
class Cell:
    """A network on a kernel."""

    place: str
    section: str
    title: str
    network: str
    unit: str
    packets: int
    """Data packets of the simulator's run."""
    simulated: float | None
    repeats: tuple[float, ...]
    """The simulator's values with other seeds and starts."""
    measured: float | None
    tolerance: float
    failure: str = ""

    @property
    def agrees(self) -> bool:
        """Whether both values are the same within the tolerance."""
        both = self.measured is not None and self.simulated is not None
        return both and abs(self.measured - self.simulated) <= self.tolerance  # type: ignore[operator]

    @property
    def verdict(self) -> str:
        """In words."""
        if self.agrees or self.failure or self.measured is None:
            return "agrees" if self.agrees else self.failure or "has no value"
        if self.repeats and min(self.repeats) <= self.measured <= max(self.repeats):
            return f"among the simulator's repeats ({min(self.repeats):.3g} to {max(self.repeats):.3g})"
        return "differs"

    def as_json(self) -> dict[str, Any]:
        """For programs."""
        return {
            "place": self.place,
            "section": self.section,
            "value": self.title,
            "network": self.network,
            "unit": self.unit,
            "packets": self.packets,
            "simulated": self.simulated,
            "kernel": self.measured,
            "agrees": self.agrees,
            "verdict": self.verdict,
            "failure": self.failure,
        }


@dataclass(frozen=True)
class _Chosen:
    """A network to run on a kernel."""

    judged: Judged
    point: PlannedPoint
    packets: int

    @property
    def cost_s(self) -> float:
        """CPU time on a kernel."""
        return _PACKET_S * self.packets + _SECOND_S * self.point.point.repeat(0)["duration_ns"] / 1e9

    @property
    def objective(self) -> Objective:
        """The value in terms that a kernel reports."""
        found = self.judged.test.objective
        return replace(found, formula=_REPORTED.sub(lambda name: ON_KERNELS[name[0]], found.formula))

    def runs(self, measures: Measures, repeats: int) -> Iterable[Run]:
        """The repeats, and the value that is wanted of them."""
        found: dict[str, Run] = {}
        measures.want(found, self.point, repeats, self.objective, flows_of(self.judged.test, self.point))
        return found.values()


def confirm(
    evidence: Evidence, simulator: Measures, place: str, jobs: int, step: Callable[[], None] = lambda: None
) -> list[Cell]:
    """A dozen cells of different criteria on a kernel, chosen by `RULE`."""
    runner = backend(place)
    with threads(jobs) as compute:
        chosen = _chosen(evidence, runner, simulator, compute)
        runs = [run for one in chosen for run in one.runs(simulator, one.judged.group.repeats)]
        simulator.compute(runs, compute)
    folder = simulator.path.parent
    with threads(jobs, place) as compute, Measures(folder / "kernel.jsonl", place) as kernel:
        kernel.compute([run for one in chosen for run in one.runs(kernel, 1)], compute, step, together=jobs)
        return [_cell(one, place, simulator, kernel) for one in chosen]


def _chosen(evidence: Evidence, runner: Backend, simulator: Measures, compute: Compute) -> list[_Chosen]:
    by_criterion: dict[str, dict[str, tuple[float, Judged, PlannedPoint]]] = {}
    for one in evidence.judged:
        for point in one.points if one.group.value.n else ():
            some = by_criterion.setdefault(one.section, {})
            some.setdefault(simulator.key(point, 0), (packets(point.point.repeat(0)), one, point))
    found: dict[str, _Chosen] = {}
    for every in by_criterion.values():
        ranked = sorted(every.values(), key=itemgetter(0))
        possible = [(one, point) for _, one, point in ranked if not runner.problems(point.point.repeat(0))][:_MEASURED]
        outcomes = in_order(compute([json.dumps(point.point.repeat(0)) for _, point in possible]))
        counted = [_Chosen(*both, _sent(outcome)) for both, outcome in zip(possible, outcomes, strict=True)]
        for chosen in sorted(counted, key=lambda one: one.cost_s)[:EACH]:
            found.setdefault(simulator.key(chosen.point, 0), chosen)
    return sorted(found.values(), key=lambda one: one.cost_s)[:CELLS]


def _sent(outcome: Outcome) -> int:
    if outcome.pieces is None:
        return 0
    return sum(flow["data_packets_sent"] or 0 for flow in unpack(b"".join(outcome.pieces)).metrics["flows"])


def _cell(one: _Chosen, place: str, simulator: Measures, kernel: Measures) -> Cell:
    judged, test = one.judged, one.judged.test

    def value(measures: Measures, repeat: int) -> Value:
        found = measures.value(one.point, repeat, one.objective, flows_of(test, one.point))
        return found or Value(None, "was not run")

    ours = [value(simulator, repeat).number for repeat in range(judged.group.repeats)]
    theirs = value(kernel, 0)
    interval = judged.group.value
    tolerance = max(AGREES * abs(ours[0] or 0.0), interval.half_width if interval.is_known else 0.0, test.slack)
    by = [ON_KERNELS[name] for name in dict.fromkeys(_REPORTED.findall(test.value))]
    return Cell(
        place,
        judged.section,
        f"{test.title} (by {', '.join(by)})" if by else test.title,
        judged.group.label if judged.group.networks == 1 else one.point.label,
        test.unit,
        one.packets,
        ours[0],
        tuple(number for number in ours if number is not None),
        theirs.number,
        tolerance,
        theirs.failure,
    )
