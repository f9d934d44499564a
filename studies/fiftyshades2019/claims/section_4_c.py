"""Section IV-C: one flow."""

from itertools import product

from fairlane.claims import Evidence, Judgement, about, all_of, between

from . import (
    CLAIMS,
    DELAY,
    EVERY,
    HYBRID,
    LOSS,
    NOT_AS_MEASURED,
    alone,
    claim,
    with_udp,
)


@claim(
    "fiftyshades2019-c1",
    explanation="The paper's link carries no more than 73 of its 100 Mbps and no cause is given; the "
    "simulated link has no such limit.",
)
def nobody_fills_the_link(evidence: Evidence) -> Judgement:
    return all_of(alone(evidence, name, "throughput_mbps") < 75 for name in EVERY)


@claim(
    "fiftyshades2019-c2",
    explanation="everyone fills the simulated link, so sending rates differ little: 97.4 to 99.1 Mbps",
)
def delay_based_send_least(evidence: Evidence) -> Judgement:
    return all_of(
        alone(evidence, other, "sending_rate_mbps") > 1.05 * alone(evidence, delay, "sending_rate_mbps")
        for delay, other in product(DELAY, LOSS + HYBRID)
    )


@claim(
    "fiftyshades2019-c3",
    explanation="of the loss-based ones only CUBIC has HyStart and few retransmissions (76); slow start "
    "of the others overshoots a queue of 1000 packets by 800 to 2,400, and that of Veno and "
    "Illinois, hybrid, just as well",
)
def loss_based_retransmit_most(evidence: Evidence) -> Judgement:
    return all_of(
        alone(evidence, loss, "retransmits") > alone(evidence, other, "retransmits")
        for loss, other in product(LOSS, DELAY + HYBRID)
    )


@claim("fiftyshades2019-c4")
def delay_based_do_not_retransmit(evidence: Evidence) -> Judgement:
    return all_of(alone(evidence, delay, "retransmits") <= 0 for delay in DELAY)


@claim(
    "fiftyshades2019-c5",
    explanation="Veno and Illinois start as Reno does and overshoot the queue once, by 890 and 970 "
    "packets; YeAH and BBR have none",
)
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


@claim(
    "fiftyshades2019-c8",
    contradicted="Table I gives LoLA an average of 2.70 ms",
    explanation="Vegas has 1.7 ms; LoLA has 3.6, in the paper 2.7. After a decrease it waits until RTTs show it, which "
    "LoLA's own paper leaves open: without the wait it has 2.2 ms and 83 Mbps (wait_after_decrease=0). The values of "
    "its authors' module change it by 0.1 ms",
)
def delay_based_rtt_is_at_most_2_ms(evidence: Evidence) -> Judgement:
    return all_of(alone(evidence, name, "mean_rtt_ms") < 2.2 for name in DELAY)


@claim(
    "fiftyshades2019-c9",
    explanation="the RTT of loss-based algorithms is bounded by the queue of 123 ms, half of what the "
    "paper measured, and LoLA's is a third above the paper's",
)
def delay_based_rtt_is_35_to_166_times_lower(evidence: Evidence) -> Judgement:
    return all_of(
        between(alone(evidence, loss, "mean_rtt_ms") / alone(evidence, delay, "mean_rtt_ms"), 35, 166)
        for loss, delay in product(LOSS, DELAY)
    )


@claim(
    "fiftyshades2019-c10",
    contradicted="Table I: 4.37 ms of BBR is 1.6 times LoLA's 2.70 ms",
    explanation="LoLA's 3.6 ms against BBR's 4.4; the paper's own pair is 2.7 and 4.4",
)
def delay_based_rtt_is_half_of_hybrid(evidence: Evidence) -> Judgement:
    return all_of(
        alone(evidence, hybrid, "mean_rtt_ms") >= 2 * alone(evidence, delay, "mean_rtt_ms")
        for hybrid, delay in product(HYBRID, DELAY)
    )


