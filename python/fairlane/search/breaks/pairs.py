"""Searches every ordered pair of some algorithms at once.

The run of an algorithm alone on a path serves in all pairs that the algorithm belongs to, as the one that may fail and
as the reference. So each genome is run once with every algorithm and scored for all pairs; each pair keeps a map of its
own, and the parents of a genome come from the map of one pair. Few genomes of such a search are made for any one pair;
searches of this pair alone go on from them, and what they find is tried for all.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import permutations
from random import Random

from fairlane.scenario.diagnostics import ExperimentError
from fairlane.search.breaks import genome as genomes
from fairlane.search.breaks.evaluate import Compute, Evaluation, Evaluator, in_order
from fairlane.search.breaks.families import find
from fairlane.search.breaks.genome import Genome
from fairlane.search.breaks.objectives import REFERENCE, Measured, ObjectiveError, objective
from fairlane.search.breaks.search import BATCH, CROSSED, FIRST, Archive, add, child, ranked
from fairlane.search.breaks.worst_cases import Question, Search, witnesses

PARENTS = 10
"""The worst networks of a pair, from which a search of this pair alone goes on."""
SHARED = 3
"""The worst networks of a pair that are scored for all pairs."""
Pair = tuple[str, str]
"""The algorithm that may fail, and the reference."""


class Pairs:
    """The searches of all pairs, in one family with its objective."""

    def __init__(self, family: str, algorithms: Sequence[str], seed: int, compute: Compute) -> None:
        """Raises ExperimentError, and ObjectiveError for a family with other flows or an objective of other runs."""
        self._seed, self._compute = seed, compute
        families = {name: find(family, name) for name in algorithms}
        self._family = families[algorithms[0]]
        self._objective = objective(self._family.file.objective)
        if len(self._family.file.experiment["flows"]) > len(self._family.targets):
            raise ObjectiveError(f"family {family} has flows of other algorithms; take one without, such as path")
        if self._objective.runs != [REFERENCE] or self._objective.watched:
            raise ObjectiveError(f"objective {self._objective.name} does not compare two runs; take goodput, or delay")
        self._runs = {name: Evaluator(self._family, self._objective, name, compute) for name in algorithms}
        self.searches = {pair: Search(families[pair[0]], self._objective) for pair in permutations(algorithms, 2)}
        self._shared = set[str]()

    def batches(self) -> Iterator[int]:
        """Batch after batch without end; yields the number of genomes so far."""
        pairs = sorted(self.searches)
        number = 0
        while True:
            random = Random(f"{self._seed} {number}")
            parents: list[Archive] = [self.searches[random.choice(pairs)].archive for _ in range(BATCH)]
            self._evaluate([child(self._family, one if number >= FIRST else {}, random) for one in parents])
            number += 1
            yield number * BATCH

    def refine(self, pair: Pair, batches: int, number: int = 0, *, wide: bool = False) -> None:
        """Searches this pair alone, from its worst networks on: half of the parents are among the worst three.

        Each search of a pair has another `number`. A `wide` one takes its parents from the whole map, as the search of
        a single pair does: it leaves a summit from which no step leads up.
        """
        one, evaluator = self.searches[pair], self.evaluator(pair, self._compute)
        for batch in range(batches):
            random = Random(f"{self._seed} {pair} {number} {batch}")
            worst = [each.genome for each in ranked(one.archive)[:PARENTS]]
            children = [
                child(one.family, one.archive, random) if wide else self._near(worst, random) for _ in range(BATCH)
            ]
            for found in evaluator.evaluate(children):
                add(one.archive, found)
            one.evaluations += BATCH

    def _near(self, worst: Sequence[Genome], random: Random) -> Genome:
        parent = random.choice(worst[: random.choice((3, PARENTS))])
        if random.random() < CROSSED:
            parent = genomes.cross(parent, random.choice(worst), random)
        return genomes.mutate(self._family, parent, random)

    def share(self) -> None:
        """Scores the worst networks of each pair for all pairs: what is bad for one is often bad for its like."""
        found = [one.genome for search in self.searches.values() for one in ranked(search.archive)[:SHARED]]
        every = {repr(genome): genome for genome in found}
        new = [genome for text, genome in every.items() if text not in self._shared]
        self._shared |= every.keys()
        for begin in range(0, len(new), BATCH):
            self._evaluate(new[begin : begin + BATCH])

    def evaluator(self, pair: Pair, compute: Compute) -> Evaluator:
        """Evaluates genomes for this pair alone."""
        return Evaluator(self.searches[pair].family, self._objective, pair[1], compute)

    def witness(self, pair: Pair) -> None:
        """Finds the simplest form of the pair's worst failure, and how robust it is."""
        one = self.searches[pair]
        question = Question(*pair, [one.family.name], seed=self._seed, most=1)
        one.witnesses = witnesses(question, one, self.evaluator(pair, self._compute))

    def _evaluate(self, every: Sequence[Genome]) -> None:
        """Adds the scores of these genomes to the maps of all pairs."""
        first = next(iter(self._runs.values()))
        texts: list[str] = []
        owners: list[tuple[int, str]] = []
        targets = frozenset[int]()
        for index, one in enumerate(every):
            with suppress(ExperimentError):  # a combination that cannot be
                point = first.point(one)
                for name, evaluator in self._runs.items():
                    (_, text), targets = evaluator.scenarios(point)
                    texts.append(text)
                    owners.append((index, name))
        runs: list[dict[str, Measured]] = [{} for _ in every]
        for (index, name), outcome in zip(owners, in_order(self._compute(texts)), strict=True):
            if outcome.pieces is not None:
                runs[index][name] = Measured(b"".join(outcome.pieces), targets)
        for one, measured in zip(every, runs, strict=True):
            cell = first.cell(one)
            for (algorithm, reference), search in self.searches.items():
                search.evaluations += 1
                if algorithm in measured and reference in measured:
                    both = {"": measured[algorithm], REFERENCE: measured[reference]}
                    score = self._objective.score(both)
                    if score is not None:
                        add(search.archive, Evaluation(one, score, cell, self._objective.values(both)))
