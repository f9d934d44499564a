"""Section II: BBR and CUBIC."""

from fairlane.study.claims import Evidence, Judgement, about, all_of, between

from . import claim, goodput, resent, total


@claim("modestbbr-s2a-1")
def bbr_gets_13_times_what_cubic_gets(evidence: Evidence) -> Judgement:
    """88.1 by 6.3 is 13.98, and the text says 13."""
    ratio = goodput(evidence, "bbr", "cubic", "a") / goodput(evidence, "bbr", "cubic", "b")
    return between(ratio, 0.9 * 13, 1.1 * 13.98)


@claim("modestbbr-s2a-2")
def two_cubic_flows_get_the_same(evidence: Evidence) -> Judgement:
    return about(goodput(evidence, "cubic", "cubic", "a") / goodput(evidence, "cubic", "cubic", "b"), 1)


@claim("modestbbr-s2a-3")
def cubic_falls_to_a_sixth_beside_bbr(evidence: Evidence) -> Judgement:
    return about(goodput(evidence, "bbr", "cubic", "b") / goodput(evidence, "cubic", "cubic", "b"), 1 / 6)


@claim("modestbbr-s2a-4")
def bbr_and_cubic_together_get_more_than_two_cubic_flows(evidence: Evidence) -> Judgement:
    metric = "total_goodput_mbps"
    return total(evidence, "bbr", "cubic", metric) > total(evidence, "cubic", "cubic", metric)


@claim("modestbbr-s2a-5")
def cubic_collapses_when_bbr_joins(evidence: Evidence) -> Judgement:
    """To a fifth or less; in the paper it is a fifteenth."""
    cubic = evidence["staggered"].of("cubic")
    return cubic["goodput_since_last_start_mbps"] <= cubic["goodput_before_last_start_mbps"] * 0.2


@claim("modestbbr-obs1")
def bbr_overwhelms_cubic(evidence: Evidence) -> Judgement:
    """Gets five times as much or more."""
    return goodput(evidence, "bbr", "cubic", "a") >= 5 * goodput(evidence, "bbr", "cubic", "b")


@claim("modestbbr-s2b-1")
def bbr_retransmits_three_times_as_much_as_cubic(evidence: Evidence) -> Judgement:
    """1600 by 600 is 2.67, and the text says 3."""
    ratio = resent(evidence, "bbr", "cubic", "a") / resent(evidence, "bbr", "cubic", "b")
    return between(ratio, 0.9 * 2.67, 1.1 * 3)


@claim(
    "modestbbr-s2b-2",
    contradicted="250 'every second' would be 7500 in 30 s; for CUBIC against BBR, Figure 5 has 600, Figure 6 has 1600",
)
def two_cubic_flows_retransmit_far_less(evidence: Evidence) -> Judgement:
    """Less than half: in the paper 250 against 600, or 615 against 1600."""
    beside_bbr = resent(evidence, "bbr", "cubic", "b")
    return all_of(resent(evidence, "cubic", "cubic", flow) < beside_bbr * 0.5 for flow in "ab")


@claim("modestbbr-obs2")
def cubic_retransmits_more_because_of_bbr(evidence: Evidence) -> Judgement:
    return resent(evidence, "bbr", "cubic", "b") > resent(evidence, "cubic", "cubic", "b")
