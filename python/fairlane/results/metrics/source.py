"""Runs from a store, one after the other, with time series on demand."""

from collections.abc import Iterator, Mapping
from functools import cache, partial
from typing import Any

from fairlane.engine.libraries import pl
from fairlane.results.metrics.rows import Key, RowsBy
from fairlane.results.metrics.subject import Columns, Flows, Link, Run, Series
from fairlane.results.tables import ResultTables

CHUNK = 100
"""Time series are read for this many runs together."""


def runs(results: ResultTables, filters: Mapping[str, Any] | None = None, *, as_stored: bool = False) -> Iterator[Run]:
    """Each run, with its axes, seed and key among its values.

    Filters keep flows, and with them runs that have such flows, by any column of `results.flows`. Runs come in the
    order of `results.runs`, or `as_stored`: then a file of time series is read once, and not for each of its runs.
    """
    head = results.head
    if "rows" not in results.derived:
        every = (RowsBy(frame, head) for frame in (results.runs, results.flow_columns, results.links))
        results.derived["rows"] = (*every, {})
    by_run, everyone, links, known = results.derived["rows"]
    chosen = RowsBy(results.select("flows", dict(filters)), head) if filters else everyone
    rows = [(key, row) for key, same in by_run.items() if key in chosen for row in same]
    if as_stored and len(rows) > CHUNK:
        place = results.places
        rows.sort(key=lambda pair: place.get(pair[1]["run"], 0))
    for start in range(0, len(rows), CHUNK):
        chunk = rows[start : start + CHUNK]
        load = cache(partial(_series, results, {row["run"] for _key, row in chunk}))
        of_flow, of_link = partial(_of, load, "flow", "flow"), partial(_of, load, "link", "name")
        for key, row in chunk:
            flows = Flows(everyone[key], of_flow, known=known.setdefault(key, {}))
            wanted = flows
            if chosen is not everyone:
                numbers = set(chosen[key].column("flow"))
                wanted = flows.some([place for place, one in enumerate(flows.column("flow")) if one in numbers])
            yield Run(row, wanted, partial(_links, links, key, of_link), flows)


def _links(links: RowsBy, key: Key, series: Series) -> list[Link]:
    return [Link(one, series) for one in links.get(key, [])]


def _series(results: ResultTables, keys: set[str], kind: str) -> "dict[tuple[Any, ...], pl.DataFrame]":
    frame = results.stored(f"{kind}_series", keys)
    return frame.partition_by("run", kind, as_dict=True) if frame.height else {}


def _of(load: Any, kind: str, name: str, figures: Mapping[str, Any]) -> Columns:
    frame = load(kind).get((figures["run"], figures[name]))
    return {} if frame is None else frame.to_dict(as_series=True)
