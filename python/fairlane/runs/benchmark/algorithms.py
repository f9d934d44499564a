"""What an ACK costs in the callbacks of a congestion control.

Two flows of it share a bottleneck, and all calls of the first one are recorded with what TCP changed between them.
Then the recording is played again and again, in turn with and without the program; the program sees and does exactly
what it did in the run, which is checked. What remains between the two times, divided by the number of ACKs, is what
an ACK costs: the way into the program and the guard included, TCP and the network excluded. Of each kind the fastest of
the rounds counts, as whatever else the machine does can only add time.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from fairlane.algorithm.name import Algorithm
from fairlane.engine import record
from fairlane.scenario.requests import dumbbell, scenario

NETWORK = "2 flows of it, 100 Mbps, 20 ms, buffer 1 BDP, MTU 1500, 20 s"
ROUNDS = 40


class NotRepeatable(RuntimeError):
    """A program that does not do the same twice."""


@dataclass(frozen=True)
class Cost:
    """What the callbacks of one congestion control cost."""

    algorithm: str
    acks: int
    calls: int
    ns_per_ack: float
    """In the fastest rounds."""
    median_ns_per_ack: float
    """In the usual ones; far above the other, it says that the machine was not quiet."""

    def as_json(self) -> dict[str, Any]:
        """For scripts."""
        return {
            "algorithm": self.algorithm,
            "acks": self.acks,
            "calls_per_ack": self.calls / self.acks,
            "ns_per_ack": self.ns_per_ack,
            "median_ns_per_ack": self.median_ns_per_ack,
        }


def measure(algorithm: Algorithm, rounds: int = ROUNDS, duration_s: int = 20) -> Cost:
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
