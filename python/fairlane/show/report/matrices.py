"""Matrices of algorithms against each other as tables of a report, coloured by how far a cell is from the middle."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from fairlane.engine.messages import counted
from fairlane.results.metrics.harm import MORE
from fairlane.results.pairs import HARM, PairMatrix, is_matrix, pair_matrices
from fairlane.results.tables import ResultTables
from fairlane.show.report.effects import with_interval
from fairlane.show.text.pairs_text import in_few_digits

_EVEN = {"share_pct": 50.0, HARM.name: 0.0}
"""Metrics with a middle that does not depend on the others."""
_SHARES = (5.0, 15.0, 30.0)
"""Distances from it, in points, from which a cell is coloured, each more than the one before."""
_RATIOS = (1.1, 1.5, 2.5)
"""The same for ratios to the median of other metrics."""


@dataclass(frozen=True)
class ColouredMatrix:
    """A table."""

    title: str
    columns: Sequence[str]
    rows: Sequence[tuple[str, Sequence[tuple[str, str]]]]
    """The name of each row, and its cells: text and class, which is empty in the middle."""


def coloured_matrices(results: ResultTables) -> list[ColouredMatrix]:
    """A table for each metric; none if the experiment has no matrix."""
    return [_coloured(one) for one in pair_matrices(results)] if is_matrix(results) else []


def _coloured(matrix: PairMatrix) -> ColouredMatrix:
    means = [mean.estimate for mean in matrix.cells.values()]
    middle = _EVEN[matrix.metric.name] if matrix.metric.name in _EVEN else median(means)
    rows = []
    for row in matrix.rows:
        values = [matrix.mean(row, column) for column in matrix.columns]
        rows.append((row, [(in_few_digits(value), _colour(value, middle, matrix)) for value in values]))
    return ColouredMatrix(matrix.metric.axis_label, matrix.columns, rows)


def _colour(value: float | None, middle: float, matrix: PairMatrix) -> str:
    if value is None:
        return ""
    if matrix.metric.name in _EVEN:
        step = sum(abs(value - middle) > least for least in _SHARES)
    elif value <= 0 or middle <= 0:
        step = 0 if value == middle else len(_RATIOS)
    else:
        step = sum(abs(math.log(value / middle)) > math.log(least) for least in _RATIOS)
    return f"{'h' if value > middle else 'l'}{step}" if step else ""


def harm_of_pairs(results: ResultTables) -> list[str]:
    """Of a matrix, a sentence who harms whom most; none if no pair of one kind is there to count from."""
    if not is_matrix(results):
        return []
    [matrix] = pair_matrices(results, [HARM])
    harms = {pair: mean for pair, mean in matrix.cells.items() if pair[0] != pair[1]}
    if not harms:
        return []
    sure = [pair for pair, mean in harms.items() if (mean.low if mean.is_known else mean.estimate) > 100 * MORE]
    pairs = counted(len(harms), "pair")
    if not sure:
        return [f"Of {pairs}, no algorithm surely takes more from another than that one takes from its own kind."]
    one, other = max(sure, key=lambda pair: harms[pair].estimate)
    most = with_interval(harms[one, other], "%", explained=True)
    return [
        f"{one} harms {other} most: next to it, {other} has {most} less goodput than next to its own kind. Of {pairs}, "
        f"{len(sure)} have such harm of more than {100 * MORE:g} %."
    ]
