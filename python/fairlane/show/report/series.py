"""Runs over time, as small as a page needs them.

As many runs as fit have every sample. The others are cut into equal stretches of time with two points each: goodput,
retransmissions and Jain's index as means; windows, RTTs and queues with the smallest and the largest value in their
original order, so that no sawtooth loses its teeth (`channels.py`). All of it is then deflated and written in base64.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from fairlane.engine.declarations import sample_columns, yielding
from fairlane.engine.libraries import np, pl
from fairlane.results.metrics.bottleneck import bottlenecks
from fairlane.results.tables import ResultTables
from fairlane.scenario.plan import Axis
from fairlane.show.plots.capacity import capacity
from fairlane.show.plots.figure import COLOURS
from fairlane.show.plots.groups import flow_names
from fairlane.show.plots.styles import named_algorithm, places, style_of
from fairlane.show.report.channels import (
    BYTES_PER_POINT,
    FAIRNESS,
    FULL_BYTES_PER_POINT,
    GOODPUT,
    MEAN_WINDOW,
    QUEUE,
    RETRANSMISSIONS,
    RTT,
    STRETCHES,
    TITLES,
    WINDOW,
    Packed,
    each_flow,
    fairness,
    mean_window,
    packed,
    per_second,
    sample_s,
)
from fairlane.show.report.html import deflated

MOST_FLOWS = 8
"""With more flows than this, those of one group are drawn together."""
MOST_LINKS = 3
_OWN = ("run", "flow", "group", "name", "algorithm", "start_s")
"""Columns of a flow that the page needs."""
RUNS_AT_ONCE = 8
"""The samples of this many runs are in memory together: 500 flows have 100,000 and more."""


@dataclass(frozen=True)
class RecordedRun:
    """A run over time."""

    at: list[int]
    """Its place on each axis."""
    end: float
    lines: list[str]
    """The name of each line of flows."""
    queues: list[str]
    shares: list[str]
    """The names of lines of queues, and of lines of Jain's index."""
    styles: list[int]
    """The number of the style of each line of flows."""
    capacity: list[list[float]]
    series: dict[str, list[Packed]]
    """The lines of each channel."""


@dataclass(frozen=True)
class Recording:
    """The runs of an experiment that the page can draw."""

    shown: int
    full: int
    """The number of these that have every sample."""
    points: int
    """The number of points of the sweep."""
    packed: str
    """The rest as JSON, deflated, in base64."""
    has_groups: bool
    """Whether flows are drawn together somewhere."""
    axes: Sequence[Mapping[str, Any]]
    """Names and labels."""
    runs: Sequence[RecordedRun]
    places: Sequence[Mapping[str, object]]
    """The axes of each run, by column."""


def telling(results: ResultTables) -> list[Axis]:
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
    results: ResultTables, most_bytes: float, wanted: Callable[[Mapping[str, Any]], bool] = lambda _axes: False
) -> Recording | None:
    """The first repeat of as many points of the sweep as fit into this number of bytes; None if none does.

    Points that a figure shows come first; of the others, an even selection.
    """
    axes = telling(results)
    runs = results.runs.filter(results.runs["repeat"] == results.runs["repeat"].min())
    if not runs.height:
        return None
    own = [name for name in _OWN if name in results.flow_columns.columns]
    flows = results.flow_columns.select(own).filter(pl.col("run").is_in(runs["run"].implode()))
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
    keys = list(dict.fromkeys(row["run"] for row in rows))
    drawn_of: dict[str, RecordedRun] = {}
    samples: dict[str, int] = {}
    read = _Samples(results, flows, watched)
    for one in read.of(keys):
        samples[one.run] = _samples(one.flows)
        drawn_of[one.run] = _run(one, watched=watched)
    rows = [row for row in rows if row["run"] in drawn_of]
    named = [{"name": axis.name, "labels": list(axis.labels)} for axis in axes]
    drawn = [replace(drawn_of[row["run"]], at=indices(row, axes)) for row in rows]
    whole = _whole(rows, samples, weights_of, most_bytes)
    page_of = drawn_of | {
        one.run: _run(one, samples[one.run], watched) for one in read.of([run for run in keys if run in whole])
    }
    page = [_for_page(page_of[row["run"]], indices(row, axes)) for row in rows]
    used = sorted({place for run in page_of.values() for place in run.styles})
    styles = {place: [COLOURS.index(style_of(place).colour), list(style_of(place).dash)] for place in used}
    content = {"axes": named, "titles": {**TITLES, **{name: name for name in watched}}, "styles": styles, "runs": page}
    together = any(counts.get(row["run"], 1) > MOST_FLOWS for row in rows)
    axes_of = [{axis.column: row.get(axis.column) for axis in results.axes} for row in rows]
    return Recording(len(drawn), len(whole), runs.height, deflated(content), together, named, drawn, axes_of)


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


