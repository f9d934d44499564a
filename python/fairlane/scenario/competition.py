"""The experiment of a matrix: algorithms that share one bottleneck in pairs, as a request describes them."""

from collections.abc import Sequence

from fairlane.scenario.requests import Request, Toml

REPEATS = 3
"""The least that give an interval."""


def competition(algorithms: Sequence[str], against: Sequence[str] | None, settings: Toml) -> Toml:
    """The experiment: each of `algorithms` against each of `against`, or against each other and itself.

    "all" in a list stands for every bundled algorithm. Raises RequestError.
    """
    from fairlane.algorithm import trust

    trust.allow_named([*algorithms, *(against or ())])
    placeholder = ("reno", "reno")
    """Only their number matters: the sweep sets the algorithms."""
    given = {**settings, "repeats": settings.get("repeats") or REPEATS}
    experiment = Request(placeholder, given).experiment(name="matrix", title="Algorithms against each other")
    for flow in experiment["flows"]:
        del flow["algorithm"]
    table: Toml = {"algorithms": list(algorithms)}
    if against is not None:
        table["against"] = list(against)
    return {**experiment, "sweep": {"matrix": table}}
