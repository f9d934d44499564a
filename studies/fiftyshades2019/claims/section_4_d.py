"""Section IV-D: several flows."""

from itertools import product

from fairlane.study.claims import Evidence, Judgement, about, all_of, any_of, between, generally

from . import (
    CLAIMS,
    DELAY,
    EVERY,
    FAIR,
    HYBRID,
    LOSS,
    NOT_AS_MEASURED,
    alone,
    claim,
    four,
    goodput,
    other_reading,
    pair,
    rtt,
)


@claim("fiftyshades2019-d1")
def delay_based_flows_lose_beside_others(evidence: Evidence) -> Judgement:
    """In general: "flows that use delay-based algorithms" are 22 pairs, of which the paper names none."""
    return generally(
        goodput(pair(evidence, delay, other), 1) < 0.5 * goodput(pair(evidence, delay, other), 2)
        for delay, other in product(DELAY, LOSS + HYBRID)
    )


@claim("fiftyshades2019-d2")
def vegas_falls_to_a_tenth_beside_cubic(evidence: Evidence) -> Judgement:
    runs = pair(evidence, "cubic", "vegas")
    return goodput(runs, 2) <= goodput(runs, 1) * 0.1


@claim("fiftyshades2019-d3")
def hybrid_beside_delay_is_fairest_for_bbr(evidence: Evidence) -> Judgement:
    index = "jain_index_300ms"
    return all_of(
        pair(evidence, delay, "bbr")[index] > pair(evidence, delay, hybrid)[index]
        for delay, hybrid in product(DELAY, ("veno", "illinois", "yeah"))
    )


@claim(
    "fiftyshades2019-d4",
    explanation="BBR's window averages 70 packets beside three Vegas flows, and 9.9 in Table IV: 70 are two BDPs of a round trip of 8 to 9 ms at its 44 Mbps, where the path has 1.2 to 1.4, so it takes a queue that the Vegas flows keep during its ProbeRTT for the path's delay. Paths of 0.2 to 1 ms, noise of up to 1 ms, thresholds of 8 to 1,000,000 packets, queues of 1000 to 3500, a node that merges packets and starts within 1 s leave it so",
    cause="unexplained",
)
def more_vegas_flows_take_from_bbr_and_are_fairer(evidence: Evidence) -> Judgement:
    two, mixed = pair(evidence, "bbr", "vegas"), four(evidence, "bbr", "vegas")
    return all_of([goodput(mixed, 1) < 0.6 * goodput(two, 1), mixed["jain_index_300ms"] > two["jain_index_300ms"]])


@claim("fiftyshades2019-d5")
def bbr_gets_more_than_vegas(evidence: Evidence) -> Judgement:
    two, one, three = pair(evidence, "bbr", "vegas"), four(evidence, "bbr", "vegas"), four(evidence, "vegas", "bbr")
    return all_of(
        [
            goodput(two, 1) > goodput(two, 2),
            *(goodput(one, 1) > goodput(one, flow) for flow in (2, 3, 4)),
            *(goodput(three, flow) > goodput(three, 1) for flow in (2, 3, 4)),
        ]
    )


@claim("fiftyshades2019-d6")
def bbr_and_cubic_oscillate_and_one_takes_all_at_first(evidence: Evidence) -> Judgement:
    """One has five times the other's goodput in the first 20 s; oscillation is a deviation of a tenth of the mean."""
    both = pair(evidence, "cubic", "bbr")
    flows = [both.of(flow) for flow in ("1", "2")]
    first = [flow["goodput_first_20s_mbps"] for flow in flows]
    return all_of(
        [
            any_of([first[0] > 5 * first[1], first[1] > 5 * first[0]]),
            *(flow["goodput_stddev_mbps"] > 0.1 * flow["goodput_mbps"] for flow in flows),
        ]
    )


CLAIMS.untestable("fiftyshades2019-d7", NOT_AS_MEASURED)


