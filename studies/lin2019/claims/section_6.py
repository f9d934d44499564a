"""Section 6: Wi-Fi at 2.4 GHz (802.11n) and 5 GHz (802.11ac)."""

from fairlane.study.claims import Evidence, Judgement, Measurement, about, all_of, between

from . import AT_START_S, BANDS, CLAIMS, FAIR, STEADY, WIRELESS, against, alone, downloads, goodput, twice
from .reasons import (
    CUT_BY_ERRORS,
    LASTING_DIFFERENCE,
    GAPS,
    GROWTH,
    LESS_THAN_THE_PAPER,
    LOST_BY_RETRIES,
    PACED_FASTER,
    SHORT_QUEUE,
)

claim = CLAIMS.claim
OTHERS = tuple(name for name in WIRELESS if name != "bbr")
COMPETITORS = tuple(name for name in WIRELESS if name != "cubic")


def jain(evidence: Evidence, band: str, name: str) -> Measurement:
    """Of an algorithm against CUBIC."""
    return against(evidence, band, name)["jain_index"]


FITTED = ("cubic", "bbr", "veno")
"""Algorithms whose rows of Tables 12 and 13 the Wi-Fi networks were fitted to."""


@claim("lin2019-s61-1")
def goodput_doubles(evidence: Evidence) -> Judgement:
    """Of the algorithms to which the rates of the bands were not fitted."""
    metric = "goodput_mbps"
    return all_of(
        alone(evidence, "wifi-5g", name)[metric] >= 2 * alone(evidence, "wifi-2g4", name)[metric]
        for name in WIRELESS
        if name not in FITTED
    )


@claim("lin2019-s61-2", explanation=SHORT_QUEUE, contradicted="Tables 12 and 13: 38 % for BBR", cause="unexplained")
def rtt_falls_by_60_per_cent(evidence: Evidence) -> Judgement:
    """By 54 to 66 %."""
    metric = "mean_rtt_ms"
    return all_of(
        between(alone(evidence, "wifi-5g", name)[metric] / alone(evidence, "wifi-2g4", name)[metric], 0.34, 0.46)
        for name in WIRELESS
    )


@claim(
    "lin2019-s61-3",
    explanation=LOST_BY_RETRIES,
    contradicted="Tables 12 and 13: 10 % for BBR, 37 % for Westwood+, 42 % for CUBIC",
    cause="unexplained",
)
def retransmissions_fall_by_46_per_cent(evidence: Evidence) -> Judgement:
    metric = "retransmits_per_s"
    return all_of(
        alone(evidence, "wifi-5g", name)[metric] < 0.54 * alone(evidence, "wifi-2g4", name)[metric] for name in WIRELESS
    )


@claim(
    "lin2019-s611-1",
    explanation=LESS_THAN_THE_PAPER,
    contradicted="Table 13: NewReno retransmits 0.031 in a second, BBR 0.036",
    cause="unexplained",
)
def bbr_has_less_of_everything(evidence: Evidence) -> Judgement:
    """Clearly lower is at most 90 %."""
    return all_of(
        judgement
        for band in BANDS
        for name in OTHERS
        for judgement in (
            alone(evidence, band, "bbr")["mean_rtt_ms"] < alone(evidence, band, name)["mean_rtt_ms"],
            alone(evidence, band, "bbr")["retransmits_per_s"] <= alone(evidence, band, name)["retransmits_per_s"],
            alone(evidence, band, "bbr")["goodput_mbps"] <= 0.9 * alone(evidence, band, name)["goodput_mbps"],
        )
    )


@claim("lin2019-s611-2", explanation=LESS_THAN_THE_PAPER, cause="unexplained")
def bbr_has_30_per_cent_less_than_cubic(evidence: Evidence) -> Judgement:
    bbr, cubic = (alone(evidence, "wifi-2g4", name)["goodput_mbps"] for name in ("bbr", "cubic"))
    return about(bbr / cubic, 0.7)


@claim("lin2019-s611-3", contradicted="Table 12 has 2.92 times as many, the text 1.75")
def bbr_turns_the_channel_most_often(evidence: Evidence) -> Judgement:
    metric = "ack_blocks_per_s"
    return all_of(
        alone(evidence, band, "bbr")[metric] > alone(evidence, band, name)[metric] for band in BANDS for name in OTHERS
    )


