"""Runs and judges claims over the values that the unknowns of their testbeds may have had.

A claim that no change explains is judged at every setting. Of each unknown these are the ends and the middle of its
range, its default, and the value in the experiment files.
"""

import itertools
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path

from fairlane.scenario.load import LoadedExperiment
from fairlane.study.claims import Claim, Evidence, Judgement, NotMeasured
from fairlane.study.claims.evidence import Source
from fairlane.study.claims.family import Family, Setting, reaches
from fairlane.study.claims.stored_runs import MetricRows, StoredRuns
from fairlane.study.explain.requirements import Need, jobs_for_needs
from fairlane.study.paper.definition import Study
from fairlane.study.paper.unknowns import Grid, shipped
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
        self._grid = cache(self._spread)
        self._runs: dict[str, StoredRuns] = {}

    def jobs(self, needs: Sequence[Need], *, repeats: int | None = None) -> list[Job]:
        """The runs that judge claims with these needs at every setting. Raises ExperimentError.

        `repeats` replaces that of the experiments.
        """

        def over(name: str, path: Path, stored: str) -> LoadedExperiment | None:
            key = self._of.get(name)
            return None if key is None else self._grid(key).experiment(path, stored + suffix(key), repeats)

        return jobs_for_needs(self._study, needs, over, quick=self._quick)

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
        grids = {key: self._grid(key) for name in needed if (key := self._of.get(name)) is not None}
        if claim.predicate is None or not grids:
            return None
        for name in needed:
            if name not in self._runs:
                tables = results.of(name, suffix(self._of[name]) if name in self._of else "")
                if tables is not None:
                    self._runs[name] = StoredRuns(tables, expected.get(name, ()))
        settings = []
        for chosen in itertools.product(*(grid.settings for grid in grids.values())):
            at = dict(zip(grids, chosen, strict=True))

            def opened(name: str, at: Mapping[str, tuple[int, ...]] = at) -> Source | None:
                runs, key = self._runs.get(name), self._of.get(name)
                return runs if runs is None or key is None else runs.only(grids[key].chosen(runs.axes, at[key]))

            try:
                judgement = claim.predicate(Evidence(opened))
            except NotMeasured:
                return None
            values = {name: one for key, setting in at.items() for name, one in grids[key].values(setting).items()}
            settings.append(Setting(values, judgement))
        return Family(
            [grid.testbed.title for grid in grids.values()],
            {name: values for grid in grids.values() for name, values in grid.ranges.items()},
            settings,
            reaches([one.judgement for one in settings], own),
        )

    def _spread(self, key: str) -> Grid:
        testbed = self._study.file.testbeds[key]
        said = shipped(self._study, testbed)
        ranges = {
            name: [
                value
                for number, value in enumerate(one.values)
                if number in (0, (len(one.values) - 1) // 2, len(one.values) - 1) or value in (one.default, said[name])
            ]
            for name, one in testbed.unknowns.items()
        }
        return Grid(testbed, ranges)
