"""Runs of a study over time: one picture of all where each has one flow, else a picture for each."""

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fairlane.present.timeline import Line, Queue, draw
from fairlane.study.compare import Comparison

if TYPE_CHECKING:
    import polars as pl

    from fairlane.store.results import Results


def draw_timelines(folder: Path, comparison: Comparison, results: "Results") -> list[Path]:
    """Draws goodput, window, RTT and queue over time of the first repeat of each point; returns the files."""
    item = comparison.item
    flows = results.series("flow", ["mbps", "cwnd_packets", "rtt_ms"], repeat=0)
    links = results.series("link", ["queue_bytes"], repeat=0)
    runs = [row for row in results.runs.filter(results.runs["repeat"] == 0).to_dicts() if item.wants(row)]
    of_run = {row["run"]: flows.filter(flows["run"] == row["run"]) for row in runs}
    alone = all(part["flow"].n_unique() == 1 for part in of_run.values())
    pictures = [("over-time", f"{item.title}: each algorithm alone, simulated", runs)]
    if not alone:
        names = [_name(results, row) for row in runs]
        pictures = [
            (
                "-".join(["over-time", *name]),
                ", ".join([item.title, *filter(None, [" ".join(name)]), "simulated"]),
                [row],
            )
            for name, row in zip(names, runs, strict=True)
        ]
    paths = []
    for name, title, shown in pictures:
        lines, queues = [], []
        for row in shown:
            part, scenario = of_run[row["run"]], json.loads(row["scenario"])
            link = _bottleneck(results, row["run"], scenario)
            queue = links.filter((links["run"] == row["run"]) & (links["name"] == link["name"]))
            lines += _lines(part, alone=alone)
            queues.append(Queue(lines[-1].label if alone else "queue", queue.to_dict(as_series=False)))
        paths.append(folder / f"{name}.png")
        end_s = max((max(line.series["t_s"], default=1.0) for line in lines), default=1.0)
        draw(paths[-1], title, lines, queues, end_s=end_s, **_limits(link, scenario))
    return paths


def _lines(flows: "pl.DataFrame", *, alone: bool) -> list[Line]:
    """A line for each flow, called by its name, or by its algorithm where it is alone."""
    lines = []
    for flow in flows.partition_by("flow", maintain_order=True):
        label = str(flow["algorithm" if alone else "name"][0])
        lines.append(Line(label, label, flow.to_dict(as_series=False)))
    return lines


def _name(results: "Results", row: dict[str, Any]) -> list[str]:
    """The values of the axes, as a part of a file's name; of axes that advance together the first."""
    told: list[list[Any]] = []
    words = []
    for axis in results.axes:
        column = [axis.values.index(value) for value in results.runs[axis.column].to_list()]
        if len(axis.values) > 1 and column not in told:
            told.append(column)
            words.append(re.sub(r"[^\w.]+", "_", axis.labels[axis.values.index(row[axis.column])]))
    return words


def _bottleneck(results: "Results", run: str, scenario: dict[str, Any]) -> dict[str, Any]:
    """The link of that name, or else the one that was used most."""
    links: list[dict[str, Any]] = scenario["links"]
    named = [link for link in links if link["name"] == "bottleneck"]
    if named:
        return named[0]
    used = results.links.filter(results.links["run"] == run)
    busiest = used.sort("utilisation", descending=True, nulls_last=True)["name"][0]
    return next(link for link in links if link["name"] == busiest)


def _limits(link: dict[str, Any], scenario: dict[str, Any]) -> dict[str, Any]:
    """What the bottleneck and its queue can hold."""
    queue = link.get("queue", {})
    frame_bytes = scenario["flows"][0]["mtu"] + link.get("overhead_bytes", 14)
    limit_bytes = queue.get("limit_bytes") or (queue.get("limit_packets") or 0) * frame_bytes or None
    return {"capacity_mbps": link["rate_bps"] / 1e6, "limit_bytes": limit_bytes}
