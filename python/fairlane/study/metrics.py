"""What the papers measure, computed from the engine's figures of one flow.

Names are those of the columns of `published/*.csv`. The definitions are those of Turkovic et al. 2019, IV-A: D_s is
what was sent, D_r what was sent again, D_o headers, all within the time of the flow.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Metric:
    """A figure of one flow."""

    name: str
    """Name and unit."""
    heading: str
    """The same in two short lines, for a column."""
    digits: int
    of: Callable[[Mapping[str, Any]], float]


METRICS = {
    "goodput_mbps": Metric("goodput, Mbps", "goodput\nMbps", 2, lambda flow: float(flow["goodput_mbps"])),
    # (D_s - D_r - D_o) / D_s: equation 4.
    "goodput_ratio_pct": Metric(
        "goodput ratio, %", "goodput\nratio %", 2, lambda flow: 100 * flow["goodput_mbps"] / flow["sending_rate_mbps"]
    ),
    "cwnd_packets": Metric("mean cwnd, packets", "cwnd\npackets", 1, lambda flow: float(flow["mean_cwnd_packets"])),
    "rtt_ms": Metric("mean RTT, ms", "RTT\nms", 2, lambda flow: float(flow["mean_rtt_ms"])),
    # What the source sent, link-layer header included.
    "sending_rate_mbps": Metric(
        "sending rate, Mbps", "sending\nMbps", 2, lambda flow: float(flow["sending_rate_mbps"])
    ),
    # What the receiver got, link-layer header included.
    "throughput_mbps": Metric("throughput, Mbps", "through-\nput Mbps", 2, lambda flow: float(flow["throughput_mbps"])),
    "retransmits": Metric("retransmissions", "retrans-\nmits", 0, lambda flow: float(flow["retransmits"])),
}
