"""Section IV-C: two flows."""

from fairlane.study.claims import Evidence, Judgement, about, between

from . import CLAIMS, READING, claim, gain_is_about, goodput, pair, resent, total


@claim("modestbbr-s4c-1", contradicted="39.5 by 6.3 is 6.3, and 39.5 with three times as much exceeds the link")
def cubic_gets_four_times_as_much_beside_modest_bbr(evidence: Evidence) -> Judgement:
    return about(goodput(evidence, "modest_bbr", "cubic", "b") / goodput(evidence, "bbr", "cubic", "b"), 4)


@claim(
    "modestbbr-s4c-2",
    contradicted="with 39.5 Mbps for CUBIC three times as much exceeds the link",
    explanation=READING,
    cause="version",
)
def modest_bbr_gets_three_times_what_cubic_gets(evidence: Evidence) -> Judgement:
    return about(goodput(evidence, "modest_bbr", "cubic", "a") / goodput(evidence, "modest_bbr", "cubic", "b"), 3)


@claim(
    "modestbbr-s4c-3",
    contradicted="abstract and Section I: 7.1 %",
    explanation="BBR and CUBIC leave 7 % of the link unused. CUBIC beside Modest BBR sends more, and bursts of its packets "
    "are what the short queue drops, so that more of it stays unused",
    cause="unexplained",
)
def the_total_is_4_per_cent_above_bbrs(evidence: Evidence) -> Judgement:
    metric = "total_goodput_mbps"
    return gain_is_about(
        total(evidence, "modest_bbr", "cubic", metric) / total(evidence, "bbr", "cubic", metric), 0.038
    )


@claim(
    "modestbbr-s4c-4",
    explanation="CUBIC leaves much of the link unused, as in the paper, and so does CUBIC beside Modest BBR",
    cause="unexplained",
)
def the_total_is_28_per_cent_above_cubics(evidence: Evidence) -> Judgement:
    metric = "total_goodput_mbps"
    return gain_is_about(
        total(evidence, "modest_bbr", "cubic", metric) / total(evidence, "cubic", "cubic", metric), 0.283
    )


@claim(
    "modestbbr-s4c-5",
    explanation=READING,
    cause="version",
)
def modest_bbr_retransmits_two_to_three_times_as_much_as_cubic(evidence: Evidence) -> Judgement:
    return between(resent(evidence, "modest_bbr", "cubic", "a") / resent(evidence, "modest_bbr", "cubic", "b"), 2, 3)


@claim(
    "modestbbr-s4c-6",
    contradicted="'0.5X to 1X less': 1X less would be none at all",
    explanation="'0.5X to 1X less' can also mean that it has 1.5 to 2 times as many beside BBR",
    cause="predicate",
)
def cubic_retransmits_less_beside_modest_bbr(evidence: Evidence) -> Judgement:
    """At most 50 %: the lower end of "0.5X to 1X less"."""
    return resent(evidence, "modest_bbr", "cubic", "b") <= resent(evidence, "bbr", "cubic", "b") * 0.5


@CLAIMS.other_reading("modestbbr-s4c-6")
def cubic_retransmits_half_as_much_again_beside_bbr(evidence: Evidence) -> Judgement:
    """Beside BBR it has 1.5 times as many or more."""
    return resent(evidence, "bbr", "cubic", "b") >= resent(evidence, "modest_bbr", "cubic", "b") * 1.5


@claim(
    "modestbbr-s4c-7",
    contradicted="'120 % less' cannot be; perhaps BBR and CUBIC have 120 % more",
    explanation=READING,
    cause="unexplained",
)
def far_fewer_retransmissions_in_all(evidence: Evidence) -> Judgement:
    """At most 50 %; if BBR and CUBIC have 120 % more, it is 0.45."""
    metric = "total_retransmits"
    return total(evidence, "modest_bbr", "cubic", metric) <= total(evidence, "bbr", "cubic", metric) * 0.5


@claim(
    "modestbbr-s4c-8",
    explanation=READING,
    cause="version",
)
def retransmissions_are_39_per_cent_above_cubics(evidence: Evidence) -> Judgement:
    metric = "total_retransmits"
    return gain_is_about(
        total(evidence, "modest_bbr", "cubic", metric) / total(evidence, "cubic", "cubic", metric), 0.39
    )


@claim("modestbbr-s4c-9")
def modest_bbr_is_friendlier_to_cubic(evidence: Evidence) -> Judgement:
    return pair(evidence, "modest_bbr", "cubic")["jain_index"] > pair(evidence, "bbr", "cubic")["jain_index"]


@claim(
    "modestbbr-s4c-10",
    explanation="no reading of Algorithm 1 that yields to losses keeps up with BBR, which does not; without moderation the two are equal, as in Figure 9(b) (studies/modestbbr/README.md)",
    cause="version",
)
def modest_bbr_keeps_up_with_bbr(evidence: Evidence) -> Judgement:
    return about(goodput(evidence, "modest_bbr", "bbr", "a") / goodput(evidence, "modest_bbr", "bbr", "b"), 0.93)


@claim(
    "modestbbr-s4c-11",
    explanation=READING,
    cause="version",
)
def modest_bbr_retransmits_half_of_what_bbr_does(evidence: Evidence) -> Judgement:
    return about(resent(evidence, "modest_bbr", "bbr", "a") / resent(evidence, "modest_bbr", "bbr", "b"), 0.5)
