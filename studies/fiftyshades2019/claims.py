"""What Turkovic et al. claim, as predicates over what the experiments measured.

"About" means within 10 % unless a claim says otherwise; "much" and the like are turned into numbers here, each beside
the claim that it belongs to. Each published claim stands here once.
"""

from itertools import product

from fairlane.claims import Claims, Evidence, Figure, Judgement, Runs, about, all_of, any_of, between

CLAIMS = Claims()
claim = CLAIMS.claim

LOSS = ("reno", "bic", "cubic", "highspeed", "htcp", "hybla", "westwood")
DELAY = ("vegas", "lola")
HYBRID = ("veno", "illinois", "yeah", "bbr")
EVERY = (*LOSS, *DELAY, *HYBRID)

NOT_AS_MEASURED = "it is about how the curves of one run look; no figure is given that would decide it"
CITED = "the paper cites it from elsewhere and does not measure it"

SAME = 0.8
"""Two goodputs are similar if the smaller is at least so much of the larger."""
FAIR = 0.8
"""The least index that the paper itself calls good sharing (0.82 to 0.96)."""


def alone(evidence: Evidence, algorithm: str, metric: str) -> Figure:
    return evidence["baseline"].where(algorithm=algorithm)[metric]


def with_udp(evidence: Evidence, algorithm: str, metric: str) -> Figure:
    return evidence["ack-compression"].where(algorithm=algorithm, udp="90mbit")[metric]


def pair(evidence: Evidence, first: str, second: str) -> Runs:
    return evidence["two-flows"].where(algorithm_a=first, algorithm_b=second)


def four(evidence: Evidence, one: str, three: str) -> Runs:
    return evidence["four-flows"].where(one=one, three=three, third=three, fourth=three)


def longer(evidence: Evidence, algorithm: str) -> Runs:
    """Two flows, the second over a path that is 200 ms longer."""
    return evidence["rtt-two-flows"].where(algorithm=algorithm, added_rtt="201ms")


def goodput(runs: Runs, flow: int) -> Figure:
    return runs.of(str(flow))["goodput_mbps"]


def rtt(runs: Runs, flow: int) -> Figure:
    return runs.of(str(flow))["mean_rtt_ms"]


# Section I and V.


@claim("fiftyshades2019-i-1")
def loss_based_flows_overpower_the_others(evidence: Evidence) -> Judgement:
    return all_of(
        goodput(pair(evidence, loss, other), 1) > goodput(pair(evidence, loss, other), 2)
        for loss, other in product(LOSS, DELAY + HYBRID)
    )


@claim("fiftyshades2019-i-2")
def loss_based_flows_set_the_delay(evidence: Evidence) -> Judgement:
    return all_of(
        rtt(pair(evidence, loss, other), 2) > 2 * alone(evidence, other, "mean_rtt_ms")
        for loss, other in product(LOSS, (*DELAY, "bbr"))
    )


@claim("fiftyshades2019-i-3")
def convergence_takes_up_to_a_minute(evidence: Evidence) -> Judgement:
    return all_of(pair(evidence, name, name)["convergence_3s_s"] <= 60 for name in EVERY)


@claim("fiftyshades2019-i-4")
def bbr_favours_the_longer_path_and_queues(evidence: Evidence) -> Judgement:
    runs = longer(evidence, "bbr")
    return all_of([goodput(runs, 2) > goodput(runs, 1), rtt(runs, 1) > 2 * alone(evidence, "bbr", "mean_rtt_ms")])


CLAIMS.untestable("fiftyshades2019-i-5", "a conclusion that no experiment of the paper tests")

# Section III: background.

CLAIMS.untestable("fiftyshades2019-bg-1", CITED)
CLAIMS.untestable("fiftyshades2019-bg-2", CITED)


@claim("fiftyshades2019-bg-3")
def cubic_alone_does_not_use_all(evidence: Evidence) -> Judgement:
    return alone(evidence, "cubic", "bottleneck_utilisation_pct") < 99


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


CLAIMS.untestable("fiftyshades2019-bg-9", CITED)
CLAIMS.untestable("fiftyshades2019-bg-10", CITED)

# Section IV-C: one flow.


@claim(
    "fiftyshades2019-c1",
    explanation="The paper's link carries no more than 73 of its 100 Mbps and no cause is given; the simulated link "
    "has no such limit.",
)
def nobody_fills_the_link(evidence: Evidence) -> Judgement:
    return all_of(alone(evidence, name, "throughput_mbps") < 75 for name in EVERY)


