"""Runs from a store, one after the other, with time series on demand."""

from collections.abc import Iterator, Mapping
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from fairlane.metrics.rows import RowsBy
from fairlane.metrics.subject import Columns, Flow, Link, Run

if TYPE_CHECKING:
    import polars as pl

    from fairlane.results.tables import ResultTables

CHUNK = 100
"""Time series are read for this many runs together."""


def runs(results: "ResultTables", filters: Mapping[str, Any] | None = None) -> Iterator[Run]:
    """Each run, with its axes, seed and key among its values.

    Filters keep flows, and with them runs that have such flows, by any column of `results.flows`.
    """
    head = results.head
    everyone = RowsBy(results.flows, head)
    chosen = RowsBy(results.select("flows", dict(filters)), head) if filters else everyone
    links = RowsBy(results.links, head)
    rows = [(key, row) for key, same in RowsBy(results.runs, head).items() if key in chosen for row in same]
    for start in range(0, len(rows), CHUNK):
        chunk = rows[start : start + CHUNK]
        load = cache(partial(_series, results, {row["run"] for _key, row in chunk}))
        for key, row in chunk:
            flows = {
                one["flow"]: Flow(one, partial(_of, load, "flow", one["run"], one["flow"])) for one in everyone[key]
            }
            yield Run(
                row,
                [flows[one["flow"]] for one in chosen[key]],
                [Link(one, partial(_of, load, "link", one["run"], one["name"])) for one in links.get(key, [])],
                list(flows.values()),
            )


def _series(results: "ResultTables", keys: set[str], kind: str) -> "dict[tuple[Any, ...], pl.DataFrame]":
    frame = results.stored(f"{kind}_series", keys)
    return frame.partition_by("run", kind, as_dict=True) if frame.height else {}


def _of(load: Any, kind: str, key: str, which: Any) -> Columns:
    frame = load(kind).get((key, which))
    return {} if frame is None else frame.to_dict(as_series=True)
