"""Runs an experiment and puts the outcome beside the published figures."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any

from fairlane.study.experiment import Experiment
from fairlane.study.metrics import METRICS
from fairlane.workers import run_all


class RerunFailed(RuntimeError):
    """A run of the experiment failed."""


@dataclass(frozen=True)
class Comparison:
    """One algorithm: what we measured and what the paper printed."""

    algorithm: str
    ours: dict[str, float]
    paper: dict[str, float | None]
    result: dict[str, Any]
    """The engine's whole result, series included."""


@dataclass(frozen=True)
class Rerun:
    """An experiment that was run."""

    experiment: Experiment
    comparisons: list[Comparison]
    left_out: list[str]
    """Algorithms of the table that Fairlane does not have yet."""


def rerun(
    experiment: Experiment,
    existing: Collection[str],
    *,
    jobs: int | None = None,
    on_done: Callable[[], None] = lambda: None,
) -> Rerun:
    """Runs the experiment for every algorithm that exists."""
    chosen = {name: network for name, network in experiment.networks.items() if name in existing}
    outcomes = run_all([network.scenario() for network in chosen.values()], jobs=jobs, on_done=on_done)
    comparisons = []
    for name, outcome in zip(chosen, outcomes, strict=True):
        if outcome.result is None:
            raise RerunFailed(f"{experiment.name}, {name}: {outcome.error}")
        flow = outcome.result["flows"][0]
        printed = experiment.published.get(name, {})
        comparisons.append(
            Comparison(
                algorithm=name,
                ours={metric: METRICS[metric].of(flow) for metric in (*experiment.metrics, "retransmits")},
                paper={metric: _figure(printed.get(metric)) for metric in experiment.metrics},
                result=outcome.result,
            )
        )
    return Rerun(experiment, comparisons, [name for name in experiment.networks if name not in chosen])


def _figure(printed: str | None) -> float | None:
    return float(printed) if printed else None