@claim("fiftyshades2019-c2")
def delay_based_send_least(evidence: Evidence) -> Judgement:
    return all_of(
        alone(evidence, other, "sending_rate_mbps") > 1.05 * alone(evidence, delay, "sending_rate_mbps")
        for delay, other in product(DELAY, LOSS + HYBRID)
    )


@claim("fiftyshades2019-c3")
def loss_based_retransmit_most(evidence: Evidence) -> Judgement:
    return all_of(
        alone(evidence, loss, "retransmits") > alone(evidence, other, "retransmits")
        for loss, other in product(LOSS, DELAY + HYBRID)
    )


@claim("fiftyshades2019-c4")
def delay_based_do_not_retransmit(evidence: Evidence) -> Judgement:
    return all_of(alone(evidence, delay, "retransmits") <= 0 for delay in DELAY)


@claim("fiftyshades2019-c5")
def hybrid_retransmit_little(evidence: Evidence) -> Judgement:
    """Less than one packet in a thousand of the half million that 60 s hold."""
    return all_of(alone(evidence, name, "retransmits_per_packet_pct") < 0.1 for name in HYBRID)


CLAIMS.untestable("fiftyshades2019-c6", NOT_AS_MEASURED)


@claim("fiftyshades2019-c7")
def a_larger_window_does_not_send_more(evidence: Evidence) -> Judgement:
    cwnd, rate = "mean_cwnd_packets", "sending_rate_mbps"
    return all_of(
        [
            alone(evidence, "cubic", cwnd) > 1.1 * alone(evidence, "westwood", cwnd),
            alone(evidence, "cubic", rate) < 1.1 * alone(evidence, "westwood", rate),
        ]
    )


@claim("fiftyshades2019-c8", contradicted="Table I gives LoLA an average of 2.70 ms")
def delay_based_rtt_is_at_most_2_ms(evidence: Evidence) -> Judgement:
    return all_of(alone(evidence, name, "mean_rtt_ms") < 2.2 for name in DELAY)


@claim("fiftyshades2019-c9")
def delay_based_rtt_is_35_to_166_times_lower(evidence: Evidence) -> Judgement:
    return all_of(
        between(alone(evidence, loss, "mean_rtt_ms") / alone(evidence, delay, "mean_rtt_ms"), 35, 166)
        for loss, delay in product(LOSS, DELAY)
    )


@claim("fiftyshades2019-c10", contradicted="Table I: 4.37 ms of BBR is 1.6 times LoLA's 2.70 ms")
def delay_based_rtt_is_half_of_hybrid(evidence: Evidence) -> Judgement:
    return all_of(
        alone(evidence, hybrid, "mean_rtt_ms") >= 2 * alone(evidence, delay, "mean_rtt_ms")
        for hybrid, delay in product(HYBRID, DELAY)
    )


@claim(
    "fiftyshades2019-c11",
    explanation="1000 packets of 1538 bytes last 123 ms at 100 Mbps, so no RTT can be near 500 ms; the paper's queue "
    "must have held more than its txqueuelen says.",
)
def cubic_delay_reaches_half_a_second(evidence: Evidence) -> Judgement:
    return about(alone(evidence, "cubic", "max_rtt_ms"), 500)


@claim(
    "fiftyshades2019-c12", contradicted="Table I gives an average of 4.37 ms, above the maximum of about 4 in the text"
)
def bbr_queues_slightly_more_than_delay_based(evidence: Evidence) -> Judgement:
    return all_of(
        [
            alone(evidence, "bbr", "mean_rtt_ms") > alone(evidence, "vegas", "mean_rtt_ms"),
            alone(evidence, "bbr", "mean_rtt_ms") < 6,
        ]
    )


@claim("fiftyshades2019-c13")
def bbr_falls_to_the_least_rtt(evidence: Evidence) -> Judgement:
    return alone(evidence, "bbr", "packet_rtt_min_ms") <= 1.6


@claim("fiftyshades2019-c14")
def delay_based_have_the_best_goodput_ratio(evidence: Evidence) -> Judgement:
    return all_of(
        alone(evidence, delay, "goodput_ratio_pct") > alone(evidence, other, "goodput_ratio_pct")
        for delay, other in product(DELAY, LOSS + HYBRID)
    )


@claim("fiftyshades2019-c15")
def delay_based_have_less_goodput(evidence: Evidence) -> Judgement:
    return all_of(
        alone(evidence, delay, "goodput_mbps") < alone(evidence, loss, "goodput_mbps")
        for delay, loss in product(DELAY, LOSS)
    )


