"""Plots over time: flows and queues of one run, and Jain's index of many."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fairlane.engine.libraries import np
from fairlane.results.metrics.bottleneck import FORWARD, with_direction
from fairlane.results.metrics.definitions.fairness import jain_over_time
from fairlane.results.metrics.source import runs
from fairlane.results.metrics.subject import Array, Flow, Link, Run
from fairlane.results.tables import ResultTables
from fairlane.show.plots.absence import filled, sampling_interval_s
from fairlane.show.plots.canvas import canvas, dress, legend
from fairlane.show.plots.capacity import EXPLANATION, capacity, is_above
from fairlane.show.plots.groups import averaged, flow_labels, in_order, labels_of, one_run_each, shown
from fairlane.show.plots.options import Options, PlotError, name_of, titled
from fairlane.show.plots.styles import Style, named_algorithm, styles_of

MOST_NAMED = 8
"""With more flows the legend names groups of like flows."""
MOST_ALIKE = 20
"""More like flows are drawn as their median and a band from the 10th to the 90th percentile."""
BAND_BINS = 120
"""The most points of a band."""


@dataclass(frozen=True)
class Quantity:
    """Something that changes over time."""

    of: type[Flow] | type[Link]
    column: str
    label: str
    scale: float = 1.0
    mean: bool = False
    """A value of the sampling interval, which may be averaged over longer ones; others are instantaneous."""
    per_second: bool = False
    """A count of the interval."""


QUANTITIES = {
    "goodput": Quantity(Flow, "mbps", "goodput, Mbps", mean=True),
    "throughput": Quantity(Flow, "throughput_mbps", "throughput, Mbps", mean=True),
    "sending-rate": Quantity(Flow, "sending_rate_mbps", "sending rate, Mbps", mean=True),
    "cwnd": Quantity(Flow, "cwnd_packets", "cwnd, packets"),
    "inflight": Quantity(Flow, "inflight_packets", "in flight, packets"),
    "pacing": Quantity(Flow, "pacing_mbps", "pacing rate, Mbps"),
    "rtt": Quantity(Flow, "rtt_ms", "smoothed RTT, ms"),
    "packet-rtt": Quantity(Flow, "packet_rtt_ms", "packet RTT, ms"),
    "retransmits": Quantity(Flow, "retransmits", "retransmissions, 1/s", mean=True, per_second=True),
    "queue": Quantity(Link, "queue_bytes", "queue, kB", 1e-3),
    "queue-delay": Quantity(Link, "queue_delay_ms", "queuing delay, ms"),
    "drops": Quantity(Link, "dropped_packets", "drops, packets/s", mean=True, per_second=True),
    "marks": Quantity(Link, "marked_packets", "marks, packets/s", mean=True, per_second=True),
}
OVERVIEW = ("goodput", "cwnd", "rtt", "queue")


def draw(path: Path, results: ResultTables, options: Options, kind: str) -> None:
    """A panel for each quantity of this kind, one below the other; or, of a single one, for each value of an axis."""
    panels = options.panels
    quantities = {"overview": OVERVIEW, "watched": results.watched}.get(kind, (kind,))
    if not quantities:
        raise PlotError('no members were watched; write metrics.watch = ["snd_ssthresh"] and run the experiment')
    chosen = one_run_each(results, options, panels)
    if panels and len(quantities) > 1:
        raise PlotError("an overview has panels already; leave --panels out, or draw one quantity")
    cells = [(quantity, run) for quantity in quantities for run in chosen]
    # Samples at the very end of flows that stop at different times make no difference to the axis.
    end_s = options.until_s or max((_end_s(run) for run in chosen), default=1.0)
    height = options.height_inches or 0.55 + (1.75 if len(cells) == 1 else 1.15) * len(cells)
    with canvas(path, options.width_inches, height, options.title) as made:
        axes = made.subplots(len(cells), 1, sharex=True, squeeze=False)[:, 0]
        handles: dict[str, object] = {}
        for axis, (name, run) in zip(axes, cells, strict=True):
            quantity = _quantity(name)
            if quantity.of is Flow:
                _draw_flows(axis, run.flows, labels_of(run.flows, results), quantity, options, end_s, handles)
                if name == "goodput" and _exceeds_capacity(run, results, options, end_s):
                    axis.set_title(EXPLANATION, loc="right", pad=2, fontsize="small")
            else:
                _draw_queue(axis, run, quantity, options, end_s)
            dress(axis, None, None if panels else quantity.label)
            if not axis.dataLim.ymin < 0:  # a band has a margin below it
                axis.set_ylim(bottom=0)
            if panels:
                axis.set_title(
                    f"{name_of(panels)} {shown(run[panels.column], panels.column, results)}", loc="left", pad=2
                )
        axes[-1].set_xlim(0, end_s)
        axes[-1].set_xlabel("time, s")
        made.align_ylabels()
        if panels:
            made.supylabel(_quantity(quantities[0]).label, fontsize=8)
        legend(made, list(handles.values()), options, least=1 if len(run.flows) > MOST_NAMED else 2)


def _quantity(name: str) -> Quantity:
    """The quantity; other names are those of watched members."""
    return QUANTITIES.get(name) or Quantity(Flow, name, name)


def _draw_flows(
    axis: Any,
    flows: Sequence[Flow],
    names: list[str],
    quantity: Quantity,
    options: Options,
    end_s: float,
    handles: dict[str, object],
) -> None:
    many = len(flows) > MOST_NAMED
    labels = names if many else flow_labels(names)
    algorithms = {label: str(flow["algorithm"]) for flow, label in zip(flows, labels, strict=True)}
    for label, style in zip(algorithms, styles_of(list(algorithms.values())), strict=True):
        alike = [
            sampled(flow, quantity, options, end_s) for flow, name in zip(flows, labels, strict=True) if name == label
        ]
        if quantity.column == "rtt_ms":  # results of older versions have 0 before the first measurement
            alike = [(times_s, np.where(values > 0, values, np.nan)) for times_s, values in alike]
        handles.setdefault(label, draw_alike(axis, alike, label, style, end_s, linewidth=0.6 if many else 1.0))


def label_alike(label: str, count: int) -> str:
    """The entry of a legend for this number of like flows."""
    if count > MOST_ALIKE:
        return f"{label} ({count:,} flows): median, p10 to p90"
    return f"{label} ({count} flows)" if count > 1 else label


def draw_alike(
    axis: Any, series: Sequence[tuple[Array, Array]], label: str, style: Style, end_s: float, **look: Any
) -> Any:
    """Draws times and values of like flows, each as a line, or many as a median and a band; returns a line."""
    look |= {"color": style.colour, "linestyle": style.dashes, "label": label_alike(label, len(series))}
    if len(series) <= MOST_ALIKE:
        lines = [axis.plot(*one, **look)[0] for one in series]
        return lines[0]
    times_s, values = (np.concatenate(part) for part in zip(*series, strict=True))
    known = np.isfinite(values)
    count = min(BAND_BINS, max(len(one) for one, _ in series))  # not more than there are samples
    # A sample covers the interval before it.
    bins = np.clip(np.ceil(times_s[known] / end_s * count - 1e-6).astype(int) - 1, 0, count - 1)
    order = np.argsort(bins, kind="stable")
    parts = np.split(values[known][order], np.searchsorted(bins[order], np.arange(1, count)))
    low, middle, high = np.array([np.percentile(part, (10, 50, 90)) if len(part) else [np.nan] * 3 for part in parts]).T
    middles_s = (np.arange(count) + 0.5) * end_s / count
    axis.fill_between(middles_s, low, high, color=style.colour, alpha=0.2, linewidth=0)
    return axis.plot(middles_s, middle, **(look | {"linewidth": 1.0}))[0]


def _exceeds_capacity(run: Run, results: ResultTables, options: Options, end_s: float) -> bool:
    """Whether a goodput is drawn above the rate of the bottleneck in its direction."""
    if len(run.flows) > MOST_ALIKE:
        return False
    scenario = results.scenarios({run["run"]}).get(run["run"])
    if scenario is None:
        return False
    flows, known = json.loads(scenario)["flows"], dict[str, Any]()
    for flow in run.flows:
        for link in flows[flow["flow"]]["forward"]:
            if link not in known:
                known[link] = capacity(scenario, end_s, BAND_BINS, link)
            if is_above(*sampled(flow, QUANTITIES["goodput"], options, end_s), known[link]):
                return True
    return False


def _draw_queue(axis: Any, run: Run, quantity: Quantity, options: Options, end_s: float) -> None:
    if run.bottleneck is None:
        raise PlotError("no link of this run has a rate, so there is no queue to draw")
    times_s, values = sampled(run.bottleneck, quantity, options, end_s)
    axis.plot(times_s, values, color="0.25", linewidth=0.8)
    if run.bottleneck["name"] != FORWARD:
        name = with_direction(str(run.bottleneck["name"]))
        axis.text(0.01, 0.97, name, transform=axis.transAxes, fontsize="small", va="top", color="0.25")


def sampled(subject: Flow | Link, quantity: Quantity, options: Options, end_s: float) -> tuple[Array, Array]:
    """Times and values, averaged over bins where the quantity is one of intervals."""
    times_s, values = subject.series("t_s"), subject.series(quantity.column) * quantity.scale
    if len(times_s) < 2:
        return times_s, values
    interval_s = sampling_interval_s(times_s)
    times_s, values = filled(times_s, values, is_rate=quantity.mean)
    if quantity.per_second:
        values = values / interval_s
    bin_s = options.bin_s or (end_s / 120 if quantity.mean else 0.0)
    size = max(1, round(bin_s / interval_s)) if quantity.mean or options.bin_s else 1
    if size == 1:
        return times_s, values
    count = len(values) // size
    with np.errstate(invalid="ignore"):
        means = np.nanmean(values[: count * size].reshape(count, size), axis=1)
    return times_s[: count * size].reshape(count, size).mean(axis=1), means


def _end_s(run: Run) -> float:
    ends = [float(times_s[-1]) for flow in run.flows if len(times_s := flow.series("t_s"))]
    return max(ends, default=1.0)


MOST_LINES = 8


def draw_jain(path: Path, results: ResultTables, options: Options) -> None:
    """A line for each value of the axis `lines`: the mean over its runs, and a band from the lowest to the highest."""
    column = options.lines or next((axis.column for axis in results.axes if len(axis.values) > 1), None)
    axis_of = {axis.column: axis for axis in results.axes} | {axis.name: axis for axis in results.axes}
    column = axis_of[column].column if column in axis_of else column
    found: dict[Any, list[Array]] = {}
    drawn: dict[Any, list[Run]] = {}
    bin_s = options.bin_s or 1.0
    for run in runs(results, options.filters):
        if len(run.flows) > 1:
            line = run.get(column) if column else None
            found.setdefault(line, []).append(jain_over_time(run.flows, bin_s)[1])
            drawn.setdefault(line, []).append(run)
    if not found:
        raise PlotError("no run has two flows, so there is nothing to share")
    if len(found) > MOST_LINES:
        raise PlotError(f"{len(found)} lines are too many; choose with --where, or another axis with --lines")
    said = averaged(results, drawn.values())
    with canvas(path, options.width_inches, options.height_inches or 2.2, titled(options, said)) as made:
        plot = made.subplots()
        handles: list[Any] = []
        end_s = 0.0
        values = in_order(found, column, results)
        styles = styles_of([named_algorithm(str(value)) for value in values])
        for value, style in zip(values, styles, strict=True):
            count = max(map(len, found[value]))
            rows = np.array([np.pad(row, (0, count - len(row)), constant_values=np.nan) for row in found[value]])
            kept = np.isfinite(rows).any(axis=0)
            times_s = (np.arange(count)[kept] + 0.5) * bin_s
            rows = rows[:, kept]
            name = "all runs" if value is None or column is None else shown(value, column, results)
            (line,) = plot.plot(
                times_s, np.nanmean(rows, axis=0), color=style.colour, linestyle=style.dashes, label=name
            )
            if len(rows) > 1:
                low, high = np.nanmin(rows, axis=0), np.nanmax(rows, axis=0)
                plot.fill_between(times_s, low, high, color=style.colour, alpha=0.13, linewidth=0)
            handles.append(line)
            end_s = max(end_s, count * bin_s)
        dress(plot, "time, s", f"Jain's index, bins of {bin_s:g} s")
        plot.set_xlim(0, options.until_s or end_s)
        plot.set_ylim(top=1.02)
        legend(made, handles, options)
