"""A whole search: finds failures, keeps what was evaluated, reduces some that differ, and tests how robust they are."""

import contextlib
import hashlib
import json
import math
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from fairlane import files
from fairlane.algorithm.program_files import version
from fairlane.runs.backends import provenance
from fairlane.search.breaks import families, objectives
from fairlane.search.breaks import genome as genomes
from fairlane.search.breaks.evaluate import Compute, Evaluation, Evaluator
from fairlane.search.breaks.families import Family
from fairlane.search.breaks.genome import Genome
from fairlane.search.breaks.objectives import Objective
from fairlane.search.breaks.search import BATCH, Archive, ranked, search
from fairlane.search.breaks.shrink import TOGETHER, shrink
from fairlane.search.breaks.story import with_sentences
from fairlane.search.breaks.witness import Witness

APART = 2
"""Cells between two networks that are shown as different failures."""
LOOKED = 32
"""Failures of which other starts are tried, the worst of each part of the map first."""
SHOWN = 4
"""Repeats that a failure, and its simplest form too, has to show in before one of a single start is taken."""


@dataclass(frozen=True)
class Question:
    """A search for worst cases, and its limits."""

    algorithm: str
    reference: str
    families: Sequence[str]
    objective: str | None = None
    """That of each family if None."""
    evaluations: int | None = None
    """Of each family, rounded up to whole batches."""
    time_s: float | None = None
    """Real time of the whole search, if the number of evaluations does not end it."""
    seed: int = 1
    realistic: bool = False
    most: int = 5
    """Witnesses of each family."""


@dataclass
class Search:
    """The search of one family: its state now, and in the end its witnesses."""

    family: Family
    objective: Objective
    evaluations: int = 0
    computed: int = 0
    """Evaluations that were not in the store."""
    archive: Archive = field(default_factory=dict)
    witnesses: list[Witness] = field(default_factory=list)
    failure: str = ""
    """The reason of an evaluation without a score."""

    @property
    def worst(self) -> float:
        """The highest score."""
        return max((one.score or 0.0 for one in self.archive.values()), default=0.0)

    @property
    def failing(self) -> list[Evaluation]:
        """The failure of each cell that has one, the worst first."""
        return [one for one in ranked(self.archive) if (one.score or 0.0) >= self.objective.fails]

    def as_json(self) -> dict[str, Any]:
        """For programs."""
        axes = [{"title": axis.title, "bounds": axis.bounds()} for axis in self.family.file.map]
        cells = [{"cell": list(one.cell), "score": one.score} for one in ranked(self.archive)]
        return {
            "family": self.family.name,
            "objective": self.objective.name,
            "evaluations": self.evaluations,
            "map": {"axes": axes, "cells": cells},
            "witnesses": [one.as_json() for one in self.witnesses],
        }


Progress = Callable[[Sequence[Search]], None]


def opened(question: Question) -> list[Search]:
    """The searches of a question. Raises ExperimentError and ObjectiveError."""
    found = []
    for word in question.families:
        family = families.find(word, question.algorithm, realistic=question.realistic)
        objective = objectives.objective(question.objective or family.file.objective)
        if objective.needs_equals:
            family = family.equals
        Evaluator(family, objective, question.reference, lambda _: [])
        found.append(Search(family, objective))
    return found


def run(
    question: Question, searches: Sequence[Search], compute: Compute, folder: Path, progress: Progress = lambda _: None
) -> None:
    """Searches each family and finds its witnesses. What `folder` holds of the same search is not computed again."""
    began_s = time.monotonic()
    for number, one in enumerate(searches):
        evaluator = Evaluator(one.family, one.objective, question.reference, compute)
        budget_s = None
        if question.time_s is not None:  # what the families before left
            budget_s = (question.time_s - (time.monotonic() - began_s)) / (len(searches) - number)
        _search(question, one, evaluator, folder, budget_s, lambda: progress(searches))
        one.witnesses = witnesses(question, one, evaluator)
        progress(searches)


def _search(
    question: Question,
    one: Search,
    evaluator: Evaluator,
    folder: Path,
    budget_s: float | None,
    progress: Callable[[], None],
) -> None:
    path = folder / "evaluations" / f"{one.family.name}-{one.objective.name}-{question.seed}.jsonl"
    with _Store(path, _identity(question, one)) as store:
        batches = search(one.family, question.seed, lambda genomes: store.evaluated(evaluator, genomes))
        began_s = time.monotonic()
        for found, archive in batches:
            one.archive, one.computed = archive, store.computed * BATCH
            one.evaluations += len(found)
            one.failure = next((each.failure for each in found if each.score is None), one.failure)
            progress()
            if question.evaluations is not None and one.evaluations >= question.evaluations:
                break
            if budget_s is not None and time.monotonic() - began_s >= budget_s and not store.is_replaying:
                break


