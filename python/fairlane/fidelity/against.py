"""The simulator compared with a real kernel in an experiment of the user's own.

Both run every point several times. What random variation decides is drawn: the order in which flows start, and a small
offset of each, the same for both. The simulator's timers tick as those of the kernel.
"""

import copy
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fairlane.backends import SIMULATOR, backend
from fairlane.display.table import LEFT, RIGHT, number, text_table
from fairlane.executors.processes import run_all
from fairlane.experiment.diagnostics import ExperimentError
from fairlane.experiment.load import LoadedExperiment
from fairlane.statistics import Interval, interval_of_mean

METRICS = ("goodput_mbps", "share_pct", "mean_rtt_ms", "retransmits")
LARGEST_OFFSET_NS = 300_000_000


@dataclass(frozen=True)
class Row:
    """A metric of a flow at a point, by both."""

    point: str
    flow: str
    metric: str
    ours: Interval
    kernel: Interval

    @property
    def differs(self) -> bool:
        """Whether the two intervals have no value in common."""
        return self.ours.low > self.kernel.high or self.kernel.low > self.ours.high


def varied(scenario: Mapping[str, Any], repeat: int) -> dict[str, Any]:
    """A repeat of a scenario: flows that start together do so in another order, each with an offset of its own."""
    made: dict[str, Any] = copy.deepcopy(dict(scenario))
    drawn = random.Random(f"{scenario['seed']} {repeat}")
    made["seed"] = drawn.randrange(2**31)
    for flow in made["flows"]:
        flow["start_ns"] = flow.get("start_ns", 0) + drawn.randrange(LARGEST_OFFSET_NS)
    return made


def compare(
    experiment: LoadedExperiment,
    kernel: str,
    repeats: int,
    *,
    jobs: int | None = None,
    on_done: Callable[[], None] = lambda: None,
) -> list[Row]:
    """Runs both and compares them. Raises ExperimentError if the kernel cannot run a point, or a run fails."""
    runner = backend(kernel)
    scenarios = [varied(point.point.repeat(0), n) for point in experiment.points for n in range(repeats)]
    problems = [str(problem) for one in scenarios[::repeats] for problem in runner.problems(one)]
    if problems:
        raise ExperimentError(list(dict.fromkeys(problems)))
    for one in scenarios:
        one["hz"] = runner.hz
    found = {
        name: run_all(scenarios, jobs=jobs, keep=["flows"], on_done=on_done, backend=name)
        for name in (SIMULATOR, kernel)
    }
    failed = [outcome.error for outcomes in found.values() for outcome in outcomes if outcome.result is None]
    if failed:
        raise ExperimentError(failed)
    rows: list[Row] = []
    for index, point in enumerate(experiment.points):
        chosen = slice(index * repeats, (index + 1) * repeats)
        flows = {name: [_flows(one.result) for one in outcomes[chosen]] for name, outcomes in found.items()}
        for n, flow in enumerate(scenarios[chosen][0]["flows"]):
            for metric in METRICS:
                means = [
                    interval_of_mean([values[n][metric] for values in flows[name] if values[n][metric] is not None])
                    for name in (SIMULATOR, kernel)
                ]
                rows.append(Row(point.label, f"{n + 1} {flow['algorithm']}", metric, means[0], means[1]))
    return rows


def _flows(result: Mapping[str, Any] | None) -> list[dict[str, Any]]:
    """The metrics of the flows of a run, with their shares."""
    assert result is not None
    total = sum(flow["goodput_mbps"] for flow in result["flows"])
    return [{**flow, "share_pct": 100 * flow["goodput_mbps"] / total if total else None} for flow in result["flows"]]


def text(rows: Sequence[Row]) -> str:
    """The table, with the difference in the metric's own unit."""
    columns = [("point", LEFT), ("flow", LEFT), ("metric", LEFT)]
    columns += [(name, RIGHT) for name in ("simulator", "kernel", "difference")] + [("", LEFT)]
    return text_table(
        columns,
        [
            [
                *(row.point, row.flow, row.metric, _shown(row.ours), _shown(row.kernel)),
                number(row.ours.estimate - row.kernel.estimate, 2),
                "beyond both intervals" if row.differs else "",
            ]
            for row in rows
        ],
    )


def _shown(interval: Interval) -> str:
    width = f" ± {interval.half_width:.2f}" if interval.is_known else ""
    return f"{interval.estimate:.2f}{width}"