@dataclass(frozen=True)
class _Sampled:
    run: str
    flows: "pl.DataFrame"
    links: "pl.DataFrame | None"
    scenario: str | None
    bottleneck: str | None
    """The name of the busiest link."""


class _Samples:
    """The samples of runs, some runs at a time."""

    def __init__(self, results: ResultTables, flows: "pl.DataFrame", watched: Sequence[str]) -> None:
        self._results, self._columns = results, ["run", "flow", "t_s", GOODPUT, WINDOW, RTT, RETRANSMISSIONS, *watched]
        # Points whose scenarios are equal share a run, whose samples must not be added up.
        self._flows = flows.unique(["run", "flow"], keep="first", maintain_order=True)
        self._last: tuple[list[str], list[_Sampled]] = ([], [])
        self._bottlenecks = bottlenecks(results)

    def of(self, runs: Sequence[str]) -> Iterator[_Sampled]:
        """The samples of each of these runs that has any, in the order of storage."""
        places = self._results.places
        stored = sorted(runs, key=lambda run: (places.get(run, 0), run))
        for first in range(0, len(stored), RUNS_AT_ONCE):
            some = stored[first : first + RUNS_AT_ONCE]
            if self._last[0] != some:
                self._last = [], []
                self._last = some, self._read(set(some))
            yield from self._last[1]

    def _read(self, runs: set[str]) -> list[_Sampled]:
        samples = self._results.stored("flow_series", runs, self._columns)
        if not samples.height:
            return []
        chosen = self._flows.filter(self._flows["run"].is_in(list(runs)))
        samples = chosen.join(samples, on=["run", "flow"], how="inner", maintain_order="left_right")
        queues = self._results.stored("link_series", runs, ["run", "link", "t_s", QUEUE])
        links = _by_run(queues.rename({"link": "name"}, strict=False))
        scenarios = self._results.scenarios(runs)
        return [
            _Sampled(run, part, links.get(run), scenarios.get(run), self._bottlenecks.get(run))
            for run, part in _by_run(samples).items()
        ]


def _by_run(frame: "pl.DataFrame") -> "dict[str, pl.DataFrame]":
    if not frame.height:
        return {}
    spans = frame["run"].rle().struct.unnest()
    if spans["value"].n_unique() < spans.height:
        return {key[0]: part for key, part in frame.group_by("run", maintain_order=True)}
    begins = spans["len"].cum_sum() - spans["len"]  # rows that follow one another need not be copied
    return {
        run: frame.slice(begin, rows) for run, begin, rows in zip(spans["value"], begins, spans["len"], strict=True)
    }


def indices(row: Mapping[str, Any], axes: Sequence[Axis]) -> list[int]:
    """The place of a run on each axis; -1 where it has none."""
    return [axis.values.index(row[axis.column]) if row.get(axis.column) is not None else -1 for axis in axes]


