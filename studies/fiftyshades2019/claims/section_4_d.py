"""Section IV-D: several flows."""

from itertools import product

from fairlane.claims import Evidence, Judgement, about, all_of

from . import (
    CLAIMS,
    DELAY,
    FAIR,
    HYBRID,
    LOSS,
    NOT_AS_MEASURED,
    alone,
    claim,
    four,
    goodput,
    pair,
    rtt,
)


@claim(
    "fiftyshades2019-d1",
    explanation="All others lose more than half; LoLA keeps 35 Mbps against BBR's 59. Both leave a queue of about "
    "5 ms, so that neither starves the other. The paper's matrix has 0.63 for this pair, one flow 7 times the other",
)
def delay_based_flows_lose_beside_others(evidence: Evidence) -> Judgement:
    return all_of(
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
    explanation="BBR gets 61 Mbps against three Vegas flows, 73 against one: its window of 65 packets is twice what "
    "61 Mbps hold in 6 ms, where the path has 1, so it mistakes queueing delay for propagation delay; the Vegas flows, "
    "which see the queue, keep 9 or 10 packets each",
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


CLAIMS.untestable("fiftyshades2019-d6", NOT_AS_MEASURED)
CLAIMS.untestable("fiftyshades2019-d7", NOT_AS_MEASURED)


@claim(
    "fiftyshades2019-d8",
    explanation="BBR never sees the empty path: its minimum RTT is 18 ms instead of 1, so it keeps up to "
    "18 times as much in flight as it should, and holds its own in the queue",
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


@claim(
    "fiftyshades2019-d10",
    explanation="A queue of 1000 packets adds at most 123 ms at 100 Mbps, so no RTT can grow by 200 ms here.",
)
def cubic_adds_200_ms_to_bbr_and_vegas(evidence: Evidence) -> Judgement:
    return all_of(
        rtt(pair(evidence, "cubic", name), 2) - alone(evidence, name, "mean_rtt_ms") > 200 for name in ("bbr", "vegas")
    )


@claim("fiftyshades2019-d11")
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


@claim(
    "fiftyshades2019-d13",
    contradicted="Table VI gives LoLA with itself 0.86, less than most loss-based algorithms",
    explanation="YeAH and Westwood share evenest here (0.99), LoLA has 0.95 and Vegas 0.86",
)
def delay_based_share_best_with_themselves(evidence: Evidence) -> Judgement:
    index = "jain_index_300ms"
    return all_of(
        pair(evidence, delay, delay)[index] > pair(evidence, other, other)[index]
        for delay, other in product(DELAY, LOSS + HYBRID)
    )


@claim(
    "fiftyshades2019-d14",
    explanation="Veno misses it: in four of five repeats slow start leaves one flow with four times as much as the "
    "other (0.58 in the first 10 s), and the two draw near only slowly, 0.82 to 0.91 in the last 20 s "
    "of 60",
)
def hybrid_share_well_with_themselves(evidence: Evidence) -> Judgement:
    return all_of(pair(evidence, name, name)["jain_index_300ms"] > FAIR for name in HYBRID)


@claim(
    "fiftyshades2019-d15",
    explanation="of four BBR flows the later ones take the queue of the earlier ones for the path's delay until all "
    "have looked for the empty path, after 10 and 20 s: 36 ms in the first 10 s, and 7 from 25 s on, less than twice "
    "the 4.4 of one. The paper's four have 4.7 to 4.9",
)
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


CLAIMS.untestable("fiftyshades2019-d16", NOT_AS_MEASURED)


@claim(
    "fiftyshades2019-d17",
    explanation="HighSpeed draws near only slowly, from 0.55 in the first 10 s to 0.8 in the last 20, but for one "
    "repeat of five that begins with 0.95. H-TCP, which grows the faster the longer ago a flow's own "
    "last loss is, comes apart: 0.8 in the first 10 s, 0.69 in the last 20",
)
def loss_based_share_well_with_themselves(evidence: Evidence) -> Judgement:
    return all_of(pair(evidence, name, name)["jain_index_300ms"] > FAIR for name in LOSS)


@claim(
    "fiftyshades2019-d18",
    contradicted="the summary of Section IV-D has about 20 s for two Cubic flows, not 15",
    explanation="two CUBIC flows meet after 6 s and two of Vegas after 5; see the summary of Section IV-D",
)
def cubic_converges_10_s_after_vegas(evidence: Evidence) -> Judgement:
    time = "convergence_time_3s_s"
    return pair(evidence, "cubic", "cubic")[time] > pair(evidence, "vegas", "vegas")[time] + 5


CLAIMS.untestable("fiftyshades2019-d19", NOT_AS_MEASURED)


@claim("fiftyshades2019-d20")
def four_cubic_flows_are_less_fair_than_two(evidence: Evidence) -> Judgement:
    index = "jain_index_300ms"
    return four(evidence, "cubic", "cubic")[index] < pair(evidence, "cubic", "cubic")[index]


@claim(
    "fiftyshades2019-d21",
    explanation="as for four flows of BBR and Vegas above: BBR gets 61 Mbps and three Vegas flows 11 each",
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
    explanation="CUBIC's flows meet after 6 s here. The paper's longer RTT is not why: before queues of 2000 and 3000 "
    "packets, 208 and 310 ms, it takes 7 to 8 s, and with a link of 73 Mbps 8 to 9 s. Not explained",
)
def cubic_takes_20_s_to_converge(evidence: Evidence) -> Judgement:
    return about(pair(evidence, "cubic", "cubic")["convergence_time_3s_s"], 20, within=0.25)


@claim(
    "fiftyshades2019-d23",
    explanation="two BBR flows have 0.65 in the first 10 s, until both look for the empty path, and 0.99 from 20 s on, "
    "0.92 in all. Why the paper has 0.87 is not explained",
)
def bbr_is_unfair_to_itself_in_the_short_run(evidence: Evidence) -> Judgement:
    return pair(evidence, "bbr", "bbr")["jain_index_300ms"] < 0.9
