"""Which choices no other one beats in everything."""

from collections.abc import Sequence

from fairlane.tune.evaluation import Trial


def front(trials: Sequence[Trial], goals: Sequence[str]) -> list[Trial]:
    """The trials that no other one dominates, the best in the first objective first; one for each choice.

    >>> trials = [Trial(0, {"a": 1}, (3.0, 9.0)), Trial(1, {"a": 2}, (4.0, 8.0)), Trial(2, {"a": 3}, (3.0, 9.5))]
    >>> [trial.number for trial in front(trials, ["highest", "lowest"])]
    [1]
    """
    signs = [1.0 if goal == "highest" else -1.0 for goal in goals]
    scored: dict[tuple[tuple[str, int], ...], tuple[list[float], Trial]] = {}
    for trial in trials:
        if trial.values:
            score = [sign * value for sign, value in zip(signs, trial.values, strict=True)]
            scored.setdefault(tuple(trial.parameters.items()), (score, trial))
    best = [one for one in scored.values() if not any(_dominates(other, one[0]) for other, _ in scored.values())]
    return [trial for _, trial in sorted(best, key=lambda one: ([-value for value in one[0]], one[1].number))]


def _dominates(one: Sequence[float], other: Sequence[float]) -> bool:
    return all(a >= b for a, b in zip(one, other, strict=True)) and list(one) != list(other)
