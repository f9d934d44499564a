"""Sections 5.5 and 6 and the abstract: the three AQMs and five algorithms over all configurations."""

from itertools import product
from math import log
from statistics import fmean

from fairlane.study.claims import Evidence, Judgement, Measurement, all_of, any_of, between, generally

from . import (
    AGAINST_CUBIC,
    ALGORITHMS,
    AQMS,
    CLAIMS,
    EVEN,
    JAIN,
    NEARLY_ALL,
    PAIRS,
    RATES,
    RETRANSMISSIONS,
    SAME,
    THROUGHPUT,
    cell,
    cells,
    claim,
    differences,
    every,
    other_reading,
    over,
    share,
    utilisation,
    value,
)

FAST = (10_000, 25_000)
LARGEST, SMALL = 16, 2


def used(evidence: Evidence, aqm: str, *pairs: tuple[str, str]) -> list[float]:
    """Utilisation in each configuration."""
    return [value(utilisation(runs)) for runs in cells(evidence, aqm, pairs)]


def fairness(evidence: Evidence, aqm: str, *pairs: tuple[str, str]) -> list[float]:
    return [value(runs[JAIN]) for runs in cells(evidence, aqm, pairs)]


def relative_retransmissions(evidence: Evidence, aqm: str, pair: tuple[str, str]) -> list[float]:
    """RR of Table 3 in each configuration; where two CUBIC senders have none, one stands for it."""
    ours, cubic = (cells(evidence, aqm, [one]) for one in (pair, ("cubic", "cubic")))
    numbers = [[value(runs[RETRANSMISSIONS]) for runs in part] for part in (ours, cubic)]
    return [one / max(two, 1.0) for one, two in zip(*numbers, strict=True)]


def pairs_of(name: str) -> tuple[tuple[str, str], ...]:
    return ((name, name),) if name == "cubic" else ((name, name), (name, "cubic"))


@claim(
    "elephants2023-s55-1",
    contradicted="Table 3: with RED BBRv1 uses more of the link than any other, 0.938 against 0.738 to 0.903",
)
def bbr_retransmits_without_benefit(evidence: Evidence) -> Judgement:
    """Ten times as much as CUBIC with each AQM, and no more than one per cent more of the link than the best other."""
    found: list[Judgement] = []
    for aqm in AQMS:
        found += [
            over(f"RR of {one}-{two} with {aqm}", relative_retransmissions(evidence, aqm, (one, two))) >= 10
            for one, two in pairs_of("bbr")
        ]
        best = max((used(evidence, aqm, (name, name)) for name in ALGORITHMS if name != "bbr"), key=fmean)
        gain = differences(used(evidence, aqm, ("bbr", "bbr")), best)
        found.append(over(f"utilisation of bbr less that of the best other with {aqm}", gain) <= 0.01)
    return all_of(found)


@CLAIMS.contradiction("elephants2023-s55-1")
def in_table_3_bbr_has_a_benefit_with_red(_numbers: Evidence) -> Judgement:
    """Table 3: with RED BBRv1 uses 0.938 of the link, and the best other, BBRv2, 0.903."""
    return Measurement.published("Table 3, utilisation of bbr less that of bbr2 with red", 0.938 - 0.903) <= 0.01


@claim("elephants2023-s55-2", contradicted="Table 3, FIFO: Reno alone uses 0.997 of the link with an index of 0.994")
def reno_performs_poorly(evidence: Evidence) -> Judgement:
    """Less than 0.95 of the link with each AQM, alone and against CUBIC, on average."""
    return all_of(
        over(f"utilisation of {one}-{two} with {aqm}", used(evidence, aqm, (one, two))) < NEARLY_ALL
        for aqm in AQMS
        for one, two in pairs_of("reno")
    )


@claim("elephants2023-s55-3", contradicted="Section 5.2: CUBIC is robust alone and in competition")
def cubic_performs_well_alone_and_struggles_in_competition(evidence: Evidence) -> Judgement:
    """Over all AQMs, as in Table 3: alone an index above 0.95, and less than its share against others on average."""
    alone = [one for aqm in AQMS for one in fairness(evidence, aqm, ("cubic", "cubic"))]
    parts = [1 / (1 + value(share(runs))) for aqm in AQMS for runs in cells(evidence, aqm, AGAINST_CUBIC)]
    return all_of([over("index of two cubic senders", alone) > 0.95, over("cubic's part against others", parts) < 0.5])