@claim("fiftyshades2019-c16")
def reverse_udp_costs_everyone_10_mbps(evidence: Evidence) -> Judgement:
    rate = "sending_rate_mbps"
    return all_of(alone(evidence, name, rate) - with_udp(evidence, name, rate) >= 10 for name in EVERY)


@claim("fiftyshades2019-c17")
def reverse_udp_leaves_delay_based_3_per_cent(evidence: Evidence) -> Judgement:
    return all_of(with_udp(evidence, name, "sending_rate_mbps") < 5 for name in DELAY)


@claim("fiftyshades2019-c18", contradicted="in Table II the windows of Vegas, LoLA, Veno and YeAH shrink")
def reverse_udp_lengthens_rtt_and_window(evidence: Evidence) -> Judgement:
    return all_of(
        with_udp(evidence, name, metric) > alone(evidence, name, metric)
        for name in EVERY
        for metric in ("mean_rtt_ms", "mean_cwnd_packets")
    )


@claim("fiftyshades2019-c19")
def illinois_suffers_less(evidence: Evidence) -> Judgement:
    return all_of(
        with_udp(evidence, "illinois", "goodput_mbps") > with_udp(evidence, other, "goodput_mbps")
        for other in ("bbr", "veno", "yeah")
    )


@claim("fiftyshades2019-c20")
def hybrid_are_like_one_group_or_the_other(evidence: Evidence) -> Judgement:
    """Illinois sends half of what it would alone or more, as loss-based ones do; the others less than a fifth."""
    rate = "goodput_mbps"
    return all_of(
        [
            with_udp(evidence, "illinois", rate) > 0.5 * alone(evidence, "illinois", rate),
            *(with_udp(evidence, name, rate) < 0.2 * alone(evidence, name, rate) for name in ("veno", "yeah", "bbr")),
        ]
    )


@claim("fiftyshades2019-c21", contradicted="Illinois (221.61 ms) and Veno (106.79 ms) are hybrid and fill buffers")
def only_loss_based_have_a_high_rtt(evidence: Evidence) -> Judgement:
    return all_of(
        alone(evidence, loss, "mean_rtt_ms") > alone(evidence, other, "mean_rtt_ms")
        for loss, other in product(LOSS, DELAY + HYBRID)
    )


# Section IV-D: several flows.


@claim("fiftyshades2019-d1")
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


@claim("fiftyshades2019-d4")
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


@claim("fiftyshades2019-d8")
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


@claim("fiftyshades2019-d13", contradicted="Table VI gives LoLA with itself 0.86, less than most loss-based algorithms")
def delay_based_share_best_with_themselves(evidence: Evidence) -> Judgement:
    index = "jain_index_300ms"
    return all_of(
        pair(evidence, delay, delay)[index] > pair(evidence, other, other)[index]
        for delay, other in product(DELAY, LOSS + HYBRID)
    )


@claim("fiftyshades2019-d14")
def hybrid_share_well_with_themselves(evidence: Evidence) -> Judgement:
    return all_of(pair(evidence, name, name)["jain_index_300ms"] > FAIR for name in HYBRID)


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


CLAIMS.untestable("fiftyshades2019-d16", NOT_AS_MEASURED)


@claim("fiftyshades2019-d17")
def loss_based_share_well_with_themselves(evidence: Evidence) -> Judgement:
    return all_of(pair(evidence, name, name)["jain_index_300ms"] > FAIR for name in LOSS)


@claim("fiftyshades2019-d18")
def cubic_converges_10_s_after_vegas(evidence: Evidence) -> Judgement:
    time = "convergence_3s_s"
    return pair(evidence, "cubic", "cubic")[time] > pair(evidence, "vegas", "vegas")[time] + 5


CLAIMS.untestable("fiftyshades2019-d19", NOT_AS_MEASURED)


@claim("fiftyshades2019-d20")
def four_cubic_flows_are_less_fair_than_two(evidence: Evidence) -> Judgement:
    index = "jain_index_300ms"
    return four(evidence, "cubic", "cubic")[index] < pair(evidence, "cubic", "cubic")[index]


@claim("fiftyshades2019-d21")
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


@claim("fiftyshades2019-d22")
def cubic_takes_20_s_to_converge(evidence: Evidence) -> Judgement:
    return about(pair(evidence, "cubic", "cubic")["convergence_3s_s"], 20, within=0.25)


@claim("fiftyshades2019-d23")
def bbr_is_unfair_to_itself_in_the_short_run(evidence: Evidence) -> Judgement:
    return pair(evidence, "bbr", "bbr")["jain_index_300ms"] < 0.9


