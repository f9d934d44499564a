"""The sweep of an experiment: axes, their product, and what is left out.

[sweep]
"network.rate" = ["10mbit", "100mbit"]                       # an axis: a key and its values
"network.buffer" = { from = "0.5bdp", to = "8bdp", count = 5, scale = "log" }
"flows.rival.algorithm" = ["cubic", "bbr"]                   # a flow by its name, by its number, or all by *

[[sweep.zip]]                                                # lists that advance together
"network.rtt" = ["10ms", "100ms"]
duration = ["30s", "120s"]

[[sweep.exclude]]                                            # combinations to leave out
"network.rate" = "10mbit"
"flows.rival.algorithm" = ["bbr"]

[sweep.matrix]                                               # algorithms against each other (`pairs`)
algorithms = ["cubic", "bbr", "reno"]
"""

import itertools
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from fairlane.engine.messages import nearest
from fairlane.scenario import pairs
from fairlane.scenario.diagnostics import Diagnostic, Place, Report, reporter
from fairlane.scenario.ranges import RANGE_KEYS, spread

MAX_POINTS = 1_000_000
MAX_EXCLUSIONS = 20_000_000
"""Points times tables of exclusions: each point is compared with each table."""


@dataclass(frozen=True)
class Dimension:
    """One key of the sweep and its values."""

    key: str
    """As the file writes it."""
    name: str | None
    """Its name, if the file gives one."""
    values: tuple[Any, ...]
    labels: tuple[str, ...]


@dataclass(frozen=True)
class Matrix:
    """All points: each a value for every dimension."""

    dimensions: tuple[Dimension, ...]
    points: tuple[tuple[int, ...], ...]
    """For each point the index of the value of every dimension."""


def expand(sweep: Any, diagnostics: list[Diagnostic]) -> Matrix:
    """Reads a sweep. What is wrong goes to `diagnostics`, and the rest is read all the same."""
    report = reporter(diagnostics)
    if not isinstance(sweep, Mapping):
        report(("sweep",), 'must be a table of keys and lists, such as "network.rate" = ["10mbit"]')
        return Matrix((), ((),))
    rest = {key: value for key, value in sweep.items() if key not in ("zip", "exclude", "matrix")}
    met = pairs.pairs(sweep.get("matrix"), report)
    blocks = [[one] for one in _of_pairs(met)]
    blocks += [[one] for one in _dimensions(rest, ("sweep",), report)]
    for number, table in enumerate(_tables(sweep, "zip", report)):
        place: Place = ("sweep", "zip", number)
        together = list(_dimensions(table, place, report))
        lengths = {one.key: len(one.values) for one in together}
        if len(set(lengths.values())) > 1:
            listed = ", ".join(f"{key} has {length}" for key, length in lengths.items())
            report(place, f"its lists differ in length: {listed}; give all the same")
            together = []
        if together:
            blocks.append(together)
    dimensions = tuple(one for block in blocks for one in block)
    seen: set[str] = set()
    for one in dimensions:
        if one.key in seen:
            report(("sweep", one.key), "is swept twice; keep one of the lists")
        seen.add(one.key)
    count = math.prod(len(block[0].values) for block in blocks)
    if count > MAX_POINTS:
        report(("sweep",), f"makes {count:,} points; the most is {MAX_POINTS:,}: shorten some lists")
        return Matrix(dimensions, (tuple(0 for _ in dimensions),))
    given = {key for table in (rest, *_tables(sweep, "zip", reporter([]))) for key, _ in _flat(table)}
    exclusions = _tables(sweep, "exclude", report)
    if len(exclusions) * count > MAX_EXCLUSIONS:
        most = f"{len(exclusions):,} tables for {count:,} points; the most is {MAX_EXCLUSIONS:,} in all"
        report(("sweep", "exclude"), f"has {most}: name several values in a table")
        exclusions = []
    excluded = _exclusions(exclusions, dimensions, given, report)
    indices = [[(index,) * len(block) for index in range(len(block[0].values))] for block in blocks]
    points = [tuple(itertools.chain.from_iterable(point)) for point in itertools.product(*indices)]
    kept = [point for point in points if not any(_matches(point, rule) for rule in excluded)]
    kept = [point for point in kept if met is None or met.includes(*point[: len(pairs.NAMES)])]
    if not kept:
        report(("sweep", "exclude"), "leaves nothing to run; exclude less")
        kept = points[:1]
    return Matrix(dimensions, tuple(kept))


