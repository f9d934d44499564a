"""The search: keeps the best network of each cell of a map, and makes new ones from these.

MAP-Elites (Mouret, Clune: Illuminating search spaces by mapping elites, 2015). Parents are chosen from all cells alike
or, half of the time, from the best of a few, so that the map fills and its peak rises. Batches have a fixed size, and
the random numbers of a batch come from the seed and its number: the result does not depend on how many run at a time.
"""

from collections.abc import Callable, Iterator
from random import Random

from fairlane.search.breaks import genome as genomes
from fairlane.search.breaks.evaluate import Evaluation
from fairlane.search.breaks.families import Family
from fairlane.search.breaks.genome import Genome

BATCH = 32
FIRST = 3
"""Batches of random genomes."""
TOURNAMENT = 4
CROSSED = 0.4
"""Share of children of two parents."""
Archive = dict[tuple[int, int], Evaluation]
"""The best evaluation of each cell."""


def search(
    family: Family, seed: int, evaluate: Callable[[list[Genome]], list[Evaluation]]
) -> Iterator[tuple[list[Evaluation], Archive]]:
    """Batch after batch without end: its evaluations, and the archive after it."""
    archive: Archive = {}
    number = 0
    while True:
        random = Random(f"{seed} {number}")
        children = [child(family, archive if number >= FIRST else {}, random) for _ in range(BATCH)]
        found = evaluate(children)
        for one in found:
            add(archive, one)
        yield found, archive
        number += 1


def add(archive: Archive, one: Evaluation) -> None:
    """Keeps the evaluation if its cell has no better one."""
    before = archive.get(one.cell)
    if one.score is not None and (before is None or before.score is None or one.score > before.score):
        archive[one.cell] = one


def ranked(archive: Archive) -> list[Evaluation]:
    """All, the worst failure first."""
    return sorted(archive.values(), key=lambda one: (-(one.score or 0.0), one.cell))


def child(family: Family, archive: Archive, random: Random) -> Genome:
    """A genome made of those of the archive, or a random one if it is empty."""
    if not archive:
        return genomes.draw(family, random)
    cells = sorted(archive)
    parent = _parent(archive, cells, random)
    if random.random() < CROSSED:
        parent = genomes.cross(parent, _parent(archive, cells, random), random)
    return genomes.mutate(family, parent, random)


def _parent(archive: Archive, cells: list[tuple[int, int]], random: Random) -> Genome:
    some = [archive[random.choice(cells)] for _ in range(TOURNAMENT if random.random() < 0.5 else 1)]
    return max(some, key=lambda one: one.score or 0.0).genome
