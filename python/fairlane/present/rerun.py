"""How a rerun experiment looks: ours beside the paper's, as a table, as files and as plots."""

import csv
import textwrap
from pathlib import Path
from typing import Any

from fairlane.present.figure import COLOURS, figure
from fairlane.present.table import LEFT, RIGHT, number, text_table
from fairlane.present.timeline import Line, Queue, draw
from fairlane.study.metrics import METRICS
from fairlane.study.rerun import Comparison, Rerun

REFERENCE = "goodput_mbps"
"""The figure that `of best` relates."""


def rerun_text(rerun: Rerun, width: int) -> str:
    """Table and remarks."""
    experiment = rerun.experiment
    head = f"{experiment.paper}\n{experiment.place}: {experiment.title}, ours beside the paper's"
    remarks = []
    if rerun.left_out:
        remarks.append(f"Not run, because Fairlane does not have them yet: {', '.join(rerun.left_out)}.")
    remarks += [f"Differs, {name}: {text}" for name, text in experiment.differences.items()]
    file = f"studies/{experiment.study}/{experiment.name}.toml"
    assumed = ", ".join(experiment.assumptions)
    remarks.append(f"Assumed, because the paper does not say: {assumed}. Values and reasons: {file}")
    return "\n\n".join(
        [head, _table(rerun), *(textwrap.fill(remark, width, subsequent_indent="  ") for remark in remarks)]
    )


def write_table(path: Path, rerun: Rerun) -> None:
    """Writes one row per algorithm and metric: ours, the paper's, and their ratio."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["algorithm", "metric", "ours", "paper", "ours_by_paper"])
        for one in rerun.comparisons:
            for metric, ours in one.ours.items():
                paper = one.paper.get(metric)
                writer.writerow([one.algorithm, metric, f"{ours:.6g}", paper, f"{ours / paper:.4g}" if paper else ""])


def draw_timeline(path: Path, rerun: Rerun) -> None:
    """Draws window, RTT and so on over time; each algorithm had the link for itself."""
    network = next(iter(rerun.experiment.networks.values()))
    draw(
        path,
        f"{rerun.experiment.title}: each algorithm alone, simulated",
        [Line(one.algorithm, one.algorithm, one.result["series"]["flows"][0]) for one in rerun.comparisons],
        [Queue(one.algorithm, one.result["series"]["links"][0]) for one in rerun.comparisons],
        end_s=network.duration_ns / 1e9,
        capacity_mbps=network.rate_bps / 1e6,
        limit_bytes=network.buffer_bytes,
    )


def draw_bars(path: Path, rerun: Rerun) -> None:
    """Draws a pair of bars for each metric and algorithm: ours and the paper's."""
    metrics = rerun.experiment.metrics
    with figure(path, 7.0, 4.6) as canvas:
        axes = canvas.subplots(2, -(-len(metrics) // 2)).flat
        for axis, metric in zip(axes, metrics, strict=False):
            _draw_metric(axis, metric, rerun.comparisons)
        canvas.suptitle(f"{rerun.experiment.place} of {rerun.experiment.paper}")
        handles, labels = axes[0].get_legend_handles_labels()
        canvas.legend(handles, labels, loc="outside lower center", ncols=2, frameon=False)


def _draw_metric(axis: Any, metric: str, comparisons: list[Comparison]) -> None:
    places = range(len(comparisons))
    ours = [one.ours[metric] for one in comparisons]
    paper = [one.paper[metric] or 0.0 for one in comparisons]
    for shift, values, colour, label in ((-0.2, ours, COLOURS[0], "Fairlane"), (0.2, paper, COLOURS[4], "paper")):
        bars = axis.bar([place + shift for place in places], values, 0.38, color=colour, label=label)
        axis.bar_label(
            bars, [f"{value:.0f}" if value >= 100 else f"{value:.3g}" for value in values], fontsize=6, padding=1
        )
    axis.set_title(METRICS[metric].name)
    axis.set_xticks(list(places), [one.algorithm for one in comparisons])
    axis.margins(y=0.15)


def _table(rerun: Rerun) -> str:
    metrics = rerun.experiment.metrics
    columns = [
        ("", LEFT),
        ("", LEFT),
        *((METRICS[metric].heading, RIGHT) for metric in metrics),
        ("of best\n%", RIGHT),
        ("retrans-\nmits", RIGHT),
    ]
    rows = []
    best_ours = max((one.ours[REFERENCE] for one in rerun.comparisons), default=0)
    best_paper = max((one.paper[REFERENCE] or 0 for one in rerun.comparisons), default=0)
    for one in rerun.comparisons:
        rows += [
            [
                one.algorithm,
                "ours",
                *(number(one.ours[m], METRICS[m].digits) for m in metrics),
                _share(one.ours[REFERENCE], best_ours),
                number(one.ours["retransmits"], 0),
            ],
            [
                "",
                "paper",
                *(number(one.paper[m], METRICS[m].digits) for m in metrics),
                _share(one.paper[REFERENCE], best_paper),
                "-",
            ],
            ["", "ratio", *(_ratio(one, m) for m in metrics), "", ""],
        ]
    return text_table(columns, rows)


def _share(value: float | None, best: float) -> str:
    return number(100 * value / best, 1) if value and best else "-"


def _ratio(one: Comparison, metric: str) -> str:
    paper = one.paper[metric]
    return number(one.ours[metric] / paper, 2) if paper else "-"
