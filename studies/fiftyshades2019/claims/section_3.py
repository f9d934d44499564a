"""Section III: background."""

from itertools import product

from fairlane.claims import Evidence, Judgement, all_of, between

from . import (
    CITED,
    CLAIMS,
    DELAY,
    HYBRID,
    LOSS,
    alone,
    claim,
    goodput,
    longer,
    pair,
)

CLAIMS.untestable("fiftyshades2019-bg-1", CITED)
CLAIMS.untestable("fiftyshades2019-bg-2", CITED)


@claim(
    "fiftyshades2019-bg-3",
    explanation="the queue holds many times what the path does, so that something is always left in it after a loss",
    cause="predicate",
)
def cubic_alone_does_not_use_all(evidence: Evidence) -> Judgement:
    """Less than all of it: "Cubic cannot use all of the link because it needs losses"."""
    return alone(evidence, "cubic", "bottleneck_utilisation_pct") < 100


@claim("fiftyshades2019-bg-4", contradicted="Section IV-E finds the opposite: 64.01 against 23.68 Mbps in Table VII")
def cubic_is_fair_whatever_the_rtt(evidence: Evidence) -> Judgement:
    return longer(evidence, "cubic")["jain_index"] > 0.95


@claim("fiftyshades2019-bg-5")
def delay_based_rtt_is_minimal(evidence: Evidence) -> Judgement:
    return all_of(
        alone(evidence, delay, "mean_rtt_ms") < alone(evidence, other, "mean_rtt_ms")
        for delay, other in product(DELAY, LOSS + HYBRID)
    )


@claim("fiftyshades2019-bg-6")
def vegas_may_not_fill_a_fast_link(evidence: Evidence) -> Judgement:
    return alone(evidence, "vegas", "bottleneck_utilisation_pct") < 95


CLAIMS.untestable("fiftyshades2019-bg-7", "the paper does not test it; it would need a path whose RTT rises")


@claim("fiftyshades2019-bg-8")
def vegas_collapses_beside_loss_based_flows(evidence: Evidence) -> Judgement:
    return all_of(goodput(pair(evidence, "vegas", loss), 1) < 10 for loss in LOSS)


@claim("fiftyshades2019-bg-9")
def bbr_is_in_probe_rtt_for_two_per_cent(evidence: Evidence) -> Judgement:
    """98 % probing bandwidth leave 2 % for ProbeRTT, 200 ms of every 10 s; half a per cent more or less is about."""
    return between(alone(evidence, "bbr", "smallest_window_pct"), 1.5, 2.5)


CLAIMS.untestable("fiftyshades2019-bg-10", CITED)
