"""What is measured. A case is a dumbbell of CUBIC flows that all start at once."""

from dataclasses import dataclass
from fractions import Fraction

from fairlane.algorithm import Algorithm
from fairlane.dumbbell import Dumbbell, Flow
from fairlane.units import Buffer


@dataclass(frozen=True)
class Case:
    """A named network and why it is here."""

    name: str
    summary: str
    network: Dumbbell


def _cubic(flows: int, rate_bps: int, rtt_ms: int, buffer_bdp: int, mtu_bytes: int, duration_s: int) -> Dumbbell:
    return Dumbbell(
        flows=tuple(Flow(Algorithm("cubic"), rtt_ms * 10**6) for _ in range(flows)),
        rate_bps=rate_bps,
        buffer=Buffer(Fraction(buffer_bdp), "bdp"),
        duration_ns=duration_s * 10**9,
        mtu_bytes=mtu_bytes,
    )


CASES = [
    Case("a", "1 cubic flow, 100 Mbps, 20 ms, 1 BDP, 60 s", _cubic(1, 100 * 10**6, 20, 1, 1500, 60)),
    Case("b", "20 cubic flows, 1 Gbps, 62 ms, 2 BDP, MTU 8900, 30 s", _cubic(20, 10**9, 62, 2, 8900, 30)),
    Case("c", "500 cubic flows, 25 Gbps, 62 ms, 2 BDP, MTU 8900, 20 s", _cubic(500, 25 * 10**9, 62, 2, 8900, 20)),
]
