"""Section 5.4: retransmissions of two senders of one algorithm."""

from itertools import combinations, pairwise
from math import log

from fairlane.study.claims import Evidence, Judgement, Measurement, all_of, any_of

from . import ALGORITHMS, AQMS, RATES, RETRANSMISSIONS, cell, cells, claim, over, value

SMALL, LARGE = 2, 16
"""The buffers of Figure 8, in BDP."""
IN_DATA = "the data published with the paper"


def resent(evidence: Evidence, aqm: str, name: str, rate: float, buffer: float = SMALL) -> Measurement:
    return cell(evidence, aqm, (name, name), rate, buffer)[RETRANSMISSIONS]


def rising(values: list[Measurement]) -> Judgement:
    return all_of(later > earlier for earlier, later in pairwise(values))


def factors(evidence: Evidence, aqm: str, above: str, below: str) -> Measurement:
    """Logarithm of how many times as much the one retransmits, a mean over rates and buffers."""
    pairs = (cells(evidence, aqm, [(name, name)], RATES, [SMALL, LARGE]) for name in (above, below))
    ratios = [
        log((value(one[RETRANSMISSIONS]) + 1) / (value(two[RETRANSMISSIONS]) + 1))
        for one, two in zip(*pairs, strict=True)
    ]
    return over(f"log of {above}'s by {below}'s retransmissions with {aqm}", ratios)


@claim("elephants2023-s54-1")
def red_and_fq_codel_retransmissions_grow_with_the_rate(evidence: Evidence) -> Judgement:
    return all_of(
        rising([resent(evidence, aqm, name, rate) for rate in RATES]) for aqm in AQMS[1:] for name in ALGORITHMS
    )


@claim(
    "elephants2023-s54-2",
    contradicted=f"{IN_DATA}: with FQ-CoDel and 16 BDP HTCP and Reno retransmit 0.39 to 0.69 of what they do with 2 at "
    "100 and 500 Mbps",
)
def buffers_do_not_matter_with_fq_codel(evidence: Evidence) -> Judgement:
    """Within a quarter, with a limit that is the buffer, at each rate that was run.

    With RED as the paper's scripts set it the limit is never reached, so that only FQ-CoDel is judged.
    """
    runs = evidence["fq_codel-limit"]
    found = []
    for name in ALGORITHMS:
        for rate in sorted(rate for rate, buffer in runs.points("rate_mbps", "buffer_bdp") if buffer == LARGE):
            alone = runs.where(algorithm_a=name, algorithm_b=name, rate_mbps=rate)
            ratio = alone.where(buffer_bdp=LARGE)[RETRANSMISSIONS] / alone.where(buffer_bdp=SMALL)[RETRANSMISSIONS]
            found += [ratio >= 0.75, ratio <= 1.25]
    return all_of(found)


@claim(
    "elephants2023-s54-3",
    contradicted=f"{IN_DATA}: with RED BBRv1 and HTCP have more than with FQ-CoDel at every rate, BBRv2 from 1 Gbps on",
)
def red_retransmits_less_than_fq_codel(evidence: Evidence) -> Judgement:
    """Mean of the logarithm of the ratio over rates and algorithms."""
    ratios = [
        log((value(resent(evidence, "red", name, rate)) + 1) / (value(resent(evidence, "fq_codel", name, rate)) + 1))
        for name in ALGORITHMS
        for rate in RATES
    ]
    return over("log of RED's by FQ-CoDel's retransmissions", ratios) < 0


@claim(
    "elephants2023-s54-4",
    contradicted=f"{IN_DATA}: HTCP, CUBIC and Reno have more with 16 BDP than with 2 at 500 Mbps to 10 Gbps",
)
def fifo_retransmissions_fall_as_the_buffer_grows(evidence: Evidence) -> Judgement:
    return all_of(
        resent(evidence, "fifo", name, rate, LARGE) < resent(evidence, "fifo", name, rate, SMALL)
        for name in ALGORITHMS
        for rate in RATES
    )


@claim("elephants2023-s54-5")
def fifo_retransmissions_grow_with_the_rate(evidence: Evidence) -> Judgement:
    """From 100 Mbps to 25 Gbps, with 2 BDP; between the two exceptions are allowed."""
    return all_of(resent(evidence, "fifo", name, 25_000) > resent(evidence, "fifo", name, 100) for name in ALGORITHMS)


@claim("elephants2023-s54-6", contradicted=f"{IN_DATA}: HTCP with 16 BDP has from 784 to 162,236")
def large_buffers_keep_retransmissions_in_one_range(evidence: Evidence) -> Judgement:
    """Within a factor of ten at all rates: the figure has a logarithmic axis."""
    found = []
    for name in ("htcp", "cubic", "reno"):
        numbers = [resent(evidence, "fifo", name, rate, LARGE) for rate in RATES]
        for one, other in combinations(numbers, 2):
            found += [one <= 10 * other, other <= 10 * one]
    return all_of(found)


@claim("elephants2023-s54-7")
def large_buffers_at_times_leave_bbr_few_retransmissions(evidence: Evidence) -> Judgement:
    """A tenth of those with 2 BDP or less, at some rate; BBRv1 and BBRv2."""
    return all_of(
        any_of(
            resent(evidence, "fifo", name, rate, LARGE) <= resent(evidence, "fifo", name, rate, SMALL) * 0.1
            for rate in RATES
        )
        for name in ("bbr", "bbr2")
    )


@claim("elephants2023-s54-8", contradicted=f"{IN_DATA}: with FIFO and 16 BDP at 500 Mbps BBRv1 has none at all")
def bbr_always_retransmits_most(evidence: Evidence) -> Judgement:
    found = []
    for aqm in AQMS:
        for rate in RATES:
            for buffer in (SMALL, LARGE) if aqm == "fifo" else (SMALL,):
                bbr, *others = (resent(evidence, aqm, name, rate, buffer) for name in ALGORITHMS)
                found += [bbr > other for other in others]
    return all_of(found)


@claim("elephants2023-s54-9", contradicted="Table 3, FIFO: BBRv2 1.141, below HTCP's 2.493 and Reno's 1.235")
def bbr2_retransmits_second_most(evidence: Evidence) -> Judgement:
    """On average over rates and buffers, with each AQM."""
    return all_of(
        [
            *(factors(evidence, aqm, "bbr", "bbr2") > 0 for aqm in AQMS),
            *(factors(evidence, aqm, "bbr2", other) > 0 for aqm in AQMS for other in ("htcp", "reno", "cubic")),
        ]
    )


@claim("elephants2023-s54-10", contradicted="Table 3, FIFO: HTCP 2.493, above BBRv2's 1.141")
def htcp_retransmits_third_most(evidence: Evidence) -> Judgement:
    return all_of(
        [
            *(factors(evidence, aqm, "bbr2", "htcp") > 0 for aqm in AQMS),
            *(factors(evidence, aqm, "htcp", other) > 0 for aqm in AQMS for other in ("reno", "cubic")),
        ]
    )


@claim("elephants2023-s54-11", variant="no-hystart")
def reno_and_cubic_retransmit_about_equally(evidence: Evidence) -> Judgement:
    """Within 30 % on average with each AQM: Table 3 has 1.235, 1.281 and 0.852."""
    found = []
    for aqm in AQMS:
        figure = factors(evidence, aqm, "reno", "cubic")
        found += [figure > -log(1.3), figure < log(1.3)]
    return all_of(found)
