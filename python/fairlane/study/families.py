"""Runs and judges claims over the values that the unknowns of their testbeds may have had.

A claim that no change explains is judged at every setting. Of each unknown these are the ends and the middle of its
range, its default, and what the experiment files say.
"""

import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from fairlane.results.store.layout import Layout
from fairlane.results.store.plans import load_all
from fairlane.results.tables import ResultTables
from fairlane.scenario.plan import Axis, AxisValue
from fairlane.study.claims import Claim, Evidence, Judgement, Measurement, NotMeasured
from fairlane.study.claims.evidence import Chosen, Source
from fairlane.study.claims.family import Family, Setting, reaches
from fairlane.study.claims.stored_runs import Asked as AskedMetric
from fairlane.study.claims.stored_runs import StoredRuns
from fairlane.study.paper.definition import Study, Testbed
from fairlane.study.requirements import Need, points_of
from fairlane.study.rerun import Job, stored_name
from fairlane.study.unknowns import Ranges, labels, shipped, width, with_unknowns


def over_name(stored: str, testbed: str) -> str:
    """The name in the store of an experiment over the unknowns of a testbed."""
    return f"{stored}-over-{testbed}"


class Families:
    """The testbeds of a study that have unknowns."""

    def __init__(self, study: Study, *, quick: bool) -> None:
        self._study, self._quick = study, quick
        self._of = {name: key for key, one in study.file.testbeds.items() for name in one.experiments}
        """The testbed of each experiment."""

    def jobs(self, needs: Sequence[Need], *, repeats: int | None = None) -> list[Job]:
        """What must be run to judge claims with these needs at every setting. Raises ExperimentError.

        `repeats` replaces what the experiments say.
        """
        made = []
        for name in dict.fromkeys(need.experiment for need in needs if need.experiment in self._of):
            key = self._of[name]
            testbed = self._study.file.testbeds[key]
            short = self._study.file.experiments[name].quick if self._quick else None
            path = self._study.folder / (short or f"{name}.toml")
            experiment = with_unknowns(path, testbed, self._ranges(key), repeats=repeats)
            stored = over_name(stored_name(name, quick=short is not None), key)
            mine = [need for need in needs if need.experiment == name]
            made.append(Job(name, replace(experiment, name=stored), self._study.name, path, points_of(mine)))
        return made

    def stored(self, folder: Path, plain: Callable[[str], ResultTables | None]) -> "StoredFamilies":
        """What the runs in this folder say; `plain` has those of experiments whose testbed has no unknowns."""
        return StoredFamilies(self._study, folder, plain, self._of, self._ranges, quick=self._quick)

    def _ranges(self, key: str) -> Ranges:
        testbed = self._study.file.testbeds[key]
        said = shipped(self._study, testbed)
        return {
            name: [
                value
                for number, value in enumerate(one.values)
                if number in _spread(len(one.values)) or value in (one.default, said[name])
            ]
            for name, one in testbed.unknowns.items()
        }


class StoredFamilies:
    """Judges claims at every setting, from stored runs."""

    def __init__(
        self,
        study: Study,
        folder: Path,
        plain: Callable[[str], ResultTables | None],
        of: Mapping[str, str],
        ranges: Callable[[str], Ranges],
        *,
        quick: bool,
    ) -> None:
        self._study, self._folder, self._plain, self._of, self._ranges = study, folder, plain, of, ranges
        self._quick = quick
        self._stored = {plan.experiment for plan in load_all(Layout(folder))}
        self._runs: dict[str, StoredRuns] = {}

    def judge(
        self, claim: Claim, needs: Sequence[Need], expected: Mapping[str, Iterable[AskedMetric]], own: Judgement | None
    ) -> Family | None:
        """What the claim's predicate says at every setting; None if it has no unknowns or some runs are missing."""
        needed = dict.fromkeys(need.experiment for need in needs)
        keys = list(dict.fromkeys(self._of[name] for name in needed if name in self._of))
        if claim.predicate is None or not keys or not all(self._has(name) for name in needed if name in self._of):
            return None
        testbeds = [self._study.file.testbeds[key] for key in keys]
        ranges = [self._ranges(key) for key in keys]
        every = itertools.product(*(_choices(one) for one in ranges))
        settings = []
        for chosen in every:
            by_key = dict(zip(keys, chosen, strict=True))

            def opened(name: str, by_key: Mapping[str, Sequence[int]] = by_key) -> Source | None:
                return self._source(name, by_key, expected)

            try:
                judgement = claim.predicate(Evidence(opened))
            except NotMeasured:
                return None
            settings.append(Setting(_values(ranges, chosen), judgement))
        return Family(
            [one.title for one in testbeds],
            {name: values for of in ranges for name, values in of.items()},
            settings,
            reaches([one.judgement for one in settings], own),
        )

    def _has(self, name: str) -> bool:
        return self._name(name) in self._stored

    def _name(self, name: str) -> str:
        short = self._quick and self._study.file.experiments[name].quick is not None
        return over_name(stored_name(name, quick=short), self._of[name])

    def _source(
        self, name: str, by_key: Mapping[str, Sequence[int]], expected: Mapping[str, Iterable[AskedMetric]]
    ) -> Source | None:
        key = self._of.get(name)
        if name not in self._runs:
            results = self._plain(name) if key is None else ResultTables(self._folder, self._name(name), light=True)
            if results is None or not results.runs.height:
                return None
            self._runs[name] = StoredRuns(results, expected.get(name, ()))
        if key is None:
            return self._runs[name]
        return _At(self._runs[name], self._study.file.testbeds[key], by_key[key])


class _At:
    """The runs of one setting, as if the axes of the unknowns did not exist."""

    def __init__(self, runs: StoredRuns, testbed: Testbed, choice: Sequence[int]) -> None:
        count = width(testbed)
        self._runs = runs
        self._axes, own = runs.axes[:-count], runs.axes[-count:]
        self._fixed = {
            axis.column: axis.values[axis.labels.index(label)]
            for axis, label in zip(own, labels(testbed, choice), strict=True)
        }

    @property
    def axes(self) -> Sequence[Axis]:
        return self._axes

    def points(self, columns: Sequence[str], chosen: Chosen) -> set[tuple[AxisValue, ...]]:
        return self._runs.points(columns, {**chosen, **self._fixed})

    def measurement(self, label: str, metric: str, chosen: Chosen, flow: str | None) -> Measurement:
        return self._runs.measurement(label, metric, {**chosen, **self._fixed}, flow)


def _spread(count: int) -> tuple[int, int, int]:
    """The positions of the ends and of the middle."""
    return (0, (count - 1) // 2, count - 1)


def _choices(ranges: Ranges) -> list[tuple[int, ...]]:
    return list(itertools.product(*(range(len(values)) for values in ranges.values())))


def _values(ranges: Sequence[Ranges], chosen: Sequence[Sequence[int]]) -> dict[str, Any]:
    return {
        name: values[index]
        for of, choice in zip(ranges, chosen, strict=True)
        for (name, values), index in zip(of.items(), choice, strict=True)
    }
