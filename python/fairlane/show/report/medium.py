"""Occupancy of a Wi-Fi channel, frame by frame, packed for a page.

Of the recorded part of each run, as `fairlane plot` draws it (`fairlane.show.plots.medium`). Times are microseconds
from the first frame on, each the difference to the one before.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fairlane.results.tables import ResultTables
from fairlane.show.plots.medium import KINDS, frames, kind_of
from fairlane.show.report.html import deflated
from fairlane.show.report.series import indices, telling

MOST_RUNS = 12
MOST_FRAMES = 500
"""Of a run; about as many bytes as its time series."""


@dataclass(frozen=True)
class Air:
    """The runs of an experiment whose frames the page can draw."""

    shown: int
    points: int
    """The number of points of the sweep."""
    packed: str
    """Axes, queues and frames as JSON, deflated, in base64."""


def recorded_air(results: ResultTables) -> Air | None:
    """The first repeat of at most `MOST_RUNS` points of the sweep, evenly selected; None if nothing was recorded."""
    runs = results.runs
    if not runs.height:
        return None
    rows = runs.filter(runs["repeat"] == runs["repeat"].min()).rows(named=True)
    step = max(1.0, len(rows) / MOST_RUNS)
    chosen = [rows[int(place * step)] for place in range(min(len(rows), MOST_RUNS))]
    found = frames(results, {row["run"] for row in chosen})
    if not found.height:
        return None
    axes = telling(results)
    parts = {key[0]: part.rows(named=True) for key, part in found.group_by("run", maintain_order=True)}
    drawn = [{"at": indices(row, axes), **_run(parts[row["run"]])} for row in chosen if row["run"] in parts]
    content = {
        "axes": [{"name": axis.name, "labels": list(axis.labels)} for axis in axes],
        "kinds": [words for _, words in KINDS.values()],
        "runs": drawn,
    }
    return Air(len(drawn), len(rows), deflated(content))


def _run(rows: Sequence[Mapping[str, Any]]) -> Mapping[str, object]:
    rows = sorted(rows, key=lambda row: (row["start_ms"], row["link"]))[:MOST_FRAMES]
    queues, kinds = sorted({row["link"] for row in rows}), list(KINDS)
    starts = [round(row["start_ms"] * 1e3, 1) for row in rows]
    return {
        "from": starts[0],
        "queues": queues,
        "queue": [queues.index(row["link"]) for row in rows],
        "kind": [kinds.index(kind_of(row)) for row in rows],
        "start": [round(here - before, 1) for before, here in zip([starts[0], *starts], starts, strict=False)],
        "length": [round((row["end_ms"] - row["start_ms"]) * 1e3, 1) for row in rows],
        "answer": [round((row["until_ms"] - row["end_ms"]) * 1e3, 1) for row in rows],
        "mpdus": [row["mpdus"] for row in rows],
        "confirmed": [row["confirmed"] for row in rows],
    }
