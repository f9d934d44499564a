"""The paper's own numbers as evidence: published values are found, and no others."""

import math
from pathlib import Path

import pytest
from fairlane.study.claims import Evidence, Measurement, Verdict, all_of, any_of, judge
from fairlane.study.claims import load as load_claims
from fairlane.study.claims.judgement import Judgement
from fairlane.study.paper.definition import load
from fairlane.study.requirements import Requirements

STUDIES = Path(__file__).parents[2] / "studies"


@pytest.fixture
def numbers(study):
    text = (study / "study.toml").read_text()
    further = """
[[further_numbers]]
experiments = ["small"]
by = ["algorithm_a", "buffer_bdp"]
published = "further.csv"
values = [
    { metric = "total_goodput_mbps", divided_by = "buffer_bdp", scale = 2, published = "per_bdp" },
    { metric = "total_retransmits", relative_to = { algorithm_a = "cubic" }, published = "relative" },
    { metric = "total_retransmits", published = "retransmits" },
]
"""
    (study / "study.toml").write_text(text + further)
    (study / "further.csv").write_text(
        "algorithm_a,buffer_bdp,per_bdp,retransmits,relative\ncubic,2,8.0,100,1.0\nreno,2,6.0,,1.5\nreno,1,,,\n"
    )
    return Requirements(load(study)).evidence["small"]


def value(measurement):
    return measurement.interval.estimate


def test_numbers_of_groups_are_found_by_the_name_of_the_flow(numbers):
    at = numbers.where(algorithm_a="cubic", buffer_bdp=2)
    assert (value(at.of("a")["total_goodput_mbps"]), value(at.of("b")["total_goodput_mbps"])) == (6.0, 3.0)


def test_a_number_is_converted_to_our_unit(numbers):
    """Ours times two per BDP is 8: ours is 8 / 2 * 2."""
    assert value(numbers.where(algorithm_a="cubic", buffer_bdp=2)["total_goodput_mbps"]) == 8.0
    assert value(numbers.where(algorithm_a="reno", buffer_bdp=2)["total_goodput_mbps"]) == 6.0


def test_a_relative_number_is_multiplied_by_the_published_reference(numbers):
    assert value(numbers.where(algorithm_a="reno", buffer_bdp=2)["total_retransmits"]) == 150.0


def test_an_excess_is_added_to_the_published_reference(study):
    extra = """
[[further_numbers]]
experiments = ["small"]
by = ["algorithm_a", "buffer_bdp"]
published = "excess.csv"
values = [
    { metric = "total_retransmits", relative_to = { algorithm_a = "cubic" }, excess = true, published = "excess_pct" },
    { metric = "total_retransmits", published = "retransmits" },
]
"""
    (study / "study.toml").write_text((study / "study.toml").read_text() + extra)
    (study / "excess.csv").write_text("algorithm_a,buffer_bdp,retransmits,excess_pct\ncubic,2,100,\nreno,2,,50\n")
    numbers = Requirements(load(study)).evidence["small"]
    assert value(numbers.where(algorithm_a="reno", buffer_bdp=2)["total_retransmits"]) == 150.0


def test_a_mean_over_an_axis_is_not_a_number_of_one_value(numbers):
    """Table 1 has 4.0 for Reno, averaged over the buffers; nothing is published for each buffer."""
    small = numbers.where(algorithm_a="reno", buffer_bdp=1)
    assert math.isnan(value(small.of("a")["total_goodput_mbps"]))
    assert math.isnan(value(small["total_goodput_mbps"]))
    assert math.isnan(value(small["jain_index_of_groups"]))


@pytest.mark.parametrize(
    ("join", "known", "verdict"),
    [
        (all_of, Verdict.FAILS, Verdict.FAILS),
        (all_of, Verdict.HOLDS, Verdict.UNDECIDED),
        (any_of, Verdict.HOLDS, Verdict.HOLDS),
        (any_of, Verdict.FAILS, Verdict.UNDECIDED),
    ],
)
def test_a_missing_number_does_not_hide_other_verdicts(join, known, verdict):
    missing = Measurement.published("missing", math.nan) * 2 > 1
    assert missing.verdict is Verdict.UNDECIDED
    assert missing.summary == "missing × 2 not published"
    assert join([missing, Judgement(known, "known")]).verdict is verdict


def test_published_numbers_need_no_interval():
    one, other = Measurement.published("one", 2.0), Measurement.published("other", 3.0)
    assert [(one < other).verdict, (one + 1 >= other).verdict, (one > other).verdict] == [
        Verdict.HOLDS,
        Verdict.HOLDS,
        Verdict.FAILS,
    ]


def verdicts(study):
    own = Requirements(load(STUDIES / study)).evidence
    judged = [judge(claim, Evidence(lambda _: None), own) for claim in load_claims(STUDIES / study)]
    return {one.claim.published.id.removeprefix(f"{study}-"): one.supported for one in judged}


@pytest.mark.parametrize(
    ("study", "holds", "fails"),
    [
        # Table I: LoLA 2.70 ms; BBR's 4.37 is 1.6 times as much. Table IX: Vegas 0.87, HighSpeed 0.90.
        (
            "fiftyshades2019",
            {"c1", "c2", "c9", "d10", "d14", "q2", "q3", "q4", "q6"},
            {"c8", "c10", "c18", "c21", "d13", "e14", "e15", "e17"},
        ),
        # Figure 5: 39.5 Mbps beside Modest BBR is 6.3 times as much as 6.3 Mbps beside BBR, not 4 times.
        ("modestbbr", {"s2a-2", "s2a-3", "s2a-4"}, {"s4c-1"}),
        # Section 5.1.4: BBR has 80 Mbps of 100, not more than 90. Table 19: 116.77 ms is less than 8 times 15.
        ("lin2019", {"s53-9", "s53-10"}, {"abs2", "abs5", "s54-7", "s73-6"}),
    ],
)
def test_claims_that_the_papers_themselves_contradict(study, holds, fails):
    found = verdicts(study)
    assert {id for id in holds | fails if found[id] is Verdict.HOLDS} == holds
    assert {id for id in holds | fails if found[id] is Verdict.FAILS} == fails
