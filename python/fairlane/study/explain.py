"""Runs that show why a claim does not hold: those of its experiments with the one change of its variant.

`fairlane.study.joint` judges all variants, and all settings of the testbeds' unknowns, over the whole study.
"""

import copy
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from fairlane.engine.messages import unknown
from fairlane.scenario import document
from fairlane.scenario.load import LoadedExperiment, load
from fairlane.study.claims import Claim, ClaimError
from fairlane.study.claims import load as load_claims
from fairlane.study.paper.definition import Study, StudyError, Variant
from fairlane.study.requirements import Requirements, jobs_for_needs
from fairlane.study.rerun import Job


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
    study: Study, ids: Sequence[str], *, quick: bool = False, repeats: int | None = None
) -> ExplanationPlan:
    """The claims with these names, or all that have a variant, and the runs that they need. Raises StudyError.

    `repeats` replaces that of the experiments.
    """
    every = claims_named(study, ids)
    claims = every if ids else [claim for claim in every if claim.variant]
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
    return ExplanationPlan(claims, jobs)


def claims_named(study: Study, ids: Sequence[str]) -> list[Claim]:
    """The claims with these names, or all. Raises StudyError.

    A name may leave out the study's: s4c-4 is modestbbr-s4c-4.
    """
    try:
        every = {claim.published.id: claim for claim in load_claims(study.folder)}
    except ClaimError as error:
        raise StudyError(str(error)) from None
    full = [id if id in every else f"{study.name}-{id}" for id in ids]
    for id, given in zip(full, ids, strict=True):
        if id not in every:
            raise StudyError(unknown(f"claim of {study.name}", given, every))
    return [every[id] for id in full] or list(every.values())


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
