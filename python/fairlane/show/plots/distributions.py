"""Distributions: boxes for each value of an axis, and cumulative distributions over flows, packets and A-MPDUs."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from fairlane.engine.libraries import np, pl
from fairlane.results.metrics import Metric, find
from fairlane.results.metrics.averaging import notes
from fairlane.results.tables import ResultTables
from fairlane.show.plots.canvas import canvas, dress, legend, word_ticks
from fairlane.show.plots.figure import matplotlib
from fairlane.show.plots.groups import LINE, in_order, lines_of, measured, shown
from fairlane.show.plots.options import Options, PlotError, chosen_axis, label_of, titled

MOST_GROUPS = 4
"""Boxes next to each other; more are hard to distinguish."""


def draw_box(path: Path, results: ResultTables, options: Options) -> None:
    """Median, quartiles, whiskers to 1.5 interquartile ranges, and what lies beyond."""
    metric = options.metric or find("goodput_mbps")
    axis = chosen_axis(options, results, numeric=False)
    per = {"flow": "flow", "link": "link"}.get(metric.of, "run")
    measurements = measured(results, [metric], per, options)
    lines = lines_of(measurements, results, options, [axis.column], flows=per == "flow", most=MOST_GROUPS)
    frame, groups = lines.frame, lines.labels
    said = notes(frame, [axis.column, *lines.kept], results, [metric], per, options.filters, pooled=True)
    places = in_order(frame[axis.column], axis.column, results)
    same = len(groups) == 1
    width = 0.6 if same else 0.8 / len(groups)
    with canvas(path, options.width_inches, options.height_inches or 2.4, titled(options, said)) as made:
        plot = made.subplots()
        handles: list[Any] = []
        for number, group in enumerate(groups):
            style = lines.styles[number]
            part = frame.filter(frame[LINE] == group)
            boxes = [part.filter(part[axis.column] == place)[metric.name].to_list() for place in places]
            shift = 0.0 if same else (number - (len(groups) - 1) / 2) * width
            present = [(at + shift, values) for at, values in enumerate(boxes) if values]
            drawn = plot.boxplot(
                [values for _, values in present],
                positions=[at for at, _ in present],
                widths=width * 0.85,
                patch_artist=True,
                manage_ticks=False,
                medianprops={"color": "black", "linewidth": 1.1},
                boxprops={"linewidth": 0.6},
                whiskerprops={"linewidth": 0.6},
                capprops={"linewidth": 0.6},
                flierprops={
                    "markersize": 2,
                    "marker": style.marker,
                    "markeredgewidth": 0.4,
                    "markeredgecolor": style.colour,
                },
            )
            for box in drawn["boxes"]:
                box.set(facecolor=style.colour, alpha=0.75, hatch=style.hatch)
            handles.append(
                matplotlib("patches").Patch(facecolor=style.colour, alpha=0.75, hatch=style.hatch, label=group)
            )
        labels = [shown(place, axis.column, results, unit=False) for place in places]
        word_ticks(plot, labels, options.width_inches * 0.85)
        plot.set_xlim(-0.6, len(places) - 0.4)
        dress(plot, label_of(axis), metric.axis_label)
        low, high = plot.get_ylim()
        if 0 < low < high / 2:
            plot.set_ylim(bottom=0)
        if not same:
            legend(made, handles, options)


def draw_cdf(path: Path, results: ResultTables, options: Options) -> None:
    """One step for each flow (run, link) and metric."""
    metric = options.metric or find("goodput_mbps")
    per = {"flow": "flow", "link": "link"}.get(metric.of, "run")
    frame = measured(results, [metric], per, options)
    weighted = frame.with_columns(_value=frame[metric.name], _weight=1)
    _draw(path, results, options, weighted, [metric], per, f"{per}s")


def draw_packet_rtt(path: Path, results: ResultTables, options: Options) -> None:
    """Of the RTTs of all packets, from the flows' histograms."""
    flows = results.select("flows", options.filters)
    histograms = results.stored("flow_distribution", set(flows["run"]))
    if not histograms.height:
        raise PlotError("these results have no RTT histograms; run the experiment again with this version")
    # An axis of the sweep may have the histogram's names.
    histograms = histograms.rename({"rtt_ms": "_value", "samples": "_weight"})
    joined = flows.join(histograms, on=["run", "flow"], how="inner")
    _draw(path, results, options, joined, [], "flow", "packets", "packet RTT, ms")


def draw_mpdus(path: Path, results: ResultTables, options: Options) -> None:
    """Of the MPDUs in each PPDU, from the histograms of Wi-Fi queues."""
    links = results.links.filter(pl.col("run").is_in(results.select("flows", options.filters)["run"].implode()))
    histograms = results.stored("link_distribution", set(links["run"]))
    if not histograms.height:
        raise PlotError("these results have no PPDUs: no network of theirs has a Wi-Fi cell")
    histograms = histograms.rename({"link": "name", "mpdus": "_value", "ppdus": "_weight"})
    joined = links.join(histograms, on=["run", "name"], how="inner")
    _draw(path, results, options, joined, [], "link", "PPDUs", "MPDUs per PPDU")


def _draw(
    path: Path,
    results: ResultTables,
    options: Options,
    frame: "pl.DataFrame",
    metrics: Sequence[Metric],
    per: str,
    what: str,
    label: str = "",
) -> None:
    """A line for each thing that `per` names, if there is a weight for each value; `label` says what no metric says."""
    lines = lines_of(frame, results, options, [], flows=per == "flow" or not metrics)
    said = notes(frame, lines.kept, results, metrics, per, options.filters, pooled=True)
    with canvas(path, options.width_inches, options.height_inches or 2.3, titled(options, said)) as made:
        axis = made.subplots()
        handles: list[Any] = []
        for place, name in enumerate(lines.labels):
            part = lines.frame.filter(lines.frame[LINE] == name)
            ordered = part.sort("_value")
            x, weights = ordered["_value"].to_numpy(), ordered["_weight"].to_numpy().astype(float)
            shares = np.cumsum(weights) / weights.sum()
            style = lines.styles[place]
            (line,) = axis.step(
                np.concatenate([x[:1], x]),
                np.concatenate([[0.0], shares]),
                where="post",
                color=style.colour,
                linestyle=style.dashes,
                label=name or f"all {what}",
            )
            handles.append(line)
        dress(axis, metrics[0].axis_label if metrics else label, f"share of {what}", grid="both")
        axis.set_ylim(0, 1.01)
        if options.log_x:
            axis.set_xscale("log")
        legend(made, handles, options)
