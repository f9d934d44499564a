"""Goodput ratio: how much of what is sent is of use."""

from fairlane.metrics.metric import metric
from fairlane.metrics.subject import Flow


@metric(of="flow", unit="%", source="Turkovic et al. 2019, equation 4", better="more")
def goodput_ratio_pct(flow: Flow) -> float | None:
    """Goodput over sending rate.

    (D_s - D_r - D_o) / D_s, with D_s all bits sent, D_r those sent again, D_o headers.
    """
    sent = flow["sending_rate_mbps"]
    return 100 * flow["goodput_mbps"] / sent if sent else None
