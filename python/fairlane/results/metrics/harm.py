"""Harm: what a flow loses next to others, as a share of what it has without them.

    of goodput, more of which is better:   (alone - beside) / alone
    of delay, less of which is better:     (beside - alone) / beside

0 is no harm, 1 is all; below 0 the flow gains. Harm is compared with the harm that flows of the same algorithm do to
each other: an algorithm that does no more than that is as safe beside another one as that one is beside itself, however
unequal the shares are (Ware, Mukerjee, Seshan, Sherry: Beyond Jain's Fairness Index, HotNets 2019, 4).
"""

from fairlane.results.metrics.metric import Better

SOURCE = "Ware et al. 2019, 4"
MORE = 0.05
"""Harms that differ by less are equal."""


def harm(alone: float | None, beside: float | None, better: Better) -> float | None:
    """The harm done to a flow by its neighbours; None if nothing was measured, or there is nothing to lose.

    >>> harm(10.0, 4.0, "more"), harm(20.0, 80.0, "less"), harm(10.0, 12.0, "more")
    (0.6, 0.75, -0.2)
    """
    before, after = (alone, beside) if better == "more" else (beside, alone)
    if before is None or after is None or before <= 0:
        return None
    return round((before - after) / before, 12)