@claim(
    "elephants2023-s55-4",
    contradicted="Table 3: with RED BBRv2 against CUBIC has an index of 0.722 where two CUBIC senders have 1.000, 0.11 less "
    "over all AQMs",
)
def htcp_and_bbr2_are_competitive(evidence: Evidence) -> Judgement:
    """Over all AQMs use and fairness are at most 0.05 below those of two CUBIC senders, alone and against CUBIC."""
    found: list[Judgement] = []
    for name, metric in product(("htcp", "bbr2"), (used, fairness)):
        for pair in pairs_of(name):
            loss = [
                one
                for aqm in AQMS
                for one in differences(metric(evidence, aqm, pair), metric(evidence, aqm, ("cubic", "cubic")))
            ]
            found.append(over(f"{metric.__name__}, {pair[0]}-{pair[1]} less cubic-cubic", loss) >= -0.05)
    return all_of(found)


@CLAIMS.contradiction("elephants2023-s55-4")
def in_table_3_bbr2_is_not_competitive(_numbers: Evidence) -> Judgement:
    """Table 3: BBRv2 and CUBIC have indices of 0.934, 0.722 and 0.998, two CUBIC senders 0.997, 1.000 and 1.000."""
    loss = fmean([0.934, 0.722, 0.998]) - fmean([0.997, 1.0, 1.0])
    return Measurement.published("Table 3, index of bbr2-cubic less that of cubic-cubic", loss) >= -0.05


@claim("elephants2023-s55-5")
def bbr2_uses_more_than_htcp_and_retransmits_more(evidence: Evidence) -> Judgement:
    """On average over all AQMs, as "average overall" says: with FIFO alone Table 3 has the opposite."""
    gains = [
        one
        for aqm in AQMS
        for one in differences(used(evidence, aqm, *pairs_of("bbr2")), used(evidence, aqm, *pairs_of("htcp")))
    ]
    more = [
        one
        for aqm, (mine, theirs) in product(AQMS, zip(pairs_of("bbr2"), pairs_of("htcp"), strict=True))
        for one in differences(
            relative_retransmissions(evidence, aqm, mine), relative_retransmissions(evidence, aqm, theirs)
        )
    ]
    return all_of(
        [over("utilisation of bbr2 less that of htcp", gains) > 0, over("RR of bbr2 less that of htcp", more) > 0]
    )


@claim(
    "elephants2023-s55-6",
    explanation="with FIFO HTCP retransmits more than BBRv2, as in Table 3, and with RED and FQ-CoDel less",
    cause="unexplained",
)
def htcp_has_few_retransmissions(evidence: Evidence) -> Judgement:
    """Fewer than BBRv2, the other competitive one, and a use of the link that is at most 0.05 lower, over all AQMs.

    Alone and against CUBIC. Retransmissions are compared in every configuration: RR divides by those of CUBIC, which
    may be few.
    """
    found: list[Judgement] = []
    for mine, theirs in zip(pairs_of("htcp"), pairs_of("bbr2"), strict=True):
        ours, others = (
            [value(runs[RETRANSMISSIONS]) for aqm in AQMS for runs in cells(evidence, aqm, [pair])]
            for pair in (mine, theirs)
        )
        fewer = [log((one + 1) / (two + 1)) for one, two in zip(ours, others, strict=True)]
        found.append(over(f"log of the retransmissions of {'-'.join(mine)} by those of {'-'.join(theirs)}", fewer) < 0)
        use = [one for aqm in AQMS for one in differences(used(evidence, aqm, mine), used(evidence, aqm, theirs))]
        found.append(over(f"utilisation of {'-'.join(mine)} less that of {'-'.join(theirs)}", use) >= -0.05)
    return all_of(found)


@claim(
    "elephants2023-s55-7",
    explanation="the best combination is not the best in each of three respects; how much of one outweighs another is not said",
    cause="predicate",
)
def bbr2_with_fq_codel_is_the_best_combination(evidence: Evidence) -> Judgement:
    """Of those with FQ-CoDel it uses the link best, is fair, and retransmits less than BBRv1."""
    aqm, pair = "fq_codel", ("bbr2", "bbr2")
    mine = used(evidence, aqm, pair)
    others = [name for name in ALGORITHMS if name != "bbr2"]
    gains = [over(f"bbr2 less {name}", differences(mine, used(evidence, aqm, (name, name)))) for name in others]
    fewer = differences(
        relative_retransmissions(evidence, aqm, pair), relative_retransmissions(evidence, aqm, ("bbr", "bbr"))
    )
    return all_of(
        [
            *(gain > 0 for gain in gains),
            over("index of two bbr2 senders", fairness(evidence, aqm, pair)) > 0.99,
            over("RR of bbr2 less that of bbr", fewer) < 0,
        ]
    )


