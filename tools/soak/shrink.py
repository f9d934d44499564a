"""Shrinks a network that breaks a law, as long as it still breaks that law."""

import copy
from collections.abc import Callable, Iterator
from typing import Any

ATTEMPTS = 60
Experiment = dict[str, Any]


def shrink(experiment: Experiment, breaks: Callable[[Experiment], bool], attempts: int = ATTEMPTS) -> Experiment:
    """The smallest experiment found that still `breaks` the law: without flows, settings and parts of the network."""
    is_smaller = True
    while is_smaller:
        is_smaller = False
        for smaller in _smaller(experiment):
            attempts -= 1
            if attempts < 0:
                return experiment
            if breaks(smaller):
                experiment, is_smaller = smaller, True
                break
    return experiment


def _smaller(experiment: Experiment) -> Iterator[Experiment]:
    """Every experiment with one thing less, large things first."""
    for place in (("flows",), ("cross_traffic",), ()):
        yield from _without_items(experiment, place)
    for i in range(len(experiment["flows"])):
        yield from _without_items(experiment, ("flows", i))
    for place in (("network",), ("hosts",), *(("flows", i, "sender") for i in range(len(experiment["flows"])))):
        yield from _without_items(experiment, place)


def _without_items(experiment: Experiment, place: tuple[str | int, ...]) -> Iterator[Experiment]:
    for key in _keys(_at(experiment, place)):
        smaller = copy.deepcopy(experiment)
        holder = _at(smaller, place)
        del holder[key]
        if smaller.get("flows") and "algorithm" in smaller["flows"][0]:
            yield smaller


def _keys(holder: Any) -> list[Any]:
    return list(holder) if isinstance(holder, dict) else list(range(len(holder or ())))


def _at(experiment: Any, place: tuple[str | int, ...]) -> Any:
    """The value at a place; None if there is none."""
    for key in place:
        if isinstance(experiment, dict) and key not in experiment:
            return None
        experiment = experiment[key]
    return experiment
