"""Runs that show why claims do not hold: with the one change of a variant, or over the unknowns of a testbed.

A claim that no change explains is judged at every setting of the unknowns. Of each unknown these are the ends and the
middle of its range, its default, and the value in the experiment files.
"""

import copy
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from fairlane.engine.messages import unknown
from fairlane.scenario import document
from fairlane.scenario.load import LoadedExperiment, load
from fairlane.study.claims import Claim, ClaimError, Evidence, Judgement, NotMeasured
from fairlane.study.claims import load as load_claims
from fairlane.study.claims.called import judged
from fairlane.study.claims.claim import Cause
from fairlane.study.claims.evidence import Source
from fairlane.study.claims.family import Family, Setting, reaches
from fairlane.study.claims.stored_runs import StoredRuns
from fairlane.study.paper.definition import Study, StudyError, Variant
from fairlane.study.paper.unknowns import Grid, shipped
from fairlane.study.requirements import Need, Requirements, jobs_for_needs
from fairlane.study.rerun import Job

Opened = Callable[[str, str], StoredRuns | None]
"""The stored runs of an experiment, by its name and the end of its name in the store."""


def with_change(variant: str) -> str:
    """The end of a changed experiment's name in the store."""
    return f"-with-{variant}"


def over_unknowns(testbed: str) -> str:
    """The end of the name in the store of an experiment over the unknowns of a testbed."""
    return f"-over-{testbed}"


@dataclass(frozen=True)
class ExplanationPlan:
    """Claims to explain, and the runs that this takes."""

    claims: Sequence[Claim]
    jobs: Sequence[Job]


def explanation_plan(
    study: Study, ids: Sequence[str], *, quick: bool = False, unexplained: bool = False, repeats: int | None = None
) -> ExplanationPlan:
    """The claims with these names, or all that have a variant, and the runs that they need. Raises StudyError.

    With `unexplained`, all that are declared so instead of those that have a variant. A name may leave
    out the study's: s4c-4 is modestbbr-s4c-4. `repeats` replaces that of the experiments.
    """
    try:
        every = {claim.published.id: claim for claim in load_claims(study.folder)}
    except ClaimError as error:
        raise StudyError(str(error)) from None
    full = [id if id in every else f"{study.name}-{id}" for id in ids]
    for id, given in zip(full, ids, strict=True):
        if id not in every:
            raise StudyError(unknown(f"claim of {study.name}", given, every))
    claims = [every[id] for id in full] or [
        claim for claim in every.values() if (claim.cause is Cause.UNEXPLAINED if unexplained else claim.variant)
    ]
    requirements = Requirements(study)
    needs = [(claim, requirements.of(claim)) for claim in claims]

    def plain(_name: str, path: Path, stored: str) -> LoadedExperiment:
        return replace(load(path, repeats=repeats), name=stored)

    jobs = jobs_for_needs(study, [need for _, found in needs for need in found], plain, quick=quick)
    for variant in dict.fromkeys(claim.variant for claim in claims if claim.variant):

        def varied(name: str, path: Path, stored: str, variant: str = variant) -> LoadedExperiment | None:
            if not changes(study.file.variants[variant], name):
                return None
            return replace(load_varied(study, path, variant, repeats=repeats), name=stored + with_change(variant))

        wanted = [need for claim, found in needs if claim.variant == variant for need in found]
        jobs += jobs_for_needs(study, wanted, varied, quick=quick)
    open_needs = [need for claim, found in needs if claim.cause is Cause.UNEXPLAINED for need in found]
    jobs += Families(study, quick=quick).jobs(open_needs, repeats=repeats)
    return ExplanationPlan(claims, jobs)


def changes(variant: Variant, experiment: str) -> bool:
    """Whether the variant changes this experiment."""
    return not variant.experiments or experiment in variant.experiments


def load_varied(study: Study, path: Path, variant: str, *, repeats: int | None = None) -> LoadedExperiment:
    """The experiment of this file with the changes. Raises ExperimentError, and StudyError if a key is not there."""
    data = copy.deepcopy(document.read(path).data)
    where = f"{study.folder / 'study.toml'}: variants.{variant}.changes"
    for key, value in study.file.variants[variant].changes.items():
        apply(data, key, value, where)
    return load(data, repeats=repeats)


def apply(data: dict[str, Any], key: str, value: Any, where: str) -> None:
    """Sets a dotted key in an experiment; `name` or number choose from a list, `*` all. Raises StudyError.

    A part of a sweep is written like any other: sweep.zip.0.flows.a.algorithm.values.
    The value {"remove": True} takes the key away, so that its default holds.
    """
    *above, last = key.split(".")
    for table in _tables(data, above, f"{where}: {key}"):
        if value != {"remove": True}:
            table[last] = copy.deepcopy(value)
        elif table.pop(last, None) is None:
            raise StudyError(
                f"{where}: {key}: the experiment has no such key to remove; change another or leave it out"
            )


def _tables(data: Any, above: list[str], where: str) -> Iterator[dict[str, Any]]:
    """The tables at this place; missing ones are made."""
    if not above:
        if not isinstance(data, dict):
            raise StudyError(f"{where}: the place has no keys; write the experiment's own")
        yield data
        return
    first, *rest = above
    if isinstance(data, list):
        named = {str(part.get("name", number)): part for number, part in enumerate(data)}
        if first != "*" and first not in named:
            raise StudyError(f"{where}: {unknown('part', first, named)}")
        for part in named.values() if first == "*" else [named[first]]:
            yield from _tables(part, rest, where)
    else:
        for length in range(len(above), 1, -1):  # keys of a sweep have dots of their own
            if (dotted := ".".join(above[:length])) in data:
                yield from _tables(data[dotted], above[length:], where)
                return
        yield from _tables(data.setdefault(first, {}), rest, where)


class Families:
    """The testbeds of a study that have unknowns."""

    def __init__(self, study: Study, *, quick: bool) -> None:
        self._study, self._quick = study, quick
        self._of = {name: key for key, one in study.file.testbeds.items() for name in one.experiments}
        """The testbed of each experiment."""
        self._grid = cache(self._spread)

    def jobs(self, needs: Sequence[Need], *, repeats: int | None = None) -> list[Job]:
        """The runs that judge claims with these needs at every setting. Raises ExperimentError.

        `repeats` replaces that of the experiments.
        """

        def over(name: str, path: Path, stored: str) -> LoadedExperiment | None:
            key = self._of.get(name)
            return None if key is None else self._grid(key).experiment(path, stored + over_unknowns(key), repeats)

        return jobs_for_needs(self._study, needs, over, quick=self._quick)

    def judge(self, claim: Claim, needs: Sequence[Need], opened: Opened, own: Judgement | None) -> Family | None:
        """The predicate's verdict at every setting; None if the claim has no unknowns or some runs are missing."""
        keys = dict.fromkeys(self._of[need.experiment] for need in needs if need.experiment in self._of)
        grids = {key: self._grid(key) for key in keys}
        if claim.predicate is None or not grids:
            return None
        settings = []
        for chosen in itertools.product(*(grid.settings for grid in grids.values())):
            at = dict(zip(grids, chosen, strict=True))

            def source(name: str, at: Mapping[str, tuple[int, ...]] = at) -> Source | None:
                key = self._of.get(name)
                if key is None:
                    return opened(name, "")
                runs = opened(name, over_unknowns(key))
                return runs if runs is None else runs.only(grids[key].chosen(runs.axes, at[key]))

            try:
                judgement = judged(claim.predicate, Evidence(source))
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
