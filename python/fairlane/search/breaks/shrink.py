"""Reduces a failing network to the simplest one that still fails (delta debugging).

Zeller, Hildebrandt: Simplifying and isolating failure-inducing input, 2002. Here a step removes or simplifies one key,
and the steps start again after each success.
"""

from collections.abc import Callable

from fairlane.search.breaks import genome as genomes
from fairlane.search.breaks.evaluate import Evaluation
from fairlane.search.breaks.families import Family
from fairlane.search.breaks.genome import Genome

KEPT = 0.85
"""Share of the score that the simpler network must have."""
MOST = 400
"""Evaluations."""
TOGETHER = 8
"""Candidates that are evaluated at a time; the first that still fails is taken."""


def shrink(
    family: Family, found: Evaluation, fails: float, evaluate: Callable[[list[Genome]], list[Evaluation]]
) -> Evaluation:
    """The simplest network with at least the score `fails`, and most of that of `found`, which has to reach it."""
    assert found.score is not None
    assert found.score >= fails
    least = max(fails, KEPT * found.score)
    best, asked = found, 0
    tried: list[Genome] = [found.genome]
    while asked < MOST:
        candidates = [one for one in genomes.simpler(family, best.genome) if one not in tried]
        some = candidates[:TOGETHER]
        if not some:
            break
        done = evaluate(some)
        asked += len(some)
        tried += some
        best = next((one for one in done if one.score is not None and one.score >= least), best)
    return best
