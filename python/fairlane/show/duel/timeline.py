"""The plot of a duel over time."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from fairlane.results.metrics.bottleneck import FORWARD
from fairlane.results.metrics.subject import Run
from fairlane.runs.traced_run import Changes
from fairlane.scenario.network import Wifi
from fairlane.scenario.scenario import Point
from fairlane.show.duel.headline import headline, labels, limit_bytes
from fairlane.show.plots.capacity import capacity
from fairlane.show.plots.run_timeline import USUAL, Line, draw

STRETCHES = 200
"""Means over stretches of time stand for the capacity of a trace of deliveries."""


def draw_duel(
    path: Path, duel: Point, result: Mapping[str, Any], watched: Sequence[Mapping[str, Changes]] = ()
) -> None:
    """Writes the plot over time to `path`, with a panel for each member that was `watched` (for each flow, by name)."""

    run, names = Run.of(result), [str(group["algorithm"]) for group in duel.groups]
    members = watched or [{} for _ in names]
    bottleneck, end_s = run.bottleneck, duel.experiment.duration / 1e9
    is_wifi = isinstance(duel.experiment.network, Wifi)
    shown = [link for link in run.links if link["name"].endswith("-up") and link["name"].startswith("station")]
    draw(
        path,
        headline(duel),
        [Line(*one) for one in zip(labels(duel), names, run.flows, members, strict=True)],
        shown if is_wifi else [bottleneck] if bottleneck else [],
        end_s=end_s,
        capacity=capacity(json.dumps(duel.scenario), end_s, STRETCHES, bottleneck["name"] if bottleneck else None),
        limit_bytes=limit_bytes(duel) if is_wifi or (bottleneck and bottleneck["name"] == FORWARD) else None,
        panels=[*USUAL, *dict.fromkeys(name for flow in members for name in flow)],
    )
