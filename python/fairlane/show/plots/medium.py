"""Occupancy of a Wi-Fi channel, frame by frame, in the recorded part of a run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fairlane.engine.libraries import pl
from fairlane.results.tables import ResultTables
from fairlane.show.plots.canvas import canvas, dress, legend
from fairlane.show.plots.figure import COLOURS
from fairlane.show.plots.options import Options, PlotError

FRAMES = 60
"""As many are legible on paper, unless `until_s` asks for more."""
KINDS = {
    "data": (COLOURS[0], "data"),
    "answer": (COLOURS[2], "Block Ack, with SIFS"),
    "undecoded": (COLOURS[4], "data without an answer"),
    "collision": (COLOURS[1], "collision"),
    "other": ("0.45", "beacon, BlockAckReq"),
}
"""Kinds of stretches of time, with colour and label; white is idle time: AIFS and backoff."""


@dataclass(frozen=True)
class Stretch:
    """A part of the time in which a queue holds the air."""

    queue: str
    kind: str
    """One of `KINDS`."""
    start_ms: float
    end_ms: float


def draw(path: Path, results: ResultTables, options: Options) -> None:
    """A line for each queue that transmits, and one for the channel; of the first run that passes the filters."""
    runs = results.select("flows", options.filters)["run"]
    found = frames(results, set(runs[:1]))
    if not found.height:
        raise PlotError(
            "no frame on a Wi-Fi channel was recorded; run an experiment over Wi-Fi, without network.record.frames = 0"
        )
    rows = found.sort("start_ms").rows(named=True)
    last_ms = options.until_s * 1e3 if options.until_s else rows[min(FRAMES, len(rows)) - 1]["until_ms"]
    rows = [row for row in rows if row["start_ms"] < last_ms]
    if not rows:
        first_s = found["start_ms"].min() / 1e3  # type: ignore[operator]
        raise PlotError(f"--until {options.until_s:g} s is before the recorded part, which begins at {first_s:g} s")
    queues = [*dict.fromkeys(sorted(row["link"] for row in rows)), "channel"]
    height = options.height_inches or 0.75 + 0.24 * len(queues)
    with canvas(path, options.width_inches, height, options.title) as made:
        axis = made.subplots()
        handles: dict[str, object] = {}
        for place, queue in enumerate(queues):
            for kind, (colour, words) in KINDS.items():
                spans = [
                    (one.start_ms, one.end_ms - one.start_ms)
                    for one in stretches(rows)
                    if one.kind == kind and queue in (one.queue, "channel")
                ]
                if spans:
                    bars = axis.broken_barh(spans, (place - 0.36, 0.72), facecolors=colour, linewidth=0, label=words)
                    handles.setdefault(kind, bars)
        dress(axis, "time, ms", None, grid="x")
        axis.set_yticks(range(len(queues)), queues)
        axis.set_ylim(len(queues) - 0.5, -0.5)
        axis.set_xlim(rows[0]["start_ms"], last_ms)
        axis.ticklabel_format(axis="x", useOffset=False)
        axis.tick_params(axis="y", length=0)
        legend(made, [handles[kind] for kind in KINDS if kind in handles], options)


def frames(results: ResultTables, runs: set[str]) -> "pl.DataFrame":
    """The recorded frames of these runs: `run`, `link` and the columns of `link_accesses`; no rows without any."""
    return results.stored("link_accesses", runs)


def stretches(rows: Sequence[Mapping[str, Any]]) -> list[Stretch]:
    """Each frame and its answer.

    >>> frame = {"link": "1-up", "start_ms": 2, "end_ms": 3.5, "until_ms": 3.6}
    >>> frame |= {"mpdus": 9, "confirmed": 9, "collided": 0}
    >>> [(one.kind, one.start_ms, one.end_ms) for one in stretches([frame])]
    [('data', 2, 3.5), ('answer', 3.5, 3.6)]
    """
    found = []
    for row in rows:
        queue, end_ms = row["link"], row["end_ms"]
        found.append(Stretch(queue, kind_of(row), row["start_ms"], end_ms))
        if row["until_ms"] > end_ms:
            found.append(Stretch(queue, "answer", end_ms, row["until_ms"]))
    return found


def kind_of(row: Mapping[str, Any]) -> str:
    """The kind of a frame, a key of `KINDS`."""
    if row["collided"] and not row["confirmed"]:
        return "collision"
    if not row["mpdus"]:
        return "other"
    return "data" if row["confirmed"] else "undecoded"