def witnesses(question: Question, one: Search, evaluator: Evaluator) -> list[Witness]:
    """Failures that differ, in their simplest form, the worst first; before them those that other starts show, too."""
    found: list[Witness] = []
    apart = list(islice(_apart(one.failing), max(LOOKED, 3 * question.most)))
    for repeats in (SHOWN, 0):
        evaluate = partial(evaluator.evaluate, repeats=repeats)
        some: list[Witness] = []
        if len(found) == question.most:
            break
        for each in _in_all(apart, one.objective.fails, evaluate) if repeats else apart[: 3 * question.most]:
            genome = shrink(one.family, each, one.objective.fails, evaluate).genome
            [simple] = evaluator.evaluate([genome])
            experiment = evaluator.experiment(genome)
            if simple.score is None or any(witness.experiment == experiment for witness in [*found, *some]):
                continue
            witness = Witness(
                "",
                question.algorithm,
                question.reference,
                one.objective,
                experiment,
                one.family.targets,
                simple.score,
                simple.values,
                genomes.keys(one.family, genome),
                one.family.name,
                genomes.unusual(one.family, genome),
            )
            some.append(with_sentences(replace(witness, repeats=witness.evaluator.repeats(evaluator.compute))))
            if len(found) + len(some) == question.most:
                break
        found += sorted(some, key=lambda witness: -witness.score)
    title = f"{one.family.name}-{one.objective.name}"
    return [replace(witness, name=f"{title}-{number}") for number, witness in enumerate(found, start=1)]


def _in_all(
    every: Sequence[Evaluation], fails: float, evaluate: Callable[[list[Genome]], list[Evaluation]]
) -> Iterator[Evaluation]:
    """Those that fail from each start, with their lowest scores."""
    for begin in range(0, len(every), TOGETHER):
        found = evaluate([one.genome for one in every[begin : begin + TOGETHER]])
        yield from (one for one in found if one.score is not None and one.score >= fails)


def _apart(failing: Sequence[Evaluation]) -> Iterator[Evaluation]:
    """Failures whose cells lie apart, the worst first; then the others."""
    chosen: list[Evaluation] = []
    near: list[Evaluation] = []
    for one in failing:
        distances = [max(abs(a - b) for a, b in zip(one.cell, other.cell, strict=True)) for other in chosen]
        (near if any(distance < APART for distance in distances) else chosen).append(one)
    yield from chosen
    yield from near


def _identity(question: Question, one: Search) -> str:
    """All that scores depend on."""
    parts = [repr(one.family.file), one.objective.formula, provenance.simulator(), str(BATCH)]
    parts += [f"{word} {version(word.partition(':')[0])}" for word in (question.algorithm, question.reference)]
    return hashlib.blake2b("\n".join(parts).encode(), digest_size=16).hexdigest()


def _batches(lines: Iterable[str]) -> Iterator[list[Any]]:
    """The batches of a file, up to the first that has another form: the rest is computed again."""
    with contextlib.suppress(ArithmeticError, RecursionError, TypeError, ValueError):
        for line in lines:
            batch = json.loads(line)
            if len(batch) != BATCH:
                return
            for score, values, failure in batch:
                numbers = [one for one in (score, *dict(values).values()) if one is not None]
                if not all(map(math.isfinite, numbers)) or not isinstance(failure, str):
                    return
            yield batch


_MOST_BYTES = 1 << 30


class _Store:
    """The scores of a search, a line for each batch, in order: the genomes follow from the seed."""

    def __init__(self, path: Path, identity: str) -> None:
        self._path, self._head = path, json.dumps({"search": identity})
        self.computed = 0
        self._kept: list[Any] = []

    def __enter__(self) -> "_Store":
        files.refuse_links(self._path, inside=self._path.parents[1])
        self._path.parent.mkdir(parents=True, exist_ok=True)
        if self._path.exists():
            content = files.content(self._path, "remove it, and the search begins anew", at_most=_MOST_BYTES)
            head, *lines = content.decode(errors="replace").split("\n")
            if head == self._head:
                self._kept = list(_batches(lines[:-1]))  # a last line without an end was cut off
        files.write_text(self._path, "\n".join([self._head, *map(json.dumps, self._kept), ""]))
        self._file = self._path.open("a", encoding="utf-8")
        self._next = iter(self._kept)
        self._left = len(self._kept)
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    @property
    def is_replaying(self) -> bool:
        """Whether there are batches that are known."""
        return self._left > 0

    def evaluated(self, evaluator: Evaluator, every: Sequence[Genome]) -> list[Evaluation]:
        """The evaluations of the next batch."""
        if self._left:
            self._left -= 1
            return [
                Evaluation(one, score, evaluator.cell(one), values, failure)
                for one, (score, values, failure) in zip(every, next(self._next), strict=True)
            ]
        found = evaluator.evaluate(every)
        self._file.write(json.dumps([(one.score, one.values, one.failure) for one in found]) + "\n")
        self._file.flush()
        self.computed += 1
        return found