def _of_pairs(met: pairs.Pairs | None) -> list[Dimension]:
    """The first two dimensions, if algorithms meet in pairs."""
    if met is None:
        return []
    found = zip(pairs.KEYS, pairs.NAMES, (met.first, met.rival), strict=True)
    return [Dimension(key, name, algorithms, algorithms) for key, name, algorithms in found]


def _tables(sweep: Mapping[str, Any], name: str, report: Report) -> list[Mapping[str, Any]]:
    tables = sweep.get(name, [])
    if not isinstance(tables, list) or not all(isinstance(table, Mapping) for table in tables):
        report(("sweep", name), f"must be a list of tables; begin it with [[sweep.{name}]]")
        return []
    return tables


def _flat(table: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, Any]]:
    """Keys with dots, whether the file quotes them or not."""
    for key, value in table.items():
        name = f"{above}{key}"
        if isinstance(value, Mapping) and not set(value) & RANGE_KEYS and above.count(".") < 10:
            yield from _flat(value, f"{name}.")
        else:
            yield name, value


def _dimensions(table: Mapping[str, Any], place: Place, report: Report) -> Iterator[Dimension]:
    for key, given in _flat(table):
        values, name, labels = given, None, None
        if isinstance(given, Mapping):
            try:
                values = spread(given)
            except ValueError as error:
                report((*place, key), str(error))
                continue
            name, labels = given.get("name"), given.get("labels")
            if name is not None and not (isinstance(name, str) and name.isidentifier()):
                report((*place, key, "name"), "must be a word of letters, digits and '_'")
                name = None
        if not isinstance(values, list):
            report((*place, key), f"must be a list of values or a range, not {values!r}")
            continue
        if not values:
            report((*place, key), "is an empty list; give at least one value, or leave the key out")
            continue
        if len(values) > MAX_POINTS:
            report((*place, key), f"has {len(values)} values; the most is {MAX_POINTS:,}")
            continue
        if labels is not None and not (
            isinstance(labels, list) and len(labels) == len(values) and all(isinstance(label, str) for label in labels)
        ):
            report((*place, key, "labels"), "must be a list of text, one for each value")
            labels = None
        shown = tuple(labels or [label(value) for value in values])
        twice = sorted({one for one in shown if shown.count(one) > 1}) if len(shown) < 10_000 else []
        if twice and place[1:2] != ("zip",):
            report((*place, key), f"has '{twice[0]}' twice; each value once, `repeats` for more runs")
            continue
        yield Dimension(key, name, tuple(values), shown)


def label(value: Any) -> str:
    """A value in a few characters.

    >>> label("10mbit"), label(True), label({"kind": "codel", "target": "5ms"}), label(0.5)
    ('10mbit', 'true', 'codel target=5ms', '0.5')
    """
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Mapping):
        kind = [str(value["kind"])] if "kind" in value else []
        return " ".join(kind + [f"{key}={label(inner)}" for key, inner in value.items() if key != "kind"]) or "{}"
    if isinstance(value, list):
        return "+".join(label(one) for one in value)
    return f"{value:g}" if isinstance(value, float) else str(value)


def _exclusions(
    tables: list[Mapping[str, Any]], dimensions: tuple[Dimension, ...], given: set[str], report: Report
) -> list[dict[int, set[int]]]:
    """For each rule the indices of values that it names, by dimension."""
    positions = {one.key: position for position, one in enumerate(dimensions)}
    rules = []
    for number, table in enumerate(tables):
        rule: dict[int, set[int]] = {}
        understood = True
        place: Place = ("sweep", "exclude", number)
        for key, wanted in _flat(table):
            if key not in positions:
                understood = False
                if key in given:
                    continue  # its values are wrong, which is said elsewhere
                hint = nearest(key, positions) or "."
                report((*place, key), f"is not swept{hint} Swept: {', '.join(positions) or 'nothing'}")
                continue
            dimension = dimensions[positions[key]]
            chosen = rule.setdefault(positions[key], set())
            for value in wanted if isinstance(wanted, list) else [wanted]:
                if label(value) not in dimension.labels:
                    hint = nearest(label(value), dimension.labels) or "."
                    listed = ", ".join(dimension.labels[:20])
                    report((*place, key), f"'{label(value)}' is no value of it{hint} Values: {listed}")
                else:
                    chosen.update(i for i, one in enumerate(dimension.labels) if one == label(value))
        if rule:
            rules.append(rule)
        elif not table and understood:
            report(place, "is empty; name a key and the values to leave out")
    return rules


def _matches(point: tuple[int, ...], rule: Mapping[int, set[int]]) -> bool:
    return all(point[position] in chosen for position, chosen in rule.items())
