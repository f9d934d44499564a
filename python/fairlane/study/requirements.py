"""Requirements of a claim: experiments, points, metrics and flows, found without running anything."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from fairlane.scenario.load import LoadedExperiment
from fairlane.scenario.plan import AxisValue
from fairlane.study.claims import Claim, Evidence, Measurement, NotMeasured
from fairlane.study.claims.called import judged
from fairlane.study.claims.evidence import Chosen, Source
from fairlane.study.claims.paper_numbers import PaperNumbers
from fairlane.study.paper.definition import Study, Testbed
from fairlane.study.rerun import Job


@dataclass(frozen=True)
class Need:
    """A metric at some points of an experiment."""

    experiment: str
    metric: str
    flow: str | None
    chosen: Chosen

    def includes(self, point: dict[str, AxisValue]) -> bool:
        """Whether a point, by column, is one of them."""
        return all(point[column] == value for column, value in self.chosen.items())


KINDS = {
    "throughput": ("goodput", "throughput", "utili", "completion", "share", "jain", "fair", "window"),
    "delay": ("rtt", "delay", "queue"),
    "loss": ("retransmi", "loss", "lost", "drop"),
}
"""Words in the names of metrics that measure the same thing: a fit to one decides the others, too."""


def kind(metric: str) -> str:
    """The kind of a metric: its own name if nothing else measures the same."""
    return next((kind for kind, words in KINDS.items() if any(word in metric for word in words)), metric)


def bears_on(testbed: Testbed, need: Need) -> bool:
    """Whether a testbed was fitted to numbers that bear on this metric: of the experiment, or of the same kind."""
    return need.experiment in testbed.experiments and any(
        need.experiment in training.experiments or kind(need.metric) in map(kind, training.metrics)
        for training in testbed.training
    )


def jobs_for_needs(
    study: Study,
    needs: Sequence[Need],
    changed: Callable[[str, Path, str], LoadedExperiment | None],
    *,
    quick: bool,
) -> list[Job]:
    """The points of changed experiments that these needs include.

    `changed` gets an experiment's name, its file and its name in the store, and returns it with the change and a name
    in the store of its own; None if nothing of it changes.
    """
    jobs = []
    for name in dict.fromkeys(need.experiment for need in needs):
        path, stored = study.source(name, quick=quick)
        experiment = changed(name, path, stored)
        if experiment is not None:
            mine = [need for need in needs if need.experiment == name]
            chosen = partial(lambda mine, point: any(need.includes(point.axes) for need in mine), mine)
            jobs.append(Job(name, experiment, study.name, path, chosen))
    return jobs


class Requirements:
    """The paper's own numbers as evidence that records all requests."""

    def __init__(self, study: Study) -> None:
        self._study = study
        self.needs: list[Need] = []
        self.evidence = Evidence(self._open)

    def of(self, claim: Claim) -> list[Need]:
        """The needs of this claim; none if it has no predicate."""
        before = len(self.needs)
        if claim.predicate is not None:
            with suppress(NotMeasured):  # its requests up to then are known
                judged(claim.predicate, self.evidence)
        return self.needs[before:]

    def _open(self, name: str) -> Source | None:
        return _Noted(self._study, name, self.needs) if name in self._study.file.experiments else None


class _Noted(PaperNumbers):
    def __init__(self, study: Study, name: str, needs: list[Need]) -> None:
        super().__init__(study, name)
        self._needs = needs

    def measurement(self, label: str, metric: str, chosen: Chosen, flow: str | None) -> Measurement:
        self._needs.append(Need(self._name, metric, flow, dict(chosen)))
        return super().measurement(label, metric, chosen, flow)
