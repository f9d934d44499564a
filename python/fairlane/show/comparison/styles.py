"""The look of a line, bar or box of a rerun table or figure, by its algorithm, and its values in words."""

from collections.abc import Sequence

from fairlane.show.comparison.layout import word
from fairlane.show.plots.styles import Look, looks, named_algorithm
from fairlane.study.paper.definition import Key


def looks_of(words: Sequence[Sequence[Key]]) -> list[Look]:
    """The look of each thing, by the words that name it, as in all other plots.

    What all have in common distinguishes none: of `bbr cubic`, `reno cubic` and `cubic cubic` the first word counts.

    >>> [one.colour == look.colour for one, look in zip(looks_of([["bbr", "cubic"], ["reno", "cubic"]]),
    ...                                                 looks(["bbr", "reno"]))]
    [True, True]
    """
    return looks(_algorithms(words))


def _algorithms(words: Sequence[Sequence[Key]]) -> list[str | None]:
    """The algorithm of each, None where there is none or more than one.

    >>> _algorithms([["bbr", "cubic"], ["cubic", "cubic"]]), _algorithms([["bbr", "reno"], ["bbr", "cubic"], ["x"]])
    (['bbr', 'cubic'], [None, None, None])
    """
    named = [{name for word in one if (name := named_algorithm(str(word)))} for one in words]
    common = set.intersection(*named) if named else set()
    found: list[str | None] = []
    for names in named:
        told = names - common or names
        found.append(next(iter(told)) if len(told) == 1 else None)
    return found


def tip(words: Sequence[str], at: Key, ours: float | None, paper: float | None) -> str:
    """The tooltip of a point, bar or box.

    >>> tip(["bbr", "all", "goodput Mbps"], 20.0, 9.5123, None), tip(["bbr"], "", 12345.6, 12000)
    ('bbr, goodput Mbps, 20: Fairlane 9.512', 'bbr: Fairlane 12,346, paper 12,000')
    """
    names = dict.fromkeys(one for one in (*words, word(at)) if one not in ("", "all"))
    values = [f"{who} {_short(value)}" for who, value in (("Fairlane", ours), ("paper", paper)) if value is not None]
    return f"{', '.join(names)}: {', '.join(values)}"


def _short(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"
