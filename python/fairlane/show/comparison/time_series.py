"""Time series of a table or figure, for files: single-flow runs share one plot, other runs get one each."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from fairlane.engine.types import Scenario
from fairlane.results.metrics.definitions.convergence import DRAWN_MEAN_S, moving_mean
from fairlane.results.metrics.definitions.fairness import jain_over_time
from fairlane.results.metrics.source import runs
from fairlane.results.metrics.subject import Array, Flow, Run
from fairlane.scenario.stations import stations
from fairlane.show.plots.options import Options
from fairlane.show.plots.over_time import QUANTITIES, sampled
from fairlane.show.plots.run_timeline import Curve, Line, Queue, draw
from fairlane.study.paper.comparison import Comparison

if TYPE_CHECKING:
    from fairlane.results.tables import ResultTables

INTERVALS = 200
"""Bins for retransmissions and Jain's index: 0.3 s for a minute, as in the figures of Turkovic et al. 2019."""


def draw_timelines(
    folder: Path,
    comparison: Comparison,
    results: "Mapping[str, ResultTables]",
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
            _draw(path, title, shown, scenario, item.channels, alone=alone)
            yield path


def _draw(
    path: Path,
    title: str,
    shown: Sequence[Run],
    scenario: Scenario,
    channels: Sequence[str],
    *,
    alone: bool,
) -> None:
    lines, queues = [], []
    times_s = [flow.series("t_s") for run in shown for flow in run.flows]
    end_s = max((float(one[-1]) for one in times_s if len(one)), default=1.0)
    interval_s = _interval_s(times_s, end_s)
    for run in shown:
        link = run.bottleneck or run.links[0]
        lines += [_line(flow, end_s, interval_s, alone=alone) for flow in run.flows]
        queues.append(Queue(lines[-1].label if alone else "queue", _columns(link, "t_s", "queue_bytes")))
    fairness = None if alone else Curve(*_listed(jain_over_time(shown[0].flows, interval_s)))
    panels = [channel for channel in channels if channel != "jain" or not alone]
    limits = _limits(next(one for one in stations(scenario) if one["name"] == link["name"]), scenario)
    draw(path, title, lines, queues, end_s=end_s, panels=panels, fairness=fairness, **limits)


def _line(flow: Flow, end_s: float, interval_s: float, *, alone: bool) -> Line:
    """A flow, called by its name, or by its algorithm where it is alone."""
    label = str(flow["algorithm" if alone else "name"])
    rates = sampled(flow, QUANTITIES["retransmits"], Options(bin_s=interval_s), end_s)
    means = moving_mean(flow.series("t_s"), flow.series("cwnd_packets"), DRAWN_MEAN_S)
    curves = {"retransmissions": Curve(*_listed(rates)), "mean_window": Curve(*_listed(means))}
    return Line(label, label, _columns(flow, "t_s", "mbps", "cwnd_packets", "rtt_ms"), curves)


def _interval_s(times_s: Sequence[Array], end_s: float) -> float:
    """An integer number of samples, so that no sample belongs to two intervals."""
    longest = max(times_s, key=len, default=np.zeros(0))
    sample_s = float(np.median(np.diff(longest))) if len(longest) > 1 else end_s
    return sample_s * max(1, round(end_s / INTERVALS / sample_s))


def _columns(subject: Any, *names: str) -> dict[str, list[float]]:
    return {name: subject.series(name).tolist() for name in names}


def _listed(pair: tuple[Any, Any]) -> tuple[list[float], list[float]]:
    return pair[0].tolist(), pair[1].tolist()


def _name(results: "ResultTables", row: Mapping[str, Any]) -> list[str]:
    """The values of the axes, as a part of a file's name; of axes that advance together the first."""
    told: list[list[Any]] = []
    words = []
    for axis in results.axes:
        column = [axis.values.index(value) for value in results.runs[axis.column].to_list()]
        if len(axis.values) > 1 and column not in told:
            told.append(column)
            words.append(re.sub(r"[^\w.]+", "_", axis.labels[axis.values.index(row[axis.column])]))
    return words


def _limits(link: Mapping[str, Any], scenario: Mapping[str, Any]) -> dict[str, Any]:
    """The capacity of the bottleneck and of its queue."""
    queue = link.get("queue", {})
    frame_bytes = scenario["flows"][0]["mtu"] + link.get("overhead_bytes", 14)
    limit_bytes = queue.get("limit_bytes") or (queue.get("limit_packets") or 0) * frame_bytes or None
    return {"capacity_mbps": link["rate_bps"] / 1e6, "limit_bytes": limit_bytes}
