"""Networks of a known load, and the speed at which a fresh process runs them."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from fairlane.runs.executors.processes import run_all
from fairlane.scenario.requests import dumbbell, scenario


@dataclass(frozen=True)
class Case:
    """A named network and why it is here."""

    name: str
    summary: str
    experiment: dict[str, Any]

    @cached_property
    def scenario(self) -> dict[str, Any]:
        """What the engine runs."""
        return scenario(self.experiment)


class MeasurementFailed(RuntimeError):
    """The run of a case failed."""


def measure(case: Case) -> dict[str, Any]:
    """What one run of `case` took.

    `cpu_s` is user and system time of the simulation: from the scenario's text to the result's text, the loading of
    the algorithm included, the start of Python excluded. `peak_rss_mb` is that of the whole process, Python included.
    """
    outcome = run_all([case.scenario], jobs=1, keep=["data_packets_delivered"])[0]
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


def _cubic(flows: int, rate: str, rtt: str, buffer: str, mtu: int, duration: str) -> dict[str, Any]:
    return dumbbell(
        [{"algorithm": "cubic", "rtt": rtt, "count": flows}], rate=rate, buffer=buffer, mtu=mtu, duration=duration
    )


CASES = [
    Case("a", "1 cubic flow, 100 Mbps, 20 ms, 1 BDP, 60 s", _cubic(1, "100mbit", "20ms", "1bdp", 1500, "60s")),
    Case(
        "b",
        "20 cubic flows, 1 Gbps, 62 ms, 2 BDP, MTU 8900, 30 s",
        _cubic(20, "1gbit", "62ms", "2bdp", 8900, "30s"),
    ),
    Case(
        "c",
        "500 cubic flows, 25 Gbps, 62 ms, 2 BDP, MTU 8900, 20 s",
        _cubic(500, "25gbit", "62ms", "2bdp", 8900, "20s"),
    ),
]
