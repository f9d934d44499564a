"""Section III: background."""

from itertools import product

from fairlane.study.claims import Evidence, Judgement, Measurement, all_of, between

from . import (
    DELAY,
    HYBRID,
    LOSS,
    after_20_s,
    alone,
    claim,
    contradiction,
    goodput,
    longer,
    other_reading,
    pair,
)


@other_reading("fiftyshades2019-bg-1")
def the_shorter_path_gets_more(evidence: Evidence) -> Judgement:
    """Without the power: the flow over the shorter path gets more, with Reno and with HighSpeed."""
    runs = evidence["rtt-ratio"]
    return all_of(
        goodput(both, 1) > goodput(both, 2)
        for algorithm, longer_rtt in product(("reno", "highspeed"), ("80ms", "160ms"))
        for both in [runs.where(algorithm=algorithm, longer_rtt=longer_rtt)]
    )


EXPONENT = 4.56
"""Of the ratio of RTTs, in the share of HighSpeed."""


@claim(
    "fiftyshades2019-bg-1",
    explanation="the power is a calculation that the paper cites and does not measure",
    cause="predicate",
)
def loss_based_growth_by_rtt_favours_the_shorter_path(evidence: Evidence) -> Judgement:
    """With RTTs whose ratio is 2 and 4; x^4.56 within a factor of 2."""
    runs = evidence["rtt-ratio"]
    found = []
    for algorithm, (ratio, longer_rtt) in product(("reno", "highspeed"), ((2, "80ms"), (4, "160ms"))):
        both = runs.where(algorithm=algorithm, longer_rtt=longer_rtt)
        share = goodput(both, 1) / goodput(both, 2)
        found.append(share > 1)
        if algorithm == "highspeed":
            found.append(between(share, ratio**EXPONENT / 2, ratio**EXPONENT * 2))
    return all_of(found)


@claim(
    "fiftyshades2019-bg-2",
    explanation="over the longer path Hybla retransmits 0.22 % of its packets and Reno 0.19 %; with the default window they retransmit 0.40 and 0.11 %",
    cause="testbed",
    variant="default-windows",
)
def hybla_congests_over_a_long_path(evidence: Evidence) -> Judgement:
    """The flow over the longer path retransmits twice as large a share of its packets as with Reno, or more."""
    share = "retransmits_per_packet_pct"
    hybla, reno = (longer(evidence, name).of("2")[share] for name in ("hybla", "reno"))
    return hybla > 2 * reno


def carried(evidence: Evidence, algorithm: str) -> Measurement:
    """The throughput of an algorithm alone, as a share of that of the flow that gets most from the node."""
    return alone(evidence, algorithm, "throughput_mbps") / alone(evidence, MOST_ALONE, "throughput_mbps")


MOST_ALONE = "westwood"
"""It has the highest throughput of Table I, 72.7 Mbps, about the 74 that the node carries."""


@claim(
    "fiftyshades2019-bg-3",
    explanation="the queue holds many times the BDP, so that it never drains, and the window ends growth before a loss",
    cause="unexplained",
)
def cubic_alone_does_not_use_all(evidence: Evidence) -> Judgement:
    """ "Cubic cannot achieve 100% resource utilization and requires packet drops".

    It loses packets, and carries less than the node can; that the node carries less than the link is not its doing.
    """
    return all_of([alone(evidence, "cubic", "retransmits") > 0, carried(evidence, "cubic") < 0.995])


@claim("fiftyshades2019-bg-4", contradicted="Section IV-E finds the opposite: 64.01 against 23.68 Mbps in Table VII")
def cubic_is_fair_whatever_the_rtt(evidence: Evidence) -> Judgement:
    return longer(evidence, "cubic")["jain_index"] > 0.95


@contradiction("fiftyshades2019-bg-4")
def cubic_has_unequal_shares_in_table_vii(numbers: Evidence) -> Judgement:
    """Jain's index of 64.01 and 23.68 Mbps, Table VII."""
    near, far = (longer(numbers, "cubic").of(flow)["goodput_mbps"] for flow in ("1", "2"))
    total = near + far
    return total * total / ((near * near + far * far) * 2) > 0.95


@claim("fiftyshades2019-bg-5")
def delay_based_rtt_is_minimal(evidence: Evidence) -> Judgement:
    return all_of(
        alone(evidence, delay, "mean_rtt_ms") < alone(evidence, other, "mean_rtt_ms")
        for delay, other in product(DELAY, LOSS + HYBRID)
    )


@claim("fiftyshades2019-bg-6")
def vegas_may_not_fill_a_fast_link(evidence: Evidence) -> Judgement:
    """Less than 95 % of what the node carries: that the node carries less than the link is not its doing."""
    return carried(evidence, "vegas") < 0.95


@claim("fiftyshades2019-bg-7")
def vegas_takes_a_longer_path_for_congestion(evidence: Evidence) -> Judgement:
    """Its rate falls by more than half when the path becomes longer, and Reno's does not."""
    runs = evidence["path-change"]
    kept = {name: after_20_s(flow) / flow["goodput_first_20s_mbps"] for name, flow in runs.by("algorithm").items()}
    return all_of([kept["vegas"] < 0.5, kept["reno"] > 0.5])


@claim("fiftyshades2019-bg-8")
def vegas_collapses_beside_loss_based_flows(evidence: Evidence) -> Judgement:
    return all_of(goodput(pair(evidence, "vegas", loss), 1) < 10 for loss in LOSS)


@claim("fiftyshades2019-bg-9")
def bbr_is_in_probe_rtt_for_two_per_cent(evidence: Evidence) -> Judgement:
    """98 % probing bandwidth leave 2 % for ProbeRTT, 200 ms of every 10 s; half a per cent more or less is about."""
    return between(alone(evidence, "bbr", "smallest_window_pct"), 1.5, 2.5)


@claim("fiftyshades2019-bg-10")
def bbr_regains_equilibrium_within_30_s(evidence: Evidence) -> Judgement:
    """After the last of five flows joined at 8 s: "up to", so the slowest of the repeats takes 10 to 30 s."""
    slowest = evidence["bbr-joins"]["time_to_fairness_3s_s"].maximum
    return between(slowest - 8, 10, 30)
