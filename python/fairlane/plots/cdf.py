"""Cumulative distributions: of a metric over flows and runs, or of the RTTs of all packets."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from fairlane.metrics import Metric, find
from fairlane.metrics.averaging import notes
from fairlane.plots.canvas import canvas, dress, legend
from fairlane.plots.groups import LINE, lines_of, measured
from fairlane.plots.options import Options, PlotError, titled

if TYPE_CHECKING:
    import polars as pl

    from fairlane.results.tables import ResultTables


def draw(path: Path, results: "ResultTables", options: Options) -> None:
    """One step for each flow (run, link) and metric."""
    metric = options.metric or find("goodput_mbps")
    per = {"flow": "flow", "link": "link"}.get(metric.of, "run")
    frame = measured(results, [metric], per, options)
    weighted = frame.with_columns(_value=frame[metric.name], _weight=1)
    _draw(path, results, options, weighted, [metric], per, f"{per}s")


def draw_packet_rtt(path: Path, results: "ResultTables", options: Options) -> None:
    """Of the RTTs of all packets, from the flows' histograms."""
    flows = results.select("flows", options.filters)
    histograms = results.stored("flow_distribution", set(flows["run"]))
    if not histograms.height:
        raise PlotError("these results have no RTT histograms; run the experiment again with this version")
    # An axis of the sweep may have the histogram's names.
    histograms = histograms.rename({"rtt_ms": "_value", "samples": "_weight"})
    joined = flows.join(histograms, on=["run", "flow"], how="inner")
    _draw(path, results, options, joined, [], "flow", "packets")


def _draw(
    path: Path,
    results: "ResultTables",
    options: Options,
    frame: "pl.DataFrame",
    metrics: Sequence[Metric],
    per: str,
    what: str,
) -> None:
    lines = lines_of(frame, results, options, [], flows=per == "flow")
    said = notes(frame, lines.kept, results, metrics, per, options.filters, pooled=True)
    label = metrics[0].axis_label if metrics else "packet RTT, ms"
    with canvas(path, options.width_inches, options.height_inches or 2.3, titled(options, said)) as made:
        axis = made.subplots()
        handles: list[Any] = []
        for place, name in enumerate(lines.labels):
            part = lines.frame.filter(lines.frame[LINE] == name)
            ordered = part.sort("_value")
            x, weights = ordered["_value"].to_numpy(), ordered["_weight"].to_numpy().astype(float)
            shares = np.cumsum(weights) / weights.sum()
            style = lines.looks[place]
            (line,) = axis.step(
                np.concatenate([x[:1], x]),
                np.concatenate([[0.0], shares]),
                where="post",
                color=style.colour,
                linestyle=style.dashes,
                label=name or f"all {what}",
            )
            handles.append(line)
        dress(axis, label, f"share of {what}", grid="both")
        axis.set_ylim(0, 1.01)
        if options.log_x:
            axis.set_xscale("log")
        legend(made, handles, options)