@claim("lin2019-s611-4")
def bbr_has_the_smallest_blocks(evidence: Evidence) -> Judgement:
    metric = "packets_per_ack_block"
    return all_of(
        alone(evidence, band, "bbr")[metric] < alone(evidence, band, name)[metric] for band in BANDS for name in OTHERS
    )


STRONGLY = -0.5
"""The largest correlation that is strongly negative (Cohen 1988)."""


@claim("lin2019-s611-5", explanation=GAPS, cause="unexplained")
def bbrs_blocks_and_gaps_are_opposed(evidence: Evidence) -> Judgement:
    """Second by second, in the trace of the sender."""
    bbr, cubic = (alone(evidence, "wifi-2g4", name) for name in ("bbr", "cubic"))
    return all_of(
        [
            bbr["ack_block_gap_correlation"] <= STRONGLY,
            cubic["ack_block_variation"] <= STEADY,
            cubic["segment_gap_variation"] <= STEADY,
        ]
    )


@claim("lin2019-s611-6", explanation=GAPS, cause="unexplained")
def bbrs_gaps_are_3_5_times_cubics(evidence: Evidence) -> Judgement:
    bbr, cubic = (alone(evidence, "wifi-2g4", name)["segment_gap_ms"] for name in ("bbr", "cubic"))
    return about(bbr / cubic, 3.5)


@claim("lin2019-obs8", explanation=PACED_FASTER, cause="unexplained")
def small_pacing_rate_lowers_bbrs_goodput(evidence: Evidence) -> Judgement:
    """Its goodput is the lowest, and its pacing rate so small that it can be the reason: below what others reach."""
    rate = "goodput_mbps"
    bbrs = {band: alone(evidence, band, "bbr") for band in BANDS}
    others = {band: [alone(evidence, band, name)[rate] for name in OTHERS] for band in BANDS}
    return all_of(
        judgement
        for band, bbr in bbrs.items()
        for other in others[band]
        for judgement in (bbr[rate] < other, bbr["mean_pacing_mbps"] < other)
    )


@claim("lin2019-s612-1", explanation=LOST_BY_RETRIES, cause="unexplained")
def cubic_has_nearly_twice_as_much(evidence: Evidence) -> Judgement:
    """Nearly twice is at least 1.5 times as much."""
    return all_of(
        alone(evidence, band, "cubic")[metric] >= 1.5 * alone(evidence, band, name)[metric]
        for band in BANDS
        for name in WIRELESS
        if name != "cubic"
        for metric in ("retransmits_per_s", "mean_cwnd_kb")
    )


@claim("lin2019-s612-2", explanation=LOST_BY_RETRIES, cause="unexplained")
def newreno_matches_cubic_with_less(evidence: Evidence) -> Judgement:
    """Far fewer is at most 75 %."""
    return all_of(
        judgement
        for band in BANDS
        for reno, cubic in [(alone(evidence, band, "reno"), alone(evidence, band, "cubic"))]
        for judgement in (
            about(reno["goodput_mbps"] / cubic["goodput_mbps"], 1),
            reno["retransmits_per_s"] <= 0.75 * cubic["retransmits_per_s"],
            reno["mean_rtt_ms"] < cubic["mean_rtt_ms"],
        )
    )


@claim("lin2019-obs9", explanation=LOST_BY_RETRIES, cause="unexplained")
def cubic_retransmits_most(evidence: Evidence) -> Judgement:
    metric = "retransmits_per_s"
    return all_of(
        alone(evidence, band, "cubic")[metric] > alone(evidence, band, name)[metric]
        for band in BANDS
        for name in WIRELESS
        if name != "cubic"
    )


@claim("lin2019-s62-1", explanation=LESS_THAN_THE_PAPER, cause="unexplained")
def bbr_downloads_most_slowly(evidence: Evidence) -> Judgement:
    """Of the means, not of the medians."""
    metric = "goodput_mbps"
    return all_of(
        downloads(evidence, band, "bbr")[metric] < downloads(evidence, band, name)[metric]
        for band in BANDS
        for name in OTHERS
    )


