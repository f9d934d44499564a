"""Section 5.3: how much of the link is used, by two senders of one algorithm."""

from statistics import fmean

from fairlane.study.claims import Evidence, Judgement, all_of, generally

from . import (
    ALGORITHMS,
    AQMS,
    NEARLY_ALL,
    RATES,
    SAME,
    THROUGHPUT,
    cells,
    claim,
    every,
    other_reading,
    over,
    utilisation,
    value,
)


def used(evidence: Evidence, aqm: str, name: str, rate: float) -> float:
    """Mean over buffers."""
    return fmean(value(utilisation(runs)) for runs in cells(evidence, aqm, [(name, name)], [rate]))


def spread(values: list[float]) -> float:
    return max(values) - min(values)


@claim(
    "elephants2023-s53-1",
    explanation="RED sees nothing of a burst that finds tokens in the bucket; a router that hands on one frame after the other lets it wait above RED's 30 kB. Five rates are the sample, and leave it undecided with the paper's own data, too",
    cause="testbed",
    variant="software-router",
)
def the_aqm_matters_more_than_the_algorithm(evidence: Evidence) -> Judgement:
    """At each rate: how far the AQMs' means lie apart less how far the algorithms' do; on average over rates."""
    differences = []
    for rate in RATES:
        table = {(aqm, name): used(evidence, aqm, name, rate) for aqm in AQMS for name in ALGORITHMS}
        by_aqm = [fmean(table[aqm, name] for name in ALGORITHMS) for aqm in AQMS]
        by_algorithm = [fmean(table[aqm, name] for aqm in AQMS) for name in ALGORITHMS]
        differences.append(spread(by_aqm) - spread(by_algorithm))
    return over("spread of utilisation over AQMs less that over algorithms", differences) > 0


@claim(
    "elephants2023-s53-2",
    cause="predicate",
)
def fifo_fills_every_link(evidence: Evidence) -> Judgement:
    return generally(utilisation(runs) > NEARLY_ALL for runs in cells(evidence, "fifo", SAME))


@other_reading("elephants2023-s53-2")
def fifo_fills_the_links_on_average(evidence: Evidence) -> Judgement:
    """Each algorithm on average over rates and buffers."""
    return all_of(
        over(
            f"utilisation of two {pair[0]} senders",
            [value(utilisation(runs)) for runs in cells(evidence, "fifo", [pair])],
        )
        > NEARLY_ALL
        for pair in SAME
    )


@claim("elephants2023-s53-3", variant="slow-fq_codel")
def fq_codel_fills_all_links_but_the_fastest(evidence: Evidence) -> Judgement:
    slower = cells(evidence, "fq_codel", SAME, RATES[:-1])
    fastest = cells(evidence, "fq_codel", SAME, RATES[-1:])
    return all_of(
        [
            every(slower, lambda runs: utilisation(runs) > NEARLY_ALL),
            every(fastest, lambda runs: utilisation(runs) < NEARLY_ALL),
        ]
    )


@claim(
    "elephants2023-s53-4",
    explanation="the paper gives no number for a clear lag; ours is behind the other AQMs, but less than 10 % of the link",
    cause="predicate",
)
def red_lags_from_1_gbps_on(evidence: Evidence) -> Judgement:
    """Mean over algorithms, which are the sample: below 90 %."""
    return all_of(
        over(f"utilisation with RED at {rate:,} Mbps", [used(evidence, "red", name, rate) for name in ALGORITHMS]) < 0.9
        for rate in RATES
        if rate >= 1_000
    )


@other_reading("elephants2023-s53-4")
def red_lags_behind_the_others_from_1_gbps_on(evidence: Evidence) -> Judgement:
    """Less than FIFO and FQ-CoDel, over algorithms and rates together."""
    cases = [(rate, name) for rate in RATES if rate >= 1_000 for name in ALGORITHMS]
    return all_of(
        over(
            f"utilisation with RED less that with {other}",
            [used(evidence, "red", name, rate) - used(evidence, other, name, rate) for rate, name in cases],
        )
        < 0
        for other in ("fifo", "fq_codel")
    )


@claim("elephants2023-s53-5")
def only_bbr_exceeds_20_gbps_with_red(evidence: Evidence) -> Judgement:
    bbr, *others = cells(evidence, "red", SAME, [25_000])
    return all_of([bbr[THROUGHPUT] > 20_000, *(other[THROUGHPUT] <= 20_000 for other in others)])


@claim(
    "elephants2023-s53-6",
    explanation="there are timeouts with both, but FQ-CoDel fills 25 Gbps here; it does not on a router that needs 3.24 us for each packet, as the testbed's seems to, whatever the algorithm",
    cause="testbed",
    variant="slow-fq_codel",
)
def timeouts_keep_bbr_from_full_throughput(evidence: Evidence) -> Judgement:
    """Necessary, not sufficient: at 25 Gbps a twentieth of the link or more is not used, and there are timeouts."""
    return all_of(
        every(
            cells(evidence, aqm, [("bbr", "bbr")], [25_000]),
            lambda runs: all_of([utilisation(runs) < NEARLY_ALL, runs["timeouts"] > 0]),
        )
        for aqm in AQMS[1:]
    )


@claim(
    "elephants2023-s53-7",
    explanation="with the scripts' settings two senders use 0.99 of 25 Gbps with FQ-CoDel here, so that tuning has nothing to gain, and 0.82 to 0.88 in the paper",
    cause="unexplained",
)
def untuned_parameters_cause_low_utilisation(evidence: Evidence) -> Judgement:
    """At 25 Gbps each algorithm gets more with RED and FQ-CoDel tuned than with the scripts' settings."""
    tuned = evidence["beyond-tuned"].where(rate_mbps=25_000)
    return all_of(
        tuned.where(aqm=better, algorithm_a=name)[THROUGHPUT] > tuned.where(aqm=usual, algorithm_a=name)[THROUGHPUT]
        for usual, better in (("red scripts", "red 1/2 to 3/2 BDP"), ("fq_codel scripts", "fq_codel room, 20 ms"))
        for name in ALGORITHMS
    )