def _run(run: _Sampled, samples: int | None = None, watched: Sequence[str] = ()) -> RecordedRun:
    """A run; with every one of its `samples`, or reduced. `watched` members are drawn where a line is one flow."""
    flows = run.flows
    end_s = float(flows["t_s"].max() or 1.0)  # type: ignore[arg-type]
    sharing = fairness(flows, end_s / STRETCHES)
    algorithm = _algorithm_column(flows)
    flows, label = _lines(per_second(flows))
    lines = {str(key[0]): part for key, part in flows.group_by(label, maintain_order=True)}
    queues = {} if run.links is None else _busy(run.links)

    def points(part: "pl.DataFrame", column: str, *, means: bool = False) -> Packed:
        if samples is not None and column != FAIRNESS:
            return packed(part, column, end_s, samples)
        return packed(part, column, end_s, STRETCHES, pairs=True, means=means)

    return RecordedRun(
        at=[],
        end=end_s,
        lines=list(lines),
        queues=list(queues),
        shares=[TITLES[FAIRNESS]] * len(sharing),
        styles=places([named_algorithm(str(part[algorithm][0])) for part in lines.values()]),
        capacity=capacity(run.scenario, end_s, STRETCHES, run.bottleneck),
        series={
            GOODPUT: [points(part, GOODPUT, means=True) for part in lines.values()],
            WINDOW: [points(part, WINDOW) for part in lines.values()],
            MEAN_WINDOW: [points(mean_window(part), MEAN_WINDOW, means=True) for part in lines.values()],
            RTT: [points(part, RTT) for part in lines.values()],
            QUEUE: [points(part, QUEUE) for part in queues.values()],
            RETRANSMISSIONS: [points(part, RETRANSMISSIONS, means=True) for part in lines.values()],
            FAIRNESS: [points(part, FAIRNESS, means=True) for part in sharing],
            **{
                name: [points(part, name) if name in part.columns else (0.0, []) for part in lines.values()]
                for name in watched
            },
        },
    )


def _for_page(run: RecordedRun, at: list[int]) -> Mapping[str, object]:
    """A run at a point of the sweep, with the channels that the page draws."""
    series = {name: lines for name, lines in run.series.items() if name != MEAN_WINDOW}
    return {**vars(run), "at": at, "series": series}


def _algorithm_column(flows: "pl.DataFrame") -> str:
    return "algorithm" if "algorithm" in flows.columns else yielding("algorithm", sample_columns())


def _lines(flows: "pl.DataFrame") -> "tuple[pl.DataFrame, str]":
    """The samples with a column that says which line they belong to; where flows are many, a line for each group."""
    algorithm = _algorithm_column(flows)
    if len(each_flow(flows)) <= MOST_FLOWS:
        heads = flows[[rows.start for rows in each_flow(flows)]]
        names: list[str | None] = heads["name"].to_list() if "name" in heads.columns else [None] * heads.height
        labels = flow_names(list(zip(names, heads[algorithm], strict=True)))
        of_flows = dict(zip(heads["flow"], labels, strict=True))
        flows = flows.with_columns(line=pl.col("flow").replace_strict(of_flows, return_dtype=pl.String))
        if flows.select("line", "flow").n_unique() > flows["line"].n_unique():
            flows = flows.with_columns(line=pl.col("line") + " (flow " + pl.col("flow").cast(pl.String) + ")")
        return flows, "line"
    spans = each_flow(flows)
    heads = flows[[rows.start for rows in spans]].select("group", "name", algorithm)
    counts = Counter(heads["group"])
    names = [
        f"{counts[group]} × {one} ({name or ''})" if one is not None else None for group, name, one in heads.iter_rows()
    ]
    # Numbers instead of names, and an algorithm for each line: text would take most of the time.
    numbers = {name: number for number, name in enumerate(dict.fromkeys(names))}
    algorithms = dict(zip(names, heads[algorithm], strict=True))
    line = np.repeat([numbers[name] for name in names], [rows.stop - rows.start for rows in spans])
    mean = [pl.col(one).mean() for one in (WINDOW, RTT)]
    grouped = flows.select(pl.Series("line", line), "t_s", GOODPUT, RETRANSMISSIONS, WINDOW, RTT)
    summed = grouped.group_by(["line", "t_s"], maintain_order=True).agg(pl.col(GOODPUT, RETRANSMISSIONS).sum(), *mean)
    places = summed["line"]
    texts = pl.Series("line", list(numbers), dtype=pl.String)
    own = pl.Series(algorithm, [algorithms[name] for name in numbers], dtype=pl.String)
    return summed.with_columns(texts[places], own[places]).sort("t_s", maintain_order=True), "line"


def _busy(links: "pl.DataFrame") -> "dict[str, pl.DataFrame]":
    """The links whose queues hold something, the longest queues first."""
    parts = {str(key[0]): part for key, part in links.group_by("name", maintain_order=True)}
    longest = {name: float(part[QUEUE].max() or 0.0) for name, part in parts.items()}  # type: ignore[arg-type]
    names = sorted((name for name in parts if longest[name] > 0), key=lambda name: -longest[name])[:MOST_LINKS]
    return {name: parts[name] for name in names}
