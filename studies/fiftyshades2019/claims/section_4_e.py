"""Section IV-E: different RTTs."""

from itertools import product

from fairlane.study.claims import Evidence, Judgement, about, all_of, any_of, between

from . import (
    CLAIMS,
    DELAY,
    EVERY,
    FAIR,
    HYBRID,
    LOSS,
    NOT_AS_MEASURED,
    SAME,
    claim,
    goodput,
    longer,
    rtt,
)


@claim(
    "fiftyshades2019-e1",
    explanation="with the threshold that Table VII needs, two Vegas flows share about as evenly as two of Hybla",
    cause="unexplained",
)
def hybla_is_least_sensitive_to_rtt(evidence: Evidence) -> Judgement:
    index = "jain_index_300ms"
    others = [name for name in EVERY if name != "hybla"]
    return all_of(longer(evidence, "hybla")[index] >= longer(evidence, name)[index] for name in others)


@claim(
    "fiftyshades2019-e2",
    explanation="the flow over the longer path starts from a threshold that was fitted to its goodput; on the path as described, where netem's limit ends slow start with losses, the two get the same, too",
    variant="as-described",
)
def vegas_flows_of_different_rtt_get_the_same(evidence: Evidence) -> Judgement:
    runs = longer(evidence, "vegas")
    return all_of([goodput(runs, 1) > SAME * goodput(runs, 2), goodput(runs, 2) > SAME * goodput(runs, 1)])


@claim("fiftyshades2019-e3", cause="unexplained")
def vegas_flows_of_different_rtt_converge_later(evidence: Evidence) -> Judgement:
    """Until shares are equal, as two flows that "converge to the same bandwidth"."""
    time = "time_to_fairness_3s_s"
    same = evidence["rtt-two-flows"].where(algorithm="vegas", added_rtt="1ms")
    return longer(evidence, "vegas")[time] > same[time]


@claim("fiftyshades2019-e4")
def the_nearest_of_four_vegas_flows_takes_most(evidence: Evidence) -> Judgement:
    runs = evidence["rtt-four-flows"].where(algorithm="vegas")
    return all_of(goodput(runs, 1) > 2 * goodput(runs, flow) for flow in (2, 3, 4))


@claim("fiftyshades2019-e5")
def four_vegas_flows_have_not_converged_to_fairness(evidence: Evidence) -> Judgement:
    return evidence["rtt-four-flows"].where(algorithm="vegas")["jain_index"] < FAIR


@claim(
    "fiftyshades2019-e6",
    explanation="the delay of the nearest of four flows grows with its threshold: 1.9 times that of two flows with 8 packets, 3.9 with 450",
    cause="unexplained",
)
def four_vegas_flows_queue_20_ms(evidence: Evidence) -> Judgement:
    """Ten times the delay of two flows with different RTTs, give or take a half, for the nearest flow of each."""
    delay, least = "packet_rtt_mean_ms", "packet_rtt_min_ms"
    four, two = (
        runs.of("1")[delay] - runs.of("1")[least]
        for runs in (evidence["rtt-four-flows"].where(algorithm="vegas"), longer(evidence, "vegas"))
    )
    return between(four / two, 5, 15)


@claim("fiftyshades2019-e7")
def loss_based_favour_the_shorter_path(evidence: Evidence) -> Judgement:
    return all_of(goodput(longer(evidence, name), 1) > goodput(longer(evidence, name), 2) for name in LOSS)


@claim("fiftyshades2019-e8")
def cubic_favours_the_shorter_path_clearly(evidence: Evidence) -> Judgement:
    runs = longer(evidence, "cubic")
    return goodput(runs, 1) > 2 * goodput(runs, 2)


@claim(
    "fiftyshades2019-e9",
    explanation="the nearest flow has 43 of 68 Mbps in the first 20 s, and with a queue of 1000 packets 49",
    cause="unexplained",
    variant="txqueuelen",
)
def the_nearest_of_four_cubic_flows_takes_nearly_all_at_first(evidence: Evidence) -> Judgement:
    """Four times as much in the first 20 s as the three others together."""
    runs = evidence["rtt-four-flows"].where(algorithm="cubic")
    first, *rest = (runs.of(flow)["goodput_first_20s_mbps"] for flow in ("1", "2", "3", "4"))
    return first > 4 * sum(rest[1:], rest[0])


CLAIMS.untestable("fiftyshades2019-e10", NOT_AS_MEASURED)


@claim(
    "fiftyshades2019-e11",
    explanation="the short flow of YeAH fills the queue as Reno does, or does not",
    cause="chance",
)
def bbr_and_yeah_favour_the_longer_path(evidence: Evidence) -> Judgement:
    return all_of(goodput(longer(evidence, name), 2) > goodput(longer(evidence, name), 1) for name in ("bbr", "yeah"))


@claim("fiftyshades2019-e12")
def illinois_and_veno_favour_the_shorter_path(evidence: Evidence) -> Judgement:
    return all_of(
        goodput(longer(evidence, name), 1) > goodput(longer(evidence, name), 2) for name in ("illinois", "veno")
    )


@claim("fiftyshades2019-e13")
def the_smaller_bbr_flow_gains_every_10_s(evidence: Evidence) -> Judgement:
    """Its goodput repeats itself after 10 s: after 9 to 11. Which flow is the smaller one is as measured."""
    flows = [longer(evidence, "bbr").of(flow) for flow in ("1", "2")]
    smaller = min(flows, key=lambda flow: flow["goodput_mbps"].interval.estimate)
    return about(smaller["goodput_period_s"], 10)


@claim("fiftyshades2019-e14", contradicted="in Table VIII the flow with 100 ms has the most (32.34 Mbps)")
def four_bbr_flows_favour_longer_paths(evidence: Evidence) -> Judgement:
    runs = evidence["rtt-four-flows"].where(algorithm="bbr")
    return all_of(goodput(runs, far) > goodput(runs, near) for far, near in product((3, 4), (1, 2)))


@claim("fiftyshades2019-e15", contradicted="in Table VIII the flow with 100 ms has 32.34 Mbps, that with 200 ms 5.92")
def four_bbr_flows_form_two_pairs(evidence: Evidence) -> Judgement:
    """The flows of a pair have similar goodputs."""
    runs = evidence["rtt-four-flows"].where(algorithm="bbr")
    return all_of(goodput(runs, one) > SAME * goodput(runs, other) for one, other in ((1, 2), (2, 1), (3, 4), (4, 3)))


@claim("fiftyshades2019-e16")
def four_bbr_flows_have_the_rtt_of_cubic(evidence: Evidence) -> Judgement:
    """Within a fifth of it."""
    bbr, cubic = (evidence["rtt-four-flows"].where(algorithm=name) for name in ("bbr", "cubic"))
    return all_of(between(rtt(bbr, flow) / rtt(cubic, flow), 0.8, 1.25) for flow in (1, 2, 3, 4))


@claim("fiftyshades2019-e17", contradicted="Table IX: LoLA's 0.55 is the lowest of all")
def delay_based_are_fairest_across_rtts(evidence: Evidence) -> Judgement:
    index = "jain_index_300ms"
    return any_of(
        [
            all_of(longer(evidence, delay)[index] > longer(evidence, other)[index] for other in LOSS + HYBRID)
            for delay in DELAY
        ]
    )


@claim("fiftyshades2019-e18")
def four_cubic_flows_across_rtts_stay_unfair(evidence: Evidence) -> Judgement:
    return evidence["rtt-four-flows"].where(algorithm="cubic")["jain_index_300ms"] < FAIR