@claim(
    "fiftyshades2019-c11",
    explanation="1000 packets of 1538 bytes last 123 ms at 100 Mbps, so no RTT can be near 500 ms; the "
    "paper's queue must have held more than its txqueuelen says.",
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


@claim(
    "fiftyshades2019-c15",
    explanation="all of them fill the simulated link: 94.1 Mbps, LoLA 93.5",
)
def delay_based_have_less_goodput(evidence: Evidence) -> Judgement:
    return all_of(
        alone(evidence, delay, "goodput_mbps") < alone(evidence, loss, "goodput_mbps")
        for delay, loss in product(DELAY, LOSS)
    )


@claim(
    "fiftyshades2019-c16",
    explanation="90 Mbps of UDP leave the ACKs 10, and they need 4: nothing is delayed. With 100 Mbps, "
    "which is run as well, Vegas falls to 8 Mbps, LoLA to 0.6, Westwood to 38, YeAH to 44 "
    "and BBR to 58, and the others keep 93 to 94",
)
def reverse_udp_costs_everyone_10_mbps(evidence: Evidence) -> Judgement:
    rate = "sending_rate_mbps"
    return all_of(alone(evidence, name, rate) - with_udp(evidence, name, rate) >= 10 for name in EVERY)


@claim(
    "fiftyshades2019-c17",
    explanation="90 Mbps of UDP leave the ACKs 10, and they need 4: nothing is delayed. With 100 Mbps, "
    "which is run as well, Vegas falls to 8 Mbps, LoLA to 0.6, Westwood to 38, YeAH to 44 "
    "and BBR to 58, and the others keep 93 to 94",
)
def reverse_udp_leaves_delay_based_3_per_cent(evidence: Evidence) -> Judgement:
    return all_of(with_udp(evidence, name, "sending_rate_mbps") < 5 for name in DELAY)


@claim(
    "fiftyshades2019-c18",
    contradicted="in Table II the windows of Vegas, LoLA, Veno and YeAH shrink",
    explanation="90 Mbps of UDP leave the ACKs 10, and they need 4: nothing is delayed, and neither grows",
)
def reverse_udp_lengthens_rtt_and_window(evidence: Evidence) -> Judgement:
    return all_of(
        with_udp(evidence, name, metric) > alone(evidence, name, metric)
        for name in EVERY
        for metric in ("mean_rtt_ms", "mean_cwnd_packets")
    )


@claim(
    "fiftyshades2019-c19",
    explanation="90 Mbps of UDP leave the ACKs 10, and they need 4: no flow suffers. With 100 Mbps Illinois keeps 94 "
    "Mbps, as Veno does; YeAH falls to 44 and BBR to 58",
)
def illinois_suffers_less(evidence: Evidence) -> Judgement:
    return all_of(
        with_udp(evidence, "illinois", "goodput_mbps") > with_udp(evidence, other, "goodput_mbps")
        for other in ("bbr", "veno", "yeah")
    )


@claim(
    "fiftyshades2019-c20",
    explanation="90 Mbps of UDP leave the ACKs 10, and they need 4: nothing is delayed. With 100 Mbps, "
    "which is run as well, Vegas falls to 8 Mbps, LoLA to 0.6, Westwood to 38, YeAH to 44 "
    "and BBR to 58, and the others keep 93 to 94",
)
def hybrid_are_like_one_group_or_the_other(evidence: Evidence) -> Judgement:
    """Illinois sends half of what it would alone or more, as loss-based ones do; the others less than a fifth."""
    rate = "goodput_mbps"
    return all_of(
        [
            with_udp(evidence, "illinois", rate) > 0.5 * alone(evidence, "illinois", rate),
            *(with_udp(evidence, name, rate) < 0.2 * alone(evidence, name, rate) for name in ("veno", "yeah", "bbr")),
        ]
    )


@claim(
    "fiftyshades2019-c21",
    contradicted="Illinois (221.61 ms) and Veno (106.79 ms) are hybrid and fill buffers",
    explanation="Veno and Illinois fill the buffer as Reno does, 88 and 90 ms, and H-TCP and Westwood "
    "leave less, 80 to 83",
)
def only_loss_based_have_a_high_rtt(evidence: Evidence) -> Judgement:
    return all_of(
        alone(evidence, loss, "mean_rtt_ms") > alone(evidence, other, "mean_rtt_ms")
        for loss, other in product(LOSS, DELAY + HYBRID)
    )
