"""Runs over time, as small as a page needs them.

As many runs as fit have every sample. The others are cut into equal stretches of time with two points each: goodput,
retransmissions and Jain's index as means; windows, RTTs and queues with the smallest and the largest value in their
original order, so that no sawtooth loses its teeth (`packing.py`). All of it is then deflated and written in base64.
"""

import base64
import json
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fairlane.contract.columns import SAMPLES, yielding
from fairlane.plots.figure import COLOURS
from fairlane.plots.looks import look, named_algorithm, places
from fairlane.report.capacity import capacity
from fairlane.report.channels import (
    FAIRNESS,
    GOODPUT,
    MEAN_WINDOW,
    QUEUE,
    RETRANSMISSIONS,
    RTT,
    TITLES,
    WINDOW,
    fairness,
    mean_window,
    per_second,
    sample_s,
)
from fairlane.report.packing import BYTES_PER_POINT, FULL_BYTES_PER_POINT, STRETCHES, packed

if TYPE_CHECKING:
    import polars as pl

    from fairlane.experiment.plan import Axis
    from fairlane.results.tables import ResultTables

MOST_FLOWS = 8
"""With more flows than this, those of one group are drawn together."""
MOST_LINKS = 3


@dataclass(frozen=True)
class Recording:
    """The runs of an experiment that the page can draw."""

    shown: int
    full: int
    """How many of these have every sample."""
    points: int
    """The number of points of the sweep."""
    packed: str
    """The rest as JSON, deflated, in base64."""
    has_groups: bool
    """Whether flows are drawn together somewhere."""
    axes: list[dict[str, Any]]
    """Names and labels."""
    runs: list[dict[str, Any]]
    places: list[dict[str, Any]]
    """The axes of each run, by column."""


def telling(results: "ResultTables") -> "list[Axis]":
    """The axes that tell runs apart; of those that change together the first."""
    plan = results.plans[0]
    found: list[Axis] = []
    places = {run.run: tuple[Any, ...]() for run in plan.runs}
    for axis in plan.axes:
        finer = {run.run: (*places[run.run], run.axes.get(axis.column)) for run in plan.runs}
        if len(set(finer.values())) > len(set(places.values())):
            found.append(axis)
            places = finer
    return found


