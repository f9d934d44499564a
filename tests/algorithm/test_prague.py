"""Prague next to classic flows through DualPI2, which RFC 9332 couples so that both get equal rates."""

import fairlane
import pytest


@pytest.mark.parametrize(
    ("rival", "rate", "rtt"),
    [
        ("cubic", "40mbit", "10ms"),
        ("cubic", "120mbit", "10ms"),
        ("cubic", "40mbit", "40ms"),
        ("prague", "40mbit", "10ms"),
    ],
)
def test_rates_are_about_equal_and_the_low_latency_queue_is_short(rival, rate, rtt):
    """RFC 9332 section 2.1 aims at about equal rates. RFC 9330 section 1 names a queue below 1 ms in the mean and below
    about 2 ms at the 99th percentile. Here it is the RTT of the packets less the base RTT, which adds their own time.
    """
    flows = fairlane.duel("prague", rival, rate=rate, rtt=rtt, duration="25s", queue="dualpi2").flows
    prague, other = flows["goodput_mbps"].to_list()
    assert 1 / 1.8 < prague / other < 1.8
    base_ms = float(rtt.removesuffix("ms"))
    assert flows["packet_rtt_mean_ms"][0] - base_ms < 1
    assert flows["packet_rtt_p99_ms"][0] - base_ms < 2
    assert flows["retransmits"][0] == 0
    assert prague + other > 0.93 * float(rate.removesuffix("mbit"))


def test_alone_it_fills_the_link():
    flows = fairlane.duel("prague", rate="40mbit", rtt="10ms", duration="20s", queue="dualpi2").flows
    assert flows["goodput_mbps"][0] > 0.93 * 38.7  # payload's part of 40 Mbit/s
    assert flows["packet_rtt_mean_ms"][0] < 12


def test_its_packets_carry_ect1_and_classic_ones_do_not():
    """Only ECT(1) is marked by this threshold."""
    queue = {"kind": "fq_codel", "ce_threshold": "1ms", "ce_threshold_ect1_only": True, "ecn": False}
    flows = fairlane.duel(
        "prague", "cubic", rate="40mbit", rtt="10ms", duration="5s", queue=queue, buffer="300p", ecn="accecn"
    ).flows
    assert flows["marked_packets"][0] > 100
    assert flows["marked_packets"][1] == 0


def test_without_a_queue_that_marks_it_reacts_to_loss():
    flows = fairlane.duel("prague", "reno", rate="20mbit", rtt="40ms", duration="30s", buffer="1bdp").flows
    assert flows["retransmits"][0] > 0
    share = flows["goodput_mbps"][0] / flows["goodput_mbps"].sum()
    assert 0.25 < share < 0.75
