"""The bottleneck of a run: the link that is busiest, and the direction that it belongs to.

The link called `bottleneck` is that of data in the direction `forward`. An upload beside a ping fills the other one,
`return`: then that is the bottleneck.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from fairlane.results.tables import ResultTables

FORWARD = "bottleneck"
NEARLY = 0.95
"""If both directions are full, `FORWARD` counts in all runs, and not sometimes one and sometimes the other."""
_REVERSE = ("return", "return-")

L = TypeVar("L", bound=Any)


def busiest(links: Iterable[L]) -> L | None:
    """The link with the highest utilisation; that called `bottleneck` if it is within 5 % of it.

    None if no link has a utilisation. Of links that are equally busy the first.

    >>> line = [{"name": "bottleneck", "utilisation": 0.004}, {"name": "return", "utilisation": 0.99}]
    >>> busiest(line)["name"], busiest([{"name": "bottleneck", "utilisation": 0.97}, line[1]])["name"]
    ('return', 'bottleneck')
    """
    used = [link for link in links if link["utilisation"]]
    most = max(used, key=lambda link: float(link["utilisation"]), default=None)
    if most is None:
        return None
    enough = NEARLY * float(most["utilisation"])
    return next((link for link in used if link["name"] == FORWARD and link["utilisation"] >= enough), most)


def with_direction(name: str) -> str:
    """A link's name, and the direction of those that a topology makes.

    >>> with_direction("bottleneck"), with_direction("return-2"), with_direction("laptop-up")
    ('bottleneck (forward)', 'return-2 (reverse)', 'laptop-up')
    """
    if name == _REVERSE[0] or (name.startswith(_REVERSE[1]) and name.removeprefix(_REVERSE[1]).isdigit()):
        return f"{name} (reverse)"
    if name == FORWARD or (name.startswith("hop-") and name.removeprefix("hop-").isdigit()):
        return f"{name} (forward)"
    return name


def bottlenecks(results: "ResultTables", filters: Mapping[str, Any] | None = None) -> dict[str, str]:
    """The bottleneck of each run that has one, by the run's key."""
    frame = results.links.select("run", "name", "utilisation")
    if filters:
        frame = frame.filter(frame["run"].is_in(results.select("flows", dict(filters))["run"].unique().implode()))
    links: dict[str, list[dict[str, Any]]] = {}
    for run, name, utilisation in frame.iter_rows():
        links.setdefault(run, []).append({"name": name, "utilisation": utilisation})
    found = ((run, busiest(some)) for run, some in links.items())
    return {run: str(link["name"]) for run, link in found if link is not None}


def bottleneck_note(results: "ResultTables", filters: Mapping[str, Any] | None = None) -> str | None:
    """The bottleneck in words, if it is not that of data in the direction `forward` in all runs.

    "bottleneck: return (reverse)", "bottleneck: hop-1 (forward) in 3 runs, hop-2 (forward) in 2".
    """
    counts = Counter(bottlenecks(results, filters).values())
    if not counts or set(counts) == {FORWARD}:
        return None
    if len(counts) == 1:
        return f"bottleneck: {with_direction(next(iter(counts)))}"
    parts = [f"{with_direction(name)} in {count:,}" for name, count in counts.most_common()]
    return "bottleneck: " + ", ".join([f"{parts[0]} run{'s' if counts.most_common(1)[0][1] > 1 else ''}", *parts[1:]])