@claim(
    "fiftyshades2019-d8",
    explanation="the longer the queue of the CUBIC flows is, the less BBR gets: 3.8 Mbps with 2600 packets, and 0.7 with 3500",
    cause="testbed",
    variant="longer-queue",
)
def three_cubic_flows_leave_bbr_nothing(evidence: Evidence) -> Judgement:
    """A tenth of a fair share of 25 Mbps at most."""
    return goodput(four(evidence, "bbr", "cubic"), 1) < 2.5


@claim("fiftyshades2019-d9")
def one_loss_based_flow_sets_everyones_rtt(evidence: Evidence) -> Judgement:
    return all_of(
        rtt(four(evidence, "cubic", other), flow) > 2 * pair(evidence, other, other)["mean_rtt_ms"]
        for other in ("vegas", "bbr")
        for flow in (2, 3, 4)
    )


@claim("fiftyshades2019-d10")
def cubic_adds_200_ms_to_bbr_and_vegas(evidence: Evidence) -> Judgement:
    return all_of(
        rtt(pair(evidence, "cubic", name), 2) - alone(evidence, name, "mean_rtt_ms") > 200 for name in ("bbr", "vegas")
    )


@claim("fiftyshades2019-d11", cause="chance")
def bbr_and_vegas_keep_rtt_low(evidence: Evidence) -> Judgement:
    runs = pair(evidence, "vegas", "bbr")
    return all_of(rtt(runs, flow) < 8 for flow in (1, 2))


@claim("fiftyshades2019-d12")
def bbr_sees_a_lower_rtt_than_vegas(evidence: Evidence) -> Judgement:
    two, one, three = pair(evidence, "vegas", "bbr"), four(evidence, "bbr", "vegas"), four(evidence, "vegas", "bbr")
    return all_of(
        [
            rtt(two, 2) < rtt(two, 1),
            *(rtt(one, 1) < rtt(one, flow) for flow in (2, 3, 4)),
            *(rtt(three, flow) < rtt(three, 1) for flow in (2, 3, 4)),
        ]
    )


@claim("fiftyshades2019-d13", contradicted="Table VI gives LoLA with itself 0.86, less than most loss-based algorithms")
def delay_based_share_best_with_themselves(evidence: Evidence) -> Judgement:
    index = "jain_index_300ms"
    return all_of(
        pair(evidence, delay, delay)[index] > pair(evidence, other, other)[index]
        for delay, other in product(DELAY, LOSS + HYBRID)
    )


@claim("fiftyshades2019-d14")
def hybrid_share_well_with_themselves(evidence: Evidence) -> Judgement:
    return all_of(pair(evidence, name, name)["jain_index_300ms"] >= FAIR for name in HYBRID)


@claim("fiftyshades2019-d15")
def several_bbr_flows_keep_rtt_low(evidence: Evidence) -> Judgement:
    """At most twice that of one flow, and below that of as many CUBIC flows."""
    two, more = pair(evidence, "bbr", "bbr"), four(evidence, "bbr", "bbr")
    single = alone(evidence, "bbr", "mean_rtt_ms")
    return all_of(
        [
            *(runs["mean_rtt_ms"] < 2 * single for runs in (two, more)),
            two["mean_rtt_ms"] < pair(evidence, "cubic", "cubic")["mean_rtt_ms"],
            more["mean_rtt_ms"] < four(evidence, "cubic", "cubic")["mean_rtt_ms"],
        ]
    )


@claim(
    "fiftyshades2019-d16",
    explanation="two BBR flows that start within a millisecond deviate by 4.1 Mbps, those that start within 0.3 s by 11.8",
    cause="testbed",
    variant="staggered",
)
def two_bbr_flows_oscillate_between_50_and_20_mbps(evidence: Evidence) -> Judgement:
    """An oscillation between 50 and 20 Mbps deviates by 10 (a sine) to 15 Mbps (a square wave); by 10 % less or more."""
    both = pair(evidence, "bbr", "bbr")
    return all_of(between(both.of(flow)["goodput_stddev_mbps"], 0.9 * 10.6, 1.1 * 15) for flow in ("1", "2"))


@claim("fiftyshades2019-d17")
def loss_based_share_well_with_themselves(evidence: Evidence) -> Judgement:
    """Two flows of each algorithm, and four of CUBIC: Tables V and VI are the sentence's own references."""
    runs = [*(pair(evidence, name, name) for name in LOSS), four(evidence, "cubic", "cubic")]
    return all_of(one["jain_index_300ms"] >= FAIR for one in runs)


