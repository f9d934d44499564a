"""Goodput: what the application gets."""

from fairlane.metrics.metric import metric
from fairlane.metrics.subject import Flow


@metric(of="flow", unit="Mbps", source="Turkovic et al. 2019, equation 3", better="more")
def goodput_mbps(flow: Flow) -> float | None:
    """Payload that reached the receiving application, over the flow's time.

    (D_s - D_r - D_o) / dt: without headers, retransmissions and copies.
    """
    return flow["goodput_mbps"]
