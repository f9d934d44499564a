"""How long several flows take to share equally (Zhang et al., Modest BBR, IV-D)."""

from collections.abc import Sequence

import numpy as np

from fairlane.metrics.jain import binned_goodput
from fairlane.metrics.metric import metric
from fairlane.metrics.subject import Flow

BIN_S = 3.0
"""The paper collects throughput every 3 s."""
BAND = 0.2
"""Flows share equally when each is within so much of the mean, as windows converge in Lin et al. 2019, 4.3."""


@metric(
    of="flows",
    unit="s",
    digits=0,
    label="time to equal shares",
    source="Zhang et al. 2018 (Modest BBR), IV-D, throughput collected every 3 s",
    better="less",
)
def fair_share_3s_s(flows: Sequence[Flow]) -> float | None:
    """Time from the start of the run until all flows' goodputs over 3 s lie within 20 % of their mean.

    The length of the run if they never do: then it is a lower bound. None of a single flow.
    """
    if len(flows) < 2:
        return None
    ends_s, shares = binned_goodput(flows, BIN_S)
    if not len(ends_s):
        return None
    means = shares.mean(axis=0)  # not a number until all flows run
    with np.errstate(invalid="ignore"):
        fair = (np.abs(shares - means) <= BAND * means).all(axis=0)
    return float(ends_s[int(fair.argmax())]) if fair.any() else max(float(flow.series("t_s")[-1]) for flow in flows)