@claim("fiftyshades2019-d18")
def cubic_converges_10_s_after_vegas(evidence: Evidence) -> Judgement:
    """Later by more than 5 s. "Converge to the same bandwidth" asks when shares are equal, not when windows are steady."""
    time = "time_to_fairness_3s_s"
    return pair(evidence, "cubic", "cubic")[time] > pair(evidence, "vegas", "vegas")[time] + 5


@claim(
    "fiftyshades2019-d19",
    explanation="two flows of BIC and of LoLA vary more than two of CUBIC, by 14.1 and 14.0 Mbps against 10.7; of the algorithms that Figure 9 shows CUBIC varies most",
    cause="predicate",
)
def loss_based_throughput_oscillates_most(evidence: Evidence) -> Judgement:
    """On average over the algorithms of a group; "CUBIC is the maximum" of all."""
    deviation = {name: pair(evidence, name, name)["goodput_stddev_mbps"] for name in EVERY}
    means = [
        sum((deviation[n] for n in rest), deviation[first]) / len((first, *rest))
        for first, *rest in (LOSS, DELAY, HYBRID)
    ]
    return all_of(
        [means[0] > means[1], means[0] > means[2], *(deviation["cubic"] >= one for one in deviation.values())]
    )


@other_reading("fiftyshades2019-d19")
def cubic_oscillates_more_than_vegas_and_bbr(evidence: Evidence) -> Judgement:
    """Of the representatives that Figure 9 shows, CUBIC, Vegas and BBR."""
    cubic, *others = (pair(evidence, name, name)["goodput_stddev_mbps"] for name in ("cubic", "vegas", "bbr"))
    return all_of(cubic > other for other in others)


@claim("fiftyshades2019-d20")
def four_cubic_flows_are_less_fair_than_two(evidence: Evidence) -> Judgement:
    index = "jain_index_300ms"
    return four(evidence, "cubic", "cubic")[index] < pair(evidence, "cubic", "cubic")[index]


@claim(
    "fiftyshades2019-d21",
    explanation="as for d4: BBR's window of 70 packets beside three Vegas flows, where the paper's has 9.9",
    cause="unexplained",
)
def only_delay_based_and_bbr_mix_well(evidence: Evidence) -> Judgement:
    """Fairer with four flows than with two, and with less than a tenth of the delay of CUBIC's queue."""
    index = "jain_index_300ms"
    two = pair(evidence, "vegas", "bbr")
    return all_of(
        [
            four(evidence, "vegas", "bbr")[index] > two[index],
            four(evidence, "bbr", "vegas")[index] > two[index],
            two["mean_rtt_ms"] < 0.1 * alone(evidence, "cubic", "mean_rtt_ms"),
        ]
    )


@claim(
    "fiftyshades2019-d22",
    explanation="the paper reads convergence off curves, here it is the time to equal shares over 3 s. Of queues of 1000 to 3500 packets only 1000 give 15 to 25 s, and cost more claims than they gain",
    cause="unexplained",
)
def cubic_takes_20_s_to_converge(evidence: Evidence) -> Judgement:
    """15 to 25 s until shares are equal: the flows "converge to the same bandwidth"."""
    return about(pair(evidence, "cubic", "cubic")["time_to_fairness_3s_s"], 20, within=0.25)


@claim(
    "fiftyshades2019-d23",
    explanation="two BBR flows that start within a millisecond have an index of 0.98, and 0.92 if they start within 0.3 s, where two of CUBIC have 0.96 and two of Vegas 0.99",
    cause="testbed",
    variant="staggered",
)
def bbr_is_less_stable_against_itself_than_the_other_groups(evidence: Evidence) -> Judgement:
    """ "BBR is not stable": two of its flows share less evenly, over 300 ms, than two of CUBIC and two of Vegas."""
    index = "jain_index_300ms"
    bbr = pair(evidence, "bbr", "bbr")[index]
    return all_of(bbr < pair(evidence, name, name)[index] for name in ("cubic", "vegas"))
