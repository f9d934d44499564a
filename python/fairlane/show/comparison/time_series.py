"""Time series of a table or figure, for files: single-flow runs share one plot, other runs get one each."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from fairlane.engine.types import Scenario
from fairlane.results.metrics.source import runs
from fairlane.results.metrics.subject import Run
from fairlane.results.tables import ResultTables
from fairlane.scenario.stations import limit_bytes, stations
from fairlane.show.plots.capacity import sustained_bps
from fairlane.show.plots.groups import flow_names
from fairlane.show.plots.run_timeline import Line, draw
from fairlane.study.paper.comparison import Comparison
from fairlane.study.paper.definition import Item


def draw_timelines(
    folder: Path,
    comparison: Comparison,
    results: Mapping[str, ResultTables],
    *,
    prefix: str = "",
    suffix: str = ".png",
) -> Iterator[Path]:
    """Draws the first repeat of each point, of each experiment that the item needs; names the files one by one."""
    item = comparison.item
    several = len(comparison.experiments) > 1
    for experiment in comparison.experiments:
        chosen = [run for run in runs(results[experiment], {"repeat": 0}) if item.wants(run.figures)]
        alone = all(len(run.flows) == 1 for run in chosen)
        of_whom = [experiment] if several else []
        if alone and chosen:
            title = ", ".join([item.title, *of_whom]) + ": each algorithm alone, simulated"
            pictures = [(of_whom, title, chosen)]
        else:
            names = [_name(results[experiment], run.figures) for run in chosen]
            titles = [", ".join([item.title, *of_whom, *filter(None, [" ".join(name)]), "simulated"]) for name in names]
            pictures = [
                ([*of_whom, *name], title, [run]) for name, title, run in zip(names, titles, chosen, strict=True)
            ]
        for name, title, shown in pictures:
            path = folder / ("-".join([f"{prefix}over-time", *name]) + suffix)
            last = shown[-1]["run"]
            scenario = json.loads(results[experiment].scenarios([last])[last])
            _draw(path, title, shown, scenario, item, alone=alone)
            yield path


def _draw(
    path: Path,
    title: str,
    shown: Sequence[Run],
    scenario: Scenario,
    item: Item,
    *,
    alone: bool,
) -> None:
    lines, queues = [], []
    for run in shown:
        link = run.bottleneck or run.links[0]
        queues.append(link)
        flows = [(None if alone else flow["name"], str(flow["algorithm"])) for flow in run.flows]
        for flow, label in zip(run.flows, flow_names(flows), strict=True):
            lines.append(Line(label, str(flow["algorithm"]), flow))
    end_s = max((float(line.flow.series("t_s")[-1]) for line in lines if line.flow.is_sampled), default=1.0)
    panels = [channel for channel in item.channels if channel != "jain" or not alone]
    limits = _limits(next(one for one in stations(scenario) if one["name"] == link["name"]), scenario)
    draw(path, title, lines, queues, end_s=end_s, panels=panels, bin_s=item.bin_s, **limits)


def _name(results: ResultTables, row: Mapping[str, Any]) -> list[str]:
    """The values of the axes, as a part of a file's name; of axes that advance together the first."""
    told: list[list[Any]] = []
    words = []
    for axis in results.axes:
        column = [axis.values.index(value) for value in results.runs[axis.column].to_list()]
        if len(axis.values) > 1 and column not in told:
            told.append(column)
            words.append(re.sub(r"[^\w.]+", "_", axis.label(row[axis.column])))
    return words


def _limits(link: Mapping[str, Any], scenario: Mapping[str, Any]) -> dict[str, Any]:
    """The capacity of the bottleneck and of its queue."""
    mtu_bytes = scenario["flows"][0]["mtu"]
    return {
        "capacity": [(0.0, sustained_bps(link, link["rate_bps"], mtu_bytes) / 1e6)],
        "limit_bytes": limit_bytes(link, mtu_bytes) or None,
    }
