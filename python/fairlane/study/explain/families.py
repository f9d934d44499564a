"""Runs and judges claims over the values that the unknowns of their testbeds may have had.

A claim that no change explains is judged at every setting. Of each unknown these are the ends and the middle of its
range, its default, and the value in the experiment files.
"""

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from fairlane.scenario.plan import Axis, AxisValue
from fairlane.study.claims import Claim, Evidence, Judgement, Measurement, NotMeasured
from fairlane.study.claims.evidence import Chosen, Source
from fairlane.study.claims.family import Family, Setting, reaches
from fairlane.study.claims.stored_runs import MetricRows, StoredRuns
from fairlane.study.explain.requirements import Need, points_of
from fairlane.study.paper.definition import Study, Testbed
from fairlane.study.paper.unknowns import Ranges, labels, shipped, width, with_unknowns
from fairlane.study.rerun import Job, StoredResults


def suffix(testbed: str) -> str:
    """The end of the name in the store of an experiment over the unknowns of a testbed."""
    return f"-over-{testbed}"


class Families:
    """The testbeds of a study that have unknowns."""

    def __init__(self, study: Study, *, quick: bool) -> None:
        self._study, self._quick = study, quick
        self._of = {name: key for key, one in study.file.testbeds.items() for name in one.experiments}
        """The testbed of each experiment."""
        self._ranges = cache(self._spread)
        self._runs: dict[str, StoredRuns] = {}

    def jobs(self, needs: Sequence[Need], *, repeats: int | None = None) -> list[Job]:
        """The runs that judge claims with these needs at every setting. Raises ExperimentError.

        `repeats` replaces that of the experiments.
        """
        made = []
        for name in dict.fromkeys(need.experiment for need in needs if need.experiment in self._of):
            key = self._of[name]
            path, stored = self._study.source(name, quick=self._quick)
            experiment = with_unknowns(path, self._study.file.testbeds[key], self._ranges(key), repeats=repeats)
            mine = [need for need in needs if need.experiment == name]
            experiment = replace(experiment, name=stored + suffix(key))
            made.append(Job(name, experiment, self._study.name, path, points_of(mine)))
        return made

    def judge(
        self,
        claim: Claim,
        needs: Sequence[Need],
        results: StoredResults,
        expected: Mapping[str, Iterable[MetricRows]],
        own: Judgement | None,
    ) -> Family | None:
        """The predicate's verdict at every setting; None if the claim has no unknowns or some runs are missing."""
        needed = list(dict.fromkeys(need.experiment for need in needs))
        keys = list(dict.fromkeys(self._of[name] for name in needed if name in self._of))
        if claim.predicate is None or not keys:
            return None
        for name in needed:
            if name not in self._runs:
                tables = results.of(name, suffix(self._of[name]) if name in self._of else "")
                if tables is not None:
                    self._runs[name] = StoredRuns(tables, expected.get(name, ()))
        testbeds = [self._study.file.testbeds[key] for key in keys]
        ranges = [self._ranges(key) for key in keys]
        settings = []
        for chosen in itertools.product(*(_choices(one) for one in ranges)):
            by_key = dict(zip(keys, chosen, strict=True))

            def opened(name: str, by_key: Mapping[str, Sequence[int]] = by_key) -> Source | None:
                runs, key = self._runs.get(name), self._of.get(name)
                if runs is None or key is None:
                    return runs
                return _At(runs, self._study.file.testbeds[key], by_key[key])

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

    def _spread(self, key: str) -> Ranges:
        testbed = self._study.file.testbeds[key]
        said = shipped(self._study, testbed)
        return {
            name: [
                value
                for number, value in enumerate(one.values)
                if number in (0, (len(one.values) - 1) // 2, len(one.values) - 1) or value in (one.default, said[name])
            ]
            for name, one in testbed.unknowns.items()
        }


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


def _choices(ranges: Ranges) -> list[tuple[int, ...]]:
    return list(itertools.product(*(range(len(values)) for values in ranges.values())))


def _values(ranges: Sequence[Ranges], chosen: Sequence[Sequence[int]]) -> dict[str, Any]:
    return {
        name: values[index]
        for of, choice in zip(ranges, chosen, strict=True)
        for (name, values), index in zip(of.items(), choice, strict=True)
    }