# Section IV-E: different RTTs.


@claim("fiftyshades2019-e1", contradicted="Table IX gives H-TCP the same 0.92 as Hybla")
def hybla_is_least_sensitive_to_rtt(evidence: Evidence) -> Judgement:
    index = "jain_index_300ms"
    others = [name for name in EVERY if name != "hybla"]
    return all_of(longer(evidence, "hybla")[index] >= longer(evidence, name)[index] for name in others)


@claim("fiftyshades2019-e2")
def vegas_flows_of_different_rtt_get_the_same(evidence: Evidence) -> Judgement:
    runs = longer(evidence, "vegas")
    return all_of([goodput(runs, 1) > SAME * goodput(runs, 2), goodput(runs, 2) > SAME * goodput(runs, 1)])


@claim("fiftyshades2019-e3")
def vegas_flows_of_different_rtt_converge_later(evidence: Evidence) -> Judgement:
    time = "convergence_3s_s"
    same = evidence["rtt-two-flows"].where(algorithm="vegas", added_rtt="1ms")
    return longer(evidence, "vegas")[time] > same[time]


@claim("fiftyshades2019-e4")
def the_nearest_of_four_vegas_flows_takes_most(evidence: Evidence) -> Judgement:
    runs = evidence["rtt-four-flows"].where(algorithm="vegas")
    return all_of(goodput(runs, 1) > 2 * goodput(runs, flow) for flow in (2, 3, 4))


@claim("fiftyshades2019-e5")
def four_vegas_flows_have_not_converged_to_fairness(evidence: Evidence) -> Judgement:
    return evidence["rtt-four-flows"].where(algorithm="vegas")["jain_index"] < FAIR


@claim("fiftyshades2019-e6")
def four_vegas_flows_queue_20_ms(evidence: Evidence) -> Judgement:
    """Ten times the delay of two flows with the same RTT, give or take a half."""
    same = evidence["rtt-two-flows"].where(algorithm="vegas", added_rtt="1ms")
    runs = evidence["rtt-four-flows"].where(algorithm="vegas")
    delay = "packet_rtt_mean_ms"
    least = "packet_rtt_min_ms"
    ratio = (runs.of("1")[delay] - runs.of("1")[least]) / (same.of("1")[delay] - same.of("1")[least])
    return between(ratio, 5, 15)


@claim("fiftyshades2019-e7")
def loss_based_favour_the_shorter_path(evidence: Evidence) -> Judgement:
    return all_of(goodput(longer(evidence, name), 1) > goodput(longer(evidence, name), 2) for name in LOSS)


@claim("fiftyshades2019-e8")
def cubic_favours_the_shorter_path_clearly(evidence: Evidence) -> Judgement:
    runs = longer(evidence, "cubic")
    return goodput(runs, 1) > 2 * goodput(runs, 2)


CLAIMS.untestable("fiftyshades2019-e9", NOT_AS_MEASURED)
CLAIMS.untestable("fiftyshades2019-e10", NOT_AS_MEASURED)


@claim("fiftyshades2019-e11")
def bbr_and_yeah_favour_the_longer_path(evidence: Evidence) -> Judgement:
    return all_of(goodput(longer(evidence, name), 2) > goodput(longer(evidence, name), 1) for name in ("bbr", "yeah"))


@claim("fiftyshades2019-e12")
def illinois_and_veno_favour_the_shorter_path(evidence: Evidence) -> Judgement:
    return all_of(
        goodput(longer(evidence, name), 1) > goodput(longer(evidence, name), 2) for name in ("illinois", "veno")
    )


CLAIMS.untestable("fiftyshades2019-e13", NOT_AS_MEASURED)


@claim("fiftyshades2019-e14", contradicted="in Table VIII the flow with 100 ms has the most (32.34 Mbps)")
def four_bbr_flows_favour_longer_paths(evidence: Evidence) -> Judgement:
    runs = evidence["rtt-four-flows"].where(algorithm="bbr")
    return all_of(goodput(runs, far) > goodput(runs, near) for far, near in product((3, 4), (1, 2)))


CLAIMS.untestable("fiftyshades2019-e15", NOT_AS_MEASURED)


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


CLAIMS.waiting("quic-bw-two-flows", "fiftyshades2019-q1", "fiftyshades2019-q4", "fiftyshades2019-q5")
CLAIMS.waiting("quic-rtt-two-flows", "fiftyshades2019-q2", "fiftyshades2019-q3")
CLAIMS.waiting("baseline-quic", "fiftyshades2019-q6")
