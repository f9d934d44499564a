"""Section IV-D: five flows."""

from fairlane.study.claims import Evidence, Judgement, all_of, between

from . import claim, five


@claim(
    "modestbbr-s4d-1",
    explanation="shares become equal when all flows are in ProbeRTT at once; the paper's parking lot is not described",
    cause="unexplained",
)
def five_flows_share_equally_after_22_s(evidence: Evidence) -> Judgement:
    """Within one of the paper's samples of 3 s. A time of 60 s means that they never came to equal shares."""
    return all_of(between(five(evidence, name)["time_to_fairness_3s_s"], 19, 25) for name in ("modest_bbr", "bbr"))


@claim(
    "modestbbr-s4d-2",
    explanation="shares become equal at a ProbeRTT that all flows have in common, and which one that is varies",
    cause="chance",
)
def moderation_changes_little_among_equals(evidence: Evidence) -> Judgement:
    """Both converge, within one sample of 3 s of each other, and have an index of fairness within 0.05.

    A time of 60 s means that they never came to equal shares, in which two that fail would agree. Modest BBR has to lose
    packets: without losses it is BBR.
    """
    modest, bbr = five(evidence, "modest_bbr"), five(evidence, "bbr")
    return all_of(
        [
            modest["total_retransmits"] > 0,
            *(runs["time_to_fairness_3s_s"] < 60 for runs in (modest, bbr)),
            between(modest["time_to_fairness_3s_s"] - bbr["time_to_fairness_3s_s"], -3, 3),
            between(modest["jain_index"] - bbr["jain_index"], -0.05, 0.05),
        ]
    )
