"""Speed and memory of the simulator, in networks of a known load, and the cost of an ACK in each algorithm.

Networks run in a fresh process each. The cost of an ACK is the time in an algorithm's callbacks: two flows of it share
a bottleneck, all calls of the first one are recorded and then repeated many times.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from fairlane.algorithm.name import Algorithm
from fairlane.engine import record
from fairlane.engine.types import Scenario
from fairlane.runs.executors.processes import run_all
from fairlane.scenario.requests import Toml, dumbbell, scenario


@dataclass(frozen=True)
class Case:
    """A named network and why it is here."""

    name: str
    summary: str
    experiment: Toml

    @cached_property
    def scenario(self) -> Scenario:
        """The scenario for the engine."""
        return scenario(self.experiment)


class MeasurementFailed(RuntimeError):
    """The run of a case failed."""


def measure(case: Case) -> dict[str, Any]:
    """Measures one run of `case`.

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


def _cubic(flows: int, rate: str, rtt: str, buffer: str, mtu: int, duration: str) -> Toml:
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


NETWORK = "2 flows of it, 100 Mbps, 20 ms, buffer 1 BDP, MTU 1500, 20 s"
ROUNDS = 40


class NotRepeatable(RuntimeError):
    """A program that does not do the same twice."""


@dataclass(frozen=True)
class Cost:
    """The cost of the callbacks of one congestion control."""

    algorithm: str
    acks: int
    calls: int
    ns_per_ack: float
    """In the fastest rounds."""
    median_ns_per_ack: float
    """In the usual ones; far above the other, it says that the machine was not quiet."""

    def as_json(self) -> dict[str, object]:
        """For scripts."""
        return {
            "algorithm": self.algorithm,
            "acks": self.acks,
            "calls_per_ack": self.calls / self.acks,
            "ns_per_ack": self.ns_per_ack,
            "median_ns_per_ack": self.median_ns_per_ack,
        }


def measure_algorithm(algorithm: Algorithm, rounds: int = ROUNDS, duration_s: int = 20) -> Cost:
    """Records a run and plays it. Raises what a run raises, and NotRepeatable."""
    flow = {"algorithm": algorithm.source, "parameters": dict(algorithm.parameters), "rtt": "20ms", "count": 2}
    recording = record(scenario(dumbbell([flow], rate="100mbit", duration=f"{duration_s}s")))
    if not recording.replay():
        raise NotRepeatable(f"{algorithm.name} did something else with the same input, so its calls cannot be timed")
    with_program, without = [], []
    for _ in range(rounds):
        without.append(_cpu_ns(recording.replay_nothing))
        with_program.append(_cpu_ns(recording.replay))
    difference = sorted(a - b for a, b in zip(with_program, without, strict=True))
    return Cost(
        algorithm=algorithm.name,
        acks=recording.acks,
        calls=recording.calls,
        ns_per_ack=(min(with_program) - min(without)) / recording.acks,
        median_ns_per_ack=difference[len(difference) // 2] / recording.acks,
    )


def _cpu_ns(work: Callable[[], object]) -> int:
    start_ns = time.thread_time_ns()
    work()
    return time.thread_time_ns() - start_ns
