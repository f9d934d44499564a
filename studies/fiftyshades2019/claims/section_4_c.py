"""Section IV-C: one flow."""

from itertools import product

from fairlane.study.claims import Evidence, Judgement, Measurement, about, all_of, between

from . import (
    DELAY,
    EVERY,
    HYBRID,
    LOSS,
    alone,
    claim,
    other_reading,
    pair,
    with_udp,
)


@claim("fiftyshades2019-c1")
def nobody_fills_the_link(evidence: Evidence) -> Judgement:
    return all_of(alone(evidence, name, "throughput_mbps") < 75 for name in EVERY)


@claim("fiftyshades2019-c2")
def delay_based_send_least(evidence: Evidence) -> Judgement:
    return all_of(
        alone(evidence, other, "sending_rate_mbps") > 1.05 * alone(evidence, delay, "sending_rate_mbps")
        for delay, other in product(DELAY, LOSS + HYBRID)
    )


@claim(
    "fiftyshades2019-c3",
    explanation="the window of a flow alone ends growth below the queue, so that nothing is lost",
    cause="unexplained",
    variant="short-queue",
)
def loss_based_retransmit_most(evidence: Evidence) -> Judgement:
    return all_of(
        alone(evidence, loss, "retransmits") > alone(evidence, other, "retransmits")
        for loss, other in product(LOSS, DELAY + HYBRID)
    )


@other_reading("fiftyshades2019-c3")
def loss_based_retransmit_most_as_a_group(evidence: Evidence) -> Judgement:
    """On average over the algorithms of each group."""

    def mean(first: str, *rest: str) -> Measurement:
        every = (alone(evidence, name, "retransmits") for name in rest)
        return sum(every, alone(evidence, first, "retransmits")) / len((first, *rest))

    return all_of(mean(*LOSS) > mean(*other) for other in (DELAY, HYBRID))


@claim("fiftyshades2019-c4")
def delay_based_do_not_retransmit(evidence: Evidence) -> Judgement:
    return all_of(alone(evidence, delay, "retransmits") <= 0 for delay in DELAY)


@claim("fiftyshades2019-c5")
def hybrid_retransmit_little(evidence: Evidence) -> Judgement:
    """Less than one packet in a thousand of the half million that 60 s hold."""
    return all_of(alone(evidence, name, "retransmits_per_packet_pct") < 0.1 for name in HYBRID)


@claim("fiftyshades2019-c6")
def algorithms_for_fast_links_grow_fast(evidence: Evidence) -> Judgement:
    """After a reduction, faster than Reno, which is not made for fast links: in pairs, as a flow alone loses nothing."""

    def growth(name: str) -> Measurement:
        return pair(evidence, name, name).of("1")["cwnd_growth_packets_per_s"]

    return all_of(growth(name) > growth("reno") for name in ("highspeed", "htcp", "bic", "cubic", "illinois"))


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
    """ "35 - 166 times lower": both ends are rounded."""
    return all_of(
        between(alone(evidence, loss, "mean_rtt_ms") / alone(evidence, delay, "mean_rtt_ms"), 34.5, 166.5)
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
    explanation="a delay of 500 ms needs 3000 packets in the queue, and a window as large",
    cause="testbed",
    variant="longest-queue",
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
    """Illinois sends at least half of its goodput alone, as loss-based algorithms do; the others less than a fifth."""
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
