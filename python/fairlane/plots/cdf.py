"""Cumulative distributions: of a metric over flows and runs, or of the RTTs of all packets."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from fairlane.metrics import find
from fairlane.plots.canvas import canvas, dress, legend, look
from fairlane.plots.groups import in_order, line_column, measured, shown
from fairlane.plots.options import Options, PlotError

if TYPE_CHECKING:
    import polars as pl

    from fairlane.results.tables import ResultTables


def draw(path: Path, results: "ResultTables", options: Options) -> None:
    """One step for each flow (run, link) and metric."""
    metric = options.metric or find("goodput_mbps")
    frame = measured(results, [metric], {"flow": "flow", "link": "link"}.get(metric.of, "run"), options)
    weighted = frame.with_columns(_value=frame[metric.name], _weight=1)
    _draw(
        path, results, options, weighted, metric.axis_label, {"flow": "flows", "link": "links"}.get(metric.of, "runs")
    )


def draw_packet_rtt(path: Path, results: "ResultTables", options: Options) -> None:
    """Of the RTTs of all packets, from the flows' histograms."""
    flows = results.select("flows", options.filters)
    histograms = results.stored("flow_distribution", set(flows["run"]))
    if not histograms.height:
        raise PlotError("these results have no RTT histograms; run the experiment again with this version")
    # An axis of the sweep may have the histogram's names.
    histograms = histograms.rename({"rtt_ms": "_value", "samples": "_weight"})
    joined = flows.join(histograms, on=["run", "flow"], how="inner")
    _draw(path, results, options, joined, "packet RTT, ms", "packets")


def _draw(path: Path, results: "ResultTables", options: Options, frame: "pl.DataFrame", label: str, what: str) -> None:
    column = line_column(frame, options)
    values = in_order(frame[column], column, results) if column != "run" else [None]
    with canvas(path, options.width_inches, options.height_inches or 2.3, options.title) as made:
        axis = made.subplots()
        handles: list[Any] = []
        for place, value in enumerate(values):
            part = frame if value is None else frame.filter(frame[column] == value)
            ordered = part.sort("_value")
            x, weights = ordered["_value"].to_numpy(), ordered["_weight"].to_numpy().astype(float)
            shares = np.cumsum(weights) / weights.sum()
            style = look(place)
            name = f"all {what}" if value is None else shown(value, column, results)
            (line,) = axis.step(
                np.concatenate([x[:1], x]),
                np.concatenate([[0.0], shares]),
                where="post",
                color=style.colour,
                linestyle=style.dashes,
                label=name,
            )
            handles.append(line)
        dress(axis, label, f"share of {what}", grid="both")
        axis.set_ylim(0, 1.01)
        if options.log_x:
            axis.set_xscale("log")
        legend(made, handles, options)