def recorded(
    results: "ResultTables", most_bytes: float, wanted: Callable[[Mapping[str, Any]], bool] = lambda _axes: False
) -> Recording | None:
    """The first repeat of as many points of the sweep as fit into this number of bytes; None if none does.

    Points that a figure shows come first; of the others, an even selection.
    """
    import polars as pl

    axes = telling(results)
    runs = results.runs.filter(results.runs["repeat"] == results.runs["repeat"].min())
    if not runs.height:
        return None
    flows = results.flows.filter(results.flows["run"].is_in(runs["run"].implode()))
    counts = dict(flows.group_by("run").len().iter_rows())
    groups = dict(flows.group_by("run").agg(pl.col("group").n_unique()).iter_rows())
    weights = [_weight(counts.get(run, 1), groups.get(run, 1)) for run in runs["run"]]
    weights_of = dict(zip(runs["run"], weights, strict=True))
    first = [index for index, row in enumerate(runs.iter_rows(named=True)) if wanted(row)]
    chosen = _evenly(first, weights, most_bytes)
    rest = [index for index in range(runs.height) if index not in set(first)]
    chosen += _evenly(rest, weights, most_bytes - sum(weights[index] for index in chosen))
    if not chosen:
        return None
    rows = [runs.row(index, named=True) for index in sorted(chosen)]
    watched = results.watched
    columns = [GOODPUT, WINDOW, RTT, RETRANSMISSIONS, *watched]
    # Points whose scenarios are equal share a run, whose samples must not be added up.
    samples = results.series("flow", columns, run=[row["run"] for row in rows])
    samples = samples.unique(["run", "flow", "t_s"], maintain_order=True) if samples.height else samples
    if samples.height:
        starts = flows.select("run", "flow", "start_s").unique(["run", "flow"])
        samples = samples.join(starts, on=["run", "flow"], how="left", maintain_order="left")
    series = _by_run(samples)
    queues = results.series("link", [QUEUE], run=[row["run"] for row in rows])
    links = _by_run(queues.unique(["run", "name", "t_s"], maintain_order=True) if queues.height else queues)
    rows = [row for row in rows if row["run"] in series]
    named = [{"name": axis.name, "labels": list(axis.labels)} for axis in axes]
    drawn = [_run(row, axes, series[row["run"]], links.get(row["run"]), watched=watched) for row in rows]
    whole = _whole(rows, {run: _samples(part) for run, part in series.items()}, weights_of, most_bytes)
    page = [
        _run(row, axes, series[row["run"]], links.get(row["run"]), whole[row["run"]], watched)
        if row["run"] in whole
        else run
        for row, run in zip(rows, drawn, strict=True)
    ]
    page = [{name: value for name, value in run.items() if name != MEAN_WINDOW} for run in page]
    used = sorted({place for run in page for place in run["looks"]})
    styles = {place: [COLOURS.index(look(place).colour), list(look(place).dash)] for place in used}
    content = {"axes": named, "titles": {**TITLES, **{name: name for name in watched}}, "styles": styles, "runs": page}
    packed = zlib.compress(json.dumps(content, separators=(",", ":")).encode(), 9)[2:-4]  # without zlib's frame
    together = any(counts.get(row["run"], 1) > MOST_FLOWS for row in rows)
    axes_of = [{axis.column: row.get(axis.column) for axis in results.axes} for row in rows]
    text = base64.b64encode(packed).decode()
    return Recording(len(drawn), len(whole), runs.height, text, together, named, drawn, axes_of)


def _whole(
    rows: Sequence[Mapping[str, Any]], samples: Mapping[str, int], weights: Mapping[str, float], most_bytes: float
) -> dict[str, int]:
    """The runs for which there is room for every sample, with the number of their samples."""
    room = most_bytes - sum(weights[row["run"]] for row in rows)
    found = {}
    for row in rows:
        run, count = row["run"], samples[row["run"]]
        more = weights[run] * (FULL_BYTES_PER_POINT / BYTES_PER_POINT * count / (2 * STRETCHES) - 1)
        if more <= room:
            found[run] = count
            room -= max(0.0, more)
    return found


def _samples(flows: "pl.DataFrame") -> int:
    """The number of sampling intervals of a run."""
    return max(1, round(float(flows["t_s"].max() or 1.0) / sample_s(flows)))  # type: ignore[arg-type]


def _evenly(indices: Sequence[int], weights: Sequence[float], most_bytes: float) -> list[int]:
    """As many of these as fit."""
    if most_bytes <= 0:
        return []
    step = max(1.0, sum(weights[index] for index in indices) / most_bytes)
    return [indices[int(place * step)] for place in range(int(len(indices) / step))]


def _weight(flows: int, groups: int) -> float:
    lines = flows if flows <= MOST_FLOWS else groups
    return (4 * lines + 2) * 2 * STRETCHES * BYTES_PER_POINT


def _by_run(frame: "pl.DataFrame") -> "dict[str, pl.DataFrame]":
    if not frame.height:
        return {}
    return {key[0]: part for key, part in frame.group_by("run", maintain_order=True)}


