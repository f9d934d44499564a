"""Measures a case in a fresh process."""

from typing import Any

from fairlane.bench.cases import Case
from fairlane.workers import run_all


class MeasurementFailed(RuntimeError):
    """The run of a case failed."""


def measure(case: Case) -> dict[str, Any]:
    """What one run of `case` took.

    `cpu_s` is user and system time of the simulation: from the scenario's text to the result's text, the loading of
    the algorithm included, the start of Python excluded. `peak_rss_mb` is that of the whole process, Python included.
    """
    outcome = run_all([case.network.scenario()], jobs=1, keep=["data_packets_delivered"])[0]
    if outcome.result is None:
        raise MeasurementFailed(f"bench {case.name}: {outcome.error}")
    packets = outcome.result["data_packets_delivered"]
    return {
        "name": case.name,
        "data_packets": packets,
        "cpu_s": outcome.usage["cpu_s"],
        "wall_s": outcome.usage["wall_s"],
        "packets_per_cpu_s": packets / outcome.usage["cpu_s"],
        "peak_rss_mb": outcome.usage["peak_rss_mb"],
    }