@claim("lin2019-s62-2", explanation=CUT_BY_ERRORS, cause="unexplained")
def bbr_and_westwood_vary_most(evidence: Evidence) -> Judgement:
    """As in 5.2: the standard deviation over the downloads."""
    return all_of(
        downloads(evidence, "wifi-2g4", one)["goodput_mbps"].stddev
        > downloads(evidence, "wifi-2g4", other)["goodput_mbps"].stddev
        for one in ("bbr", "westwood")
        for other in ("cubic", "reno", "veno")
    )


@claim("lin2019-s63-1")
def cubic_pushes_every_competitor_down(evidence: Evidence) -> Judgement:
    """Strongly is to less than half of its own, as in the LAN."""
    return all_of(
        goodput(against(evidence, "wifi-2g4", name), 1) < 0.5 * goodput(against(evidence, "wifi-2g4", name), 2)
        for name in COMPETITORS
    )


@claim("lin2019-s63-2")
def cubics_window_is_much_larger(evidence: Evidence) -> Judgement:
    """Much larger is at least twice as large."""
    pairs = [against(evidence, "wifi-2g4", name) for name in COMPETITORS]
    return all_of(pair.of("2")["mean_cwnd_kb"] >= 2 * pair.of("1")["mean_cwnd_kb"] for pair in pairs)


@claim("lin2019-s63-3")
def two_share_at_5_ghz(evidence: Evidence) -> Judgement:
    return all_of(jain(evidence, "wifi-5g", name) >= FAIR for name in ("reno", "westwood"))


@claim("lin2019-s63-4", explanation=LASTING_DIFFERENCE, cause="unexplained", variant="hidden-laptops")
def two_share_better_at_5_ghz(evidence: Evidence) -> Judgement:
    return all_of(jain(evidence, "wifi-5g", name) > jain(evidence, "wifi-2g4", name) for name in ("veno", "bbr"))


@claim("lin2019-s63-5", explanation=LASTING_DIFFERENCE, cause="unexplained")
def all_but_two_share_at_5_ghz(evidence: Evidence) -> Judgement:
    """That BBR and Veno are excepted says that each shares worse, with CUBIC and with itself."""
    return all_of(
        [
            *(jain(evidence, "wifi-5g", name) >= FAIR for name in ("reno", "westwood")),
            *(twice(evidence, "wifi-5g", name)["jain_index"] >= FAIR for name in ("cubic", "reno", "westwood")),
            *(jain(evidence, "wifi-5g", name) < FAIR for name in ("bbr", "veno")),
            *(twice(evidence, "wifi-5g", name)["jain_index"] < FAIR for name in ("bbr", "veno")),
        ]
    )


@claim("lin2019-obs10")
def cubic_shares_poorly_at_2_4_ghz(evidence: Evidence) -> Judgement:
    return all_of(jain(evidence, "wifi-2g4", name) < FAIR for name in COMPETITORS)


def time(evidence: Evidence, band: str, name: str) -> Measurement:
    return alone(evidence, band, name)["convergence_time_30s_s"]


@claim("lin2019-s64-1", explanation=GROWTH, cause="unexplained")
def cubic_converges_later_at_5_ghz(evidence: Evidence) -> Judgement:
    stability = [alone(evidence, band, "cubic")["stability_30s_kb"] for band in BANDS]
    later = time(evidence, "wifi-5g", "cubic") > time(evidence, "wifi-2g4", "cubic")
    return all_of([later, stability[1] > stability[0]])


@claim("lin2019-s64-2")
def bbr_converges_at_the_start(evidence: Evidence) -> Judgement:
    return all_of(time(evidence, band, "bbr") <= AT_START_S for band in BANDS)


@claim("lin2019-s64-3", explanation=GROWTH, cause="unexplained")
def three_converge_much_sooner_at_5_ghz(evidence: Evidence) -> Judgement:
    return all_of(
        time(evidence, "wifi-5g", name) <= 0.63 * time(evidence, "wifi-2g4", name)
        for name in ("reno", "westwood", "veno")
    )


@claim("lin2019-obs11", explanation=GROWTH, cause="unexplained")
def three_converge_sooner_at_5_ghz(evidence: Evidence) -> Judgement:
    return all_of(
        time(evidence, "wifi-5g", name) < time(evidence, "wifi-2g4", name) for name in ("reno", "westwood", "veno")
    )