def _run(
    row: Mapping[str, Any],
    axes: "Sequence[Axis]",
    flows: "pl.DataFrame",
    links: "pl.DataFrame | None",
    samples: int | None = None,
    watched: Sequence[str] = (),
) -> dict[str, Any]:
    """A run; with every one of its `samples`, or reduced. `watched` members are drawn where a line is one flow."""
    end_s = float(flows["t_s"].max() or 1.0)  # type: ignore[arg-type]
    sharing = fairness(flows, end_s / STRETCHES)
    algorithm = _algorithm_column(flows)
    flows, label = _lines(per_second(flows))
    lines = {str(key[0]): part for key, part in flows.group_by(label, maintain_order=True)}
    queues = {} if links is None else _busy(links)

    def points(part: "pl.DataFrame", column: str, *, means: bool = False) -> list[Any]:
        if samples is not None and column != FAIRNESS:
            return packed(part, column, end_s, samples)
        return packed(part, column, end_s, STRETCHES, pairs=True, means=means)

    return {
        "at": [axis.values.index(row[axis.column]) if row.get(axis.column) is not None else -1 for axis in axes],
        "end": end_s,
        "lines": list(lines),
        "queues": list(queues),
        "shares": [TITLES[FAIRNESS]] * len(sharing),
        "looks": places([named_algorithm(str(part[algorithm][0])) for part in lines.values()]),
        "capacity": capacity(row.get("scenario"), end_s, STRETCHES),
        GOODPUT: [points(part, GOODPUT, means=True) for part in lines.values()],
        WINDOW: [points(part, WINDOW) for part in lines.values()],
        MEAN_WINDOW: [points(mean_window(part), MEAN_WINDOW, means=True) for part in lines.values()],
        RTT: [points(part, RTT) for part in lines.values()],
        QUEUE: [points(part, QUEUE) for part in queues.values()],
        RETRANSMISSIONS: [points(part, RETRANSMISSIONS, means=True) for part in lines.values()],
        FAIRNESS: [points(part, FAIRNESS, means=True) for part in sharing],
        **{
            name: [points(part, name) if name in part.columns else [0, []] for part in lines.values()]
            for name in watched
        },
    }


def _algorithm_column(flows: "pl.DataFrame") -> str:
    return "algorithm" if "algorithm" in flows.columns else yielding("algorithm", SAMPLES)


def _lines(flows: "pl.DataFrame") -> "tuple[pl.DataFrame, str]":
    """The samples with a column that says which line they belong to; where flows are many, a line for each group."""
    import polars as pl

    algorithm = _algorithm_column(flows)
    count = flows["flow"].n_unique()
    if count <= MOST_FLOWS:
        named = pl.col("name").fill_null(pl.col(algorithm)) if "name" in flows.columns else pl.col(algorithm)
        words = pl.when(named == pl.col(algorithm)).then(named).otherwise(named + ": " + pl.col(algorithm))
        flows = flows.with_columns(line=words)
        if flows.select("line", "flow").n_unique() > flows["line"].n_unique():
            flows = flows.with_columns(line=pl.col("line") + " (flow " + pl.col("flow").cast(pl.String) + ")")
        return flows, "line"
    each = flows.group_by("group", maintain_order=True).agg(pl.col("flow").n_unique().alias("count"))
    flows = flows.join(each, on="group", how="left", maintain_order="left")
    line = pl.col("count").cast(pl.String) + " × " + pl.col(algorithm) + " (" + pl.col("name").fill_null("") + ")"
    mean = [pl.col(one).mean() for one in (WINDOW, RTT)]
    return flows.with_columns(line=line).group_by(["line", "t_s"], maintain_order=True).agg(
        pl.col(GOODPUT, RETRANSMISSIONS).sum(), *mean, pl.col(algorithm).first()
    ).sort("t_s", maintain_order=True), "line"


def _busy(links: "pl.DataFrame") -> "dict[str, pl.DataFrame]":
    """The links whose queues hold something, the longest queues first."""
    parts = {str(key[0]): part for key, part in links.group_by("name", maintain_order=True)}
    longest = {name: float(part[QUEUE].max() or 0.0) for name, part in parts.items()}  # type: ignore[arg-type]
    names = sorted((name for name in parts if longest[name] > 0), key=lambda name: -longest[name])[:MOST_LINKS]
    return {name: parts[name] for name in names}
