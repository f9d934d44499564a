"""Appendix A: two flows of all algorithms in the simulated LAN, WAN-1 and WAN-2."""

from itertools import product

from fairlane.study.claims import Evidence, Judgement, about, all_of, at_least, negated

from . import CLAIMS, COMPETITORS, FAIR, HIGH, OPTIMAL, WIRED, against, goodput, twice
from .reasons import DEEP_QUEUE, DEEP_WAN_1, NEARLY_90, TWO_FILL_THE_LAN
from .section_5_3 import INDEX, TOTAL, total

claim = CLAIMS.claim


@claim("lin2019-a1-1", explanation=TWO_FILL_THE_LAN, cause="unexplained")
def illinois_bic_and_htcp_are_friendly_in_the_lan(evidence: Evidence) -> Judgement:
    """Far less is three quarters at most."""
    illinois, *rest = (against(evidence, "lan", name) for name in ("illinois", "bic", "htcp"))
    return all_of(
        [
            *(runs[INDEX] >= FAIR for runs in (illinois, *rest)),
            *(runs[TOTAL] < 0.75 * illinois[TOTAL] for runs in rest),
        ]
    )


@claim("lin2019-a1-2", cause="testbed", variant="short-queue")
def scalable_takes_most_from_cubic_in_the_lan(evidence: Evidence) -> Judgement:
    scalable = against(evidence, "lan", "scalable")
    rest = [against(evidence, "lan", name) for name in COMPETITORS if name != "scalable"]
    return all_of([*(goodput(scalable, 1) > goodput(other, 1) for other in rest), scalable[INDEX] < FAIR])


@claim("lin2019-a1-3", explanation=TWO_FILL_THE_LAN, cause="unexplained")
def nobody_is_good_beside_newreno_in_the_lan(evidence: Evidence) -> Judgement:
    pairs = [against(evidence, "lan", name, "reno") for name in COMPETITORS]
    return all_of(negated(all_of([runs[TOTAL] >= HIGH * 100, runs[INDEX] >= FAIR])) for runs in pairs)


@claim("lin2019-a1-4", explanation=DEEP_QUEUE, cause="unexplained")
def all_but_highspeed_and_htcp_are_fair_in_the_lan(evidence: Evidence) -> Judgement:
    index = {name: twice(evidence, "lan", name)[INDEX] for name in WIRED}
    unfair = ("highspeed", "htcp")
    return all_of(index[name] < FAIR if name in unfair else index[name] >= FAIR for name in WIRED)


@claim("lin2019-a1-5", cause="testbed", variant="short-queue")
def illinois_newreno_and_bic_total_30_mbps_in_the_lan(evidence: Evidence) -> Judgement:
    return all_of(
        judgement
        for name in ("illinois", "reno", "bic")
        for judgement in (total(evidence, "lan", name) > 30, twice(evidence, "lan", name)[INDEX] >= FAIR)
    )


@claim("lin2019-a1-6", explanation=TWO_FILL_THE_LAN, cause="unexplained")
def five_use_little_of_the_lan(evidence: Evidence) -> Judgement:
    return all_of(total(evidence, "lan", name) <= 20 for name in ("vegas", "yeah", "hybla", "bbr", "htcp"))


@claim("lin2019-a2-1", cause="testbed", variant="short-runs")
def highspeed_and_bic_take_much_from_cubic_in_wan_1(evidence: Evidence) -> Judgement:
    """More than CUBIC has, and unfairly so."""
    pairs = [against(evidence, "wan-1", name) for name in ("highspeed", "bic")]
    return all_of(
        judgement for runs in pairs for judgement in (goodput(runs, 1) > goodput(runs, 2), runs[INDEX] < FAIR)
    )


@claim("lin2019-a2-2", cause="testbed", variant="short-queue")
def illinois_is_friendly_to_newreno_and_fills_wan_1(evidence: Evidence) -> Judgement:
    runs = against(evidence, "wan-1", "illinois", "reno")
    return all_of([runs[TOTAL] >= HIGH, runs[INDEX] >= FAIR])


@claim("lin2019-a2-3", explanation=DEEP_WAN_1, cause="unexplained")
def highspeed_and_hybla_are_friendly_to_newreno_and_waste_wan_1(evidence: Evidence) -> Judgement:
    pairs = [against(evidence, "wan-1", name, "reno") for name in ("highspeed", "hybla")]
    return all_of(judgement for runs in pairs for judgement in (runs[TOTAL] <= 0.7, runs[INDEX] >= FAIR))


@claim("lin2019-a2-4", explanation=DEEP_WAN_1, cause="unexplained")
def only_yeah_and_bbr_are_good_to_themselves_in_wan_1(evidence: Evidence) -> Judgement:
    good = {
        name: all_of([total(evidence, "wan-1", name) >= HIGH, twice(evidence, "wan-1", name)[INDEX] >= FAIR])
        for name in WIRED
    }
    return all_of(good[name] if name in ("yeah", "bbr") else negated(good[name]) for name in WIRED)


@claim(
    "lin2019-a2-5",
    explanation="Vegas is, and YeAH against CUBIC; BBR in the LAN is not, paced or not",
    cause="unexplained",
)
def yeah_bbr_and_vegas_are_pushed_down(evidence: Evidence) -> Judgement:
    """To half of the other's goodput or less."""
    pairs = product(("lan", "wan-1"), ("yeah", "bbr", "vegas"), ("cubic", "reno"))
    return all_of(goodput(runs, 1) < 0.5 * goodput(runs, 2) for runs in (against(evidence, *pair) for pair in pairs))


@claim("lin2019-a3-1", cause="unexplained", explanation=NEARLY_90)
def only_bbr_gets_much_beside_cubic_in_wan_2(evidence: Evidence) -> Judgement:
    """CUBIC has 0.92 to 1.16 Mbps in the paper; about is within a fifth."""
    pairs = {name: against(evidence, "wan-2", name) for name in COMPETITORS}
    return all_of(
        [
            goodput(pairs["bbr"], 1) > 90,
            *(goodput(runs, 1) < 10 for name, runs in pairs.items() if name != "bbr"),
            *(about(goodput(runs, 2), 1, within=0.2) for runs in pairs.values()),
        ]
    )


@claim("lin2019-a3-2")
def newreno_gets_less_than_cubic_did_in_wan_2(evidence: Evidence) -> Judgement:
    """The first flows differ by a quarter at most."""
    pairs = [(against(evidence, "wan-2", name, "reno"), against(evidence, "wan-2", name)) for name in COMPETITORS]
    return all_of(
        judgement
        for reno, cubic in pairs
        for judgement in (
            about(goodput(reno, 1) / goodput(cubic, 1), 1, within=0.25),
            goodput(reno, 2) < goodput(cubic, 2),
        )
    )


@claim("lin2019-a3-3")
def almost_all_are_optimally_fair_to_themselves_in_wan_2(evidence: Evidence) -> Judgement:
    """All but one, which is no worse than 0.98."""
    index = [twice(evidence, "wan-2", name)[INDEX] for name in WIRED]
    return all_of([at_least(10, (one >= OPTIMAL for one in index)), *(one >= 0.98 for one in index)])


@claim("lin2019-a3-4")
def illinois_and_hybla_have_twice_the_others_in_wan_2(evidence: Evidence) -> Judgement:
    rest = [name for name in WIRED if name not in ("illinois", "hybla", "bbr")]
    return all_of(
        total(evidence, "wan-2", name) >= 2 * total(evidence, "wan-2", other)
        for name, other in product(("illinois", "hybla"), rest)
    )
