"""How many of a paper's numbers ours meet, in the terminal."""

from collections.abc import Sequence

from fairlane.show.text.aligned import LEFT, RIGHT, text_table
from fairlane.study.paper.numbers_met import Count, Number, counts, total, typical_factor

_HEAD = [
    ("\nmetric", LEFT),
    ("\nnumbers", RIGHT),
    ("within\n10 %", RIGHT),
    ("\n25 %", RIGHT),
    ("factor\n2", RIGHT),
    ("typical\nfactor", RIGHT),
    ("used for\ncalibration", RIGHT),
]


def numbers_text(found: Sequence[Number], printed: int) -> str:
    """A row for each metric; those that hardly tell good from bad, such as Jain's index, below the total."""
    telling = [one for one in found if not one.is_bounded]
    held_out = [one for one in telling if not one.testbed]
    bounded = [one for one in found if one.is_bounded]
    rows = [_row(one, found) for one in counts(telling)]
    rows.append(_cells(total("all of these", telling), typical_factor(telling)))
    if len(held_out) < len(telling):
        rows.append(_cells(total("not used for calibration", held_out), typical_factor(held_out)))
    text = text_table(_HEAD, rows)
    if bounded:
        rest = [_row(one, found) for one in counts(bounded)]
        text += "\n\nApart, because any two of their values are close:\n\n" + text_table(_HEAD, rest)
    return f"{text}\n\nThe tables print {printed} numbers, {len(found)} of them different; each counts once."


def _row(count: Count, found: Sequence[Number]) -> list[str]:
    return _cells(count, typical_factor(one for one in found if one.metric == count.metric))


def _cells(count: Count, factor: float) -> list[str]:
    met = (count.numbers, count.within_10, count.within_25, count.within_factor_2)
    return [count.metric, *map(str, met), f"{factor:.2f}", str(count.trained)]