@other_reading("elephants2023-s55-7")
def bbr2_with_fq_codel_is_a_good_combination(evidence: Evidence) -> Judgement:
    """It uses as much of the link as any other but for 1 %, is fair, and retransmits less than BBRv1."""
    aqm, pair = "fq_codel", ("bbr2", "bbr2")
    mine = used(evidence, aqm, pair)
    gains = [
        over(f"bbr2 less {name}", differences(mine, used(evidence, aqm, (name, name))))
        for name in ALGORITHMS
        if name != "bbr2"
    ]
    fewer = differences(
        relative_retransmissions(evidence, aqm, pair), relative_retransmissions(evidence, aqm, ("bbr", "bbr"))
    )
    return all_of(
        [
            *(gain > -0.01 for gain in gains),
            over("index of two bbr2 senders", fairness(evidence, aqm, pair)) > 0.99,
            over("RR of bbr2 less that of bbr", fewer) < 0,
        ]
    )


@claim("elephants2023-s55-8")
def the_findings_hold_at_other_rtts(evidence: Evidence) -> Judgement:
    """At 1 Gbps and 2 BDP: FQ-CoDel shares evenly, FIFO fills the link, and at each RTT RED lets BBRv1 take nearly all.

    "Generally" is meant of each of the three by itself.
    """
    even, full, taken = [], [], []
    for runs in evidence["beyond-rtt"].where(buffer_bdp=2).by("rtt").values():
        for one, two in PAIRS:
            pair = runs.where(algorithm_a=one, algorithm_b=two)
            even.append(pair.where(aqm="fq_codel")[JAIN] > EVEN)
            full.append(pair.where(aqm="fifo")[THROUGHPUT] > 1_000 * NEARLY_ALL)
        taken.append(share(runs.where(algorithm_a="bbr", algorithm_b="cubic", aqm="red")) > 9)
    return all_of([generally(even), generally(full), *taken])


def index_of(evidence: Evidence, aqm: str, less: str) -> Measurement:
    """How much fairer one AQM is than another, a mean over all configurations."""
    both = [
        (cell(evidence, aqm, pair, rate, buffer)[JAIN], cell(evidence, less, pair, rate, buffer)[JAIN])
        for pair, rate in product(PAIRS, RATES)
        for buffer in (SMALL, LARGEST)
    ]
    return over(f"index with {aqm} less that with {less}", [value(one) - value(two) for one, two in both])


@claim("elephants2023-s6-1")
def fq_codel_is_the_fairest(evidence: Evidence) -> Judgement:
    return all_of(index_of(evidence, "fq_codel", other) > 0 for other in ("fifo", "red"))


@claim("elephants2023-s6-2")
def red_is_the_least_fair(evidence: Evidence) -> Judgement:
    return all_of(index_of(evidence, "red", other) < 0 for other in ("fifo", "fq_codel"))


@claim(
    "elephants2023-s6-3",
    explanation="the testbed's router forwards in software and falls behind at the highest rates; the simulated one is never late",
    cause="testbed",
    variant="slow-fq_codel",
)
def only_fifo_lets_everyone_fill_fast_links(evidence: Evidence) -> Judgement:
    """Nearly all of 10 and 25 Gbps; with the others some algorithm does not."""
    return all_of(
        [
            every(cells(evidence, "fifo", SAME, FAST), lambda runs: utilisation(runs) > NEARLY_ALL),
            *(
                any_of(utilisation(runs) < NEARLY_ALL for runs in cells(evidence, aqm, SAME, FAST))
                for aqm in ("red", "fq_codel")
            ),
        ]
    )


@claim("elephants2023-s6-4")
def buffers_act_differently_at_different_rates(evidence: Evidence) -> Judgement:
    """Some rival of CUBIC gains from 2 to 16 BDP at one rate and loses at another, behind a FIFO."""

    def change(first: str, rate: float) -> Measurement:
        small, large = (share(cell(evidence, "fifo", (first, "cubic"), rate, buffer)) for buffer in (SMALL, LARGEST))
        return large - small

    return any_of(
        all_of([any_of(change(first, rate) > 0 for rate in RATES), any_of(change(first, rate) < 0 for rate in RATES)])
        for first, _ in AGAINST_CUBIC
    )
