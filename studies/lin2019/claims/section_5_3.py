"""Section 5.3 and its observations: two flows in the simulated LAN, WAN-1 and WAN-2."""

from fairlane.study.claims import Evidence, Judgement, Measurement, about, all_of, any_of, negated

from . import CITED, CLAIMS, COMPETITORS, FAIR, HIGH, OPTIMAL, SELECTED, WIRED, against, goodput, twice
from .reasons import DEEP_QUEUE, DEEP_WAN_1, NEARLY_90, TWO_FILL_THE_LAN

claim = CLAIMS.claim

TOTAL = "total_goodput_mbps"
INDEX = "jain_index"


def total(evidence: Evidence, network: str, algorithm: str) -> Measurement:
    """Of two flows of this algorithm."""
    return twice(evidence, network, algorithm)[TOTAL]


@claim("lin2019-s53-1", explanation=TWO_FILL_THE_LAN, cause="unexplained")
def illinois_is_best_beside_cubic_in_the_lan(evidence: Evidence) -> Judgement:
    illinois = against(evidence, "lan", "illinois")
    rest = [against(evidence, "lan", name) for name in SELECTED if name != "illinois"]
    return all_of([*(goodput(illinois, 1) > goodput(other, 1) for other in rest), illinois[INDEX] >= FAIR])


@claim("lin2019-s53-2", explanation=TWO_FILL_THE_LAN, cause="unexplained")
def cubic_then_illinois_total_most_in_the_lan(evidence: Evidence) -> Judgement:
    rest = [name for name in SELECTED if name != "illinois"]
    return all_of(
        [
            *(total(evidence, "lan", "cubic") > total(evidence, "lan", name) for name in SELECTED),
            *(total(evidence, "lan", "illinois") > total(evidence, "lan", name) for name in rest),
        ]
    )


@claim("lin2019-s53-3", explanation=TWO_FILL_THE_LAN, cause="unexplained")
def the_others_total_10_mbps_in_the_lan(evidence: Evidence) -> Judgement:
    return all_of(total(evidence, "lan", name) <= 10 for name in SELECTED if name != "illinois")


@claim("lin2019-s53-4", explanation=DEEP_QUEUE, cause="unexplained")
def all_but_htcp_are_fair_in_the_lan(evidence: Evidence) -> Judgement:
    index = {name: twice(evidence, "lan", name)[INDEX] for name in ("cubic", *SELECTED)}
    return all_of([*(index[name] >= FAIR for name in index if name != "htcp"), index["htcp"] < FAIR])


@claim("lin2019-s53-5", cause="testbed", variant="short-runs")
def nobody_is_fair_to_cubic_in_wan_1(evidence: Evidence) -> Judgement:
    """Of those in Table A.23."""
    return all_of(against(evidence, "wan-1", name)[INDEX] < FAIR for name in COMPETITORS)


@claim("lin2019-s53-6")
def yeah_and_bbr_are_fair_and_fill_wan_1(evidence: Evidence) -> Judgement:
    """All of 1 Mbps of frames is a goodput of 956 kbps."""
    return all_of(
        judgement
        for name in ("yeah", "bbr")
        for judgement in (about(total(evidence, "wan-1", name), 0.96), twice(evidence, "wan-1", name)[INDEX] >= FAIR)
    )


@claim("lin2019-s53-7", explanation=DEEP_WAN_1, cause="unexplained")
def the_others_waste_or_share_unevenly_in_wan_1(evidence: Evidence) -> Judgement:
    return all_of(
        any_of([total(evidence, "wan-1", name) <= 0.7, twice(evidence, "wan-1", name)[INDEX] < FAIR])
        for name in ("hybla", "illinois", "htcp", "cubic")
    )


@claim("lin2019-s53-8", cause="testbed", variant="short-runs")
def nobody_is_good_at_both_in_wan_1(evidence: Evidence) -> Judgement:
    return all_of(
        negated(
            all_of(
                judgement
                for runs in (against(evidence, "wan-1", name), twice(evidence, "wan-1", name))
                for judgement in (runs[TOTAL] >= HIGH, runs[INDEX] >= FAIR)
            )
        )
        for name in SELECTED
    )


@claim("lin2019-s53-9", cause="unexplained", explanation=NEARLY_90)
def only_bbr_fills_wan_2(evidence: Evidence) -> Judgement:
    rest = [name for name in SELECTED if name != "bbr"]
    return all_of(
        [
            against(evidence, "wan-2", "bbr")[TOTAL] >= 90,
            total(evidence, "wan-2", "bbr") >= 90,
            *(against(evidence, "wan-2", name)[TOTAL] < 12 for name in rest),
            *(total(evidence, "wan-2", name) < 12 for name in ("cubic", *rest)),
        ]
    )


def twice_as_good_as_cubic(evidence: Evidence) -> Judgement:
    cubic = total(evidence, "wan-2", "cubic")
    return all_of(total(evidence, "wan-2", name) >= 2 * cubic for name in ("illinois", "hybla"))


@claim("lin2019-s53-10")
def illinois_and_hybla_use_twice_as_much_of_wan_2(evidence: Evidence) -> Judgement:
    return twice_as_good_as_cubic(evidence)


@claim("lin2019-s53-11")
def all_are_fair_to_themselves_in_wan_2(evidence: Evidence) -> Judgement:
    return all_of(twice(evidence, "wan-2", name)[INDEX] >= FAIR for name in ("cubic", *SELECTED))


@claim(
    "lin2019-s53-12",
    explanation="with half of the loss CUBIC alone has more than the paper's 1.5 Mbps, with the loss fitted to pairs less",
    cause="unexplained",
    variant="half-the-loss",
)
def alone_bbr_has_90_and_cubic_1_mbps_in_wan_2(evidence: Evidence) -> Judgement:
    runs = evidence["solo-wan-2"]
    return all_of(
        about(runs.where(algorithm=name)["goodput_mbps"], value) for name, value in (("bbr", 90), ("cubic", 1.5))
    )


CLAIMS.untestable("lin2019-s53-13", CITED)


@claim("lin2019-obs4", explanation=TWO_FILL_THE_LAN, cause="unexplained")
def cubic_totals_most_in_the_lan_and_shares_optimally(evidence: Evidence) -> Judgement:
    rest = [name for name in WIRED if name != "cubic"]
    return all_of(
        [
            *(total(evidence, "lan", "cubic") > total(evidence, "lan", name) for name in rest),
            twice(evidence, "lan", "cubic")[INDEX] >= OPTIMAL,
        ]
    )


@claim("lin2019-obs5")
def illinois_and_hybla_use_much_more_of_wan_2(evidence: Evidence) -> Judgement:
    return twice_as_good_as_cubic(evidence)
