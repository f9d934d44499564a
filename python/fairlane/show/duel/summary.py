"""The outcome of a duel as JSON."""

from typing import Any

from fairlane import __version__
from fairlane.engine.types import Scenario
from fairlane.results.metrics.bottleneck import busiest
from fairlane.results.metrics.common_time import common_time_s
from fairlane.results.metrics.definitions.fairness import jain_index, shares_pct
from fairlane.results.metrics.subject import Run
from fairlane.scenario.scenario import Point


def summary(duel: Point, scenario: Scenario, result: dict[str, Any], wall_s: float) -> dict[str, object]:
    """The output of `--json`: the result, and every input of the run."""

    run = Run.of(result)
    bottleneck = busiest(result["links"])
    flows = [
        {
            **measured.figures,
            "start_s": flow.start / 1e9,
            "base_rtt_ms": (flow.rtt or 0) / 1e6,
            "share_pct": share_pct,
        }
        for flow, measured, share_pct in zip(duel.experiment.flows, run.flows, shares_pct(run.flows), strict=True)
    ]
    return {
        "flows": flows,
        **({"bottleneck": bottleneck["name"], "link_utilisation": bottleneck["utilisation"]} if bottleneck else {}),
        "jain_index": jain_index(run.flows),
        "common_time_s": common_time_s(run.flows),
        "wall_s": wall_s,
        "links": result["links"],
        "data_packets_delivered": result["data_packets_delivered"],
        "scenario": scenario,
        "version": __version__,
    }
