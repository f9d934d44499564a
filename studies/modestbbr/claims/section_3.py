"""Section III: design."""

from fairlane.study.claims import Evidence, Judgement, all_of

from . import CLAIMS, CLOSE, READING, claim, five, goodput, total


def saves_retransmissions_for_little_throughput(evidence: Evidence, reading: str) -> Judgement:
    metric = "total_retransmits"
    return all_of(
        [
            total(evidence, reading, "cubic", metric) < total(evidence, "bbr", "cubic", metric),
            goodput(evidence, reading, "cubic", "a") >= goodput(evidence, "bbr", "cubic", "a") * CLOSE,
        ]
    )


@claim("modestbbr-s3b-1", explanation=READING, cause="predicate")
def moderation_saves_retransmissions_for_little_throughput(evidence: Evidence) -> Judgement:
    return saves_retransmissions_for_little_throughput(evidence, "modest_bbr")


@CLAIMS.other_reading("modestbbr-s3b-1")
def with_the_search_of_the_text(evidence: Evidence) -> Judgement:
    """The search judges the middle that it has set (Section III-B), and not the next one (Algorithm 1)."""
    return saves_retransmissions_for_little_throughput(evidence, "tested_middle")


@claim("modestbbr-s3c-1")
def other_w_max_waste_the_link_or_fill_the_queue(evidence: Evidence) -> Judgement:
    """Two flows of Modest BBR: with 0.75 they get less than with 1, and with 1.25 their RTT is longer.

    The queue holds 100 packets: one of 13 cannot delay anything for long. Algorithm 1 has no W_max, and its line 20
    keeps the window to BBR's; the program lets the linear increase of Section III-B go up to W_max.
    """
    runs = evidence["parameters-w-max"].where(buffer="100p")
    low, usual, high = (runs.where(w_max=value) for value in ("0.75", "1", "1.25"))
    return all_of(
        [
            low["total_goodput_mbps"] < usual["total_goodput_mbps"],
            *(high.of(flow)["mean_rtt_ms"] > usual.of(flow)["mean_rtt_ms"] for flow in "ab"),
        ]
    )


@claim(
    "modestbbr-s3c-2",
    explanation="a ProbeRTT common to all flows makes shares equal, for any W_min; RTTs of 3 to 40 ms, queues of 42 to 1000 packets, 10 Mbit/s and the three readings of Figure 7 were tried",
    cause="unexplained",
)
def low_w_min_slows_convergence(evidence: Evidence) -> Judgement:
    """0.1 against the paper's 0.75. A time of the whole run means that the flows never came to equal shares."""
    runs = evidence["parameters-convergence"]
    return runs.where(w_min="0.1")["time_to_fairness_3s_s"] > runs.where(w_min="0.75")["time_to_fairness_3s_s"]


@claim("modestbbr-s3c-3")
def high_w_min_does_not_stop_retransmissions(evidence: Evidence) -> Judgement:
    """0.99 compared with the paper's 0.75, against CUBIC. No metric defines the oscillation."""
    runs, metric = evidence["parameters"].where(s_min="1").of("a"), "retransmits_per_30s"
    return runs.where(w_min="0.99")[metric] > runs.where(w_min="0.75")[metric]


@claim("modestbbr-s3c-4")
def s_min_trades_throughput_for_retransmissions(evidence: Evidence) -> Judgement:
    """A sixteenth of a packet, one packet as in the paper, and 16 packets, against CUBIC."""
    runs = evidence["parameters"].where(w_min="0.75").of("a")
    low, usual, high = (runs.where(s_min=value) for value in ("0.0625", "1", "16"))
    return all_of(
        [
            low["goodput_mbps"] < usual["goodput_mbps"],
            high["retransmits_per_30s"] > usual["retransmits_per_30s"],
        ]
    )


@claim("modestbbr-s3d-1")
def several_converge_to_fair_shares(evidence: Evidence) -> Judgement:
    """Within the 60 s, and to an index of at least 0.95 over all of the time."""
    runs = five(evidence, "modest_bbr")
    return all_of([runs["time_to_fairness_3s_s"] < 60, runs["jain_index"] >= 0.95])
