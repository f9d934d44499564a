"""Section 5.2: RED and FQ-CoDel compared with FIFO."""

import itertools
import math
from collections.abc import Iterator

from fairlane.study.claims import Evidence, Judgement, Runs, about, all_of, any_of, generally, most

from . import (
    AGAINST_CUBIC,
    AQMS,
    EVEN,
    JAIN,
    PAIRS,
    RATES,
    THROUGHPUT,
    cells,
    claim,
    every,
    index_on_average,
    other_reading,
    over,
    sender,
    share,
    value,
)


def with_red(evidence: Evidence, first: str, second: str = "cubic") -> Iterator[Runs]:
    """Each rate; with RED as the paper's scripts set it buffers make no difference."""
    return cells(evidence, "red", [(first, second)])


def share_evenly(evidence: Evidence, aqm: str, *pairs: tuple[str, str]) -> Judgement:
    return generally(runs[JAIN] >= EVEN for runs in cells(evidence, aqm, pairs))


@claim("elephants2023-s52-1")
def red_gives_bbr_nearly_all(evidence: Evidence) -> Judgement:
    """90 % of the sum of both."""
    return every(with_red(evidence, "bbr"), lambda runs: share(runs) > 9)


@claim("elephants2023-s52-2")
def red_has_an_index_of_a_half_with_bbr(evidence: Evidence) -> Judgement:
    return every(with_red(evidence, "bbr"), lambda runs: about(runs[JAIN], 0.5))


@claim(
    "elephants2023-s52-3",
    contradicted="the data published with the paper: CUBIC gets 144 to 164 Mbps at 10 Gbps and 443 to 574 at 25 Gbps",
)
def red_leaves_cubic_10_mbps_beside_bbr(evidence: Evidence) -> Judgement:
    return every(with_red(evidence, "bbr"), lambda runs: sender(runs, "b") < 10)


@claim("elephants2023-s52-4")
def red_is_less_fair_to_cubic_than_fifo(evidence: Evidence) -> Judgement:
    """On average over rates and buffers."""
    differences = []
    for rate in RATES:
        [red] = cells(evidence, "red", [("bbr", "cubic")], [rate])
        fifo = cells(evidence, "fifo", [("bbr", "cubic")], [rate])
        differences += [value(red[JAIN]) - value(one[JAIN]) for one in fifo]
    return over("RED less FIFO, index of bbr and cubic", differences) < 0


@claim("elephants2023-s52-5")
def red_makes_two_bbr_senders_differ_by_timeouts(evidence: Evidence) -> Judgement:
    """At some rate the index is below 0.95; in the runs where it is, the slower sender has more timeouts."""
    rates = list(with_red(evidence, "bbr", "bbr"))
    return all_of([any_of(runs[JAIN] < EVEN for runs in rates), slower_has_more_timeouts(rates)])


def slower_has_more_timeouts(rates: list[Runs]) -> Judgement:
    """In more than half of the runs with an index below 0.95."""
    found = []
    for runs in rates:
        samples = [runs[JAIN], *(sender(runs, name, metric) for metric in (THROUGHPUT, "timeouts") for name in "ab")]
        repeats = zip(*(next(iter(one.samples.values())) for one in samples), strict=True)
        for jain, first, second, first_timeouts, second_timeouts in repeats:
            if jain < EVEN:
                more = (first_timeouts - second_timeouts) * (1 if first < second else -1)
                found.append(math.nan if math.isnan(more) else (1 + math.copysign(1, more) * (more != 0)) / 2)
    return over("runs in which the slower of two bbr senders has more timeouts", found) > 0.5


@claim("elephants2023-s52-6")
def red_gives_bbr2_most(evidence: Evidence) -> Judgement:
    return every(with_red(evidence, "bbr2"), lambda runs: share(runs) > 1)


@claim("elephants2023-s52-7")
def red_costs_bbr2_at_most_2_per_cent(evidence: Evidence) -> Judgement:
    """ "Rarely exceeds": at most of the rates it does not."""
    return most(sender(runs, "a", "loss_rate_pct") <= 2 for runs in with_red(evidence, "bbr2"))


@claim("elephants2023-s52-8")
def red_lets_two_bbr2_senders_share_evenly(evidence: Evidence) -> Judgement:
    return share_evenly(evidence, "red", ("bbr2", "bbr2"))


@claim("elephants2023-s52-9")
def red_gives_htcp_more_than_cubic(evidence: Evidence) -> Judgement:
    return every(with_red(evidence, "htcp"), lambda runs: share(runs) > 1)


@claim("elephants2023-s52-10")
def htcps_lead_shrinks_with_the_rate(evidence: Evidence) -> Judgement:
    """From the slowest to the fastest link, and in most steps: "shrinks as bandwidth grows"."""
    shares = [share(runs) for runs in with_red(evidence, "htcp")]
    return all_of([shares[-1] < shares[0], most(faster < slower for slower, faster in itertools.pairwise(shares))])


@claim("elephants2023-s52-11")
def red_lets_two_htcp_senders_share_evenly(evidence: Evidence) -> Judgement:
    return share_evenly(evidence, "red", ("htcp", "htcp"))


@claim("elephants2023-s52-12")
def red_lets_reno_share_evenly(evidence: Evidence) -> Judgement:
    return share_evenly(evidence, "red", ("reno", "cubic"), ("reno", "reno"))


@claim("elephants2023-s52-13")
def fq_codel_lets_every_pair_share_evenly(evidence: Evidence) -> Judgement:
    return share_evenly(evidence, "fq_codel", *PAIRS)


@claim(
    "elephants2023-s52-14",
    cause="predicate",
)
def two_cubic_senders_share_evenly(evidence: Evidence) -> Judgement:
    return all_of(share_evenly(evidence, aqm, ("cubic", "cubic")) for aqm in AQMS)


@other_reading("elephants2023-s52-14")
def two_cubic_senders_share_evenly_on_average(evidence: Evidence) -> Judgement:
    """On average over rates and buffers, with each AQM."""
    return all_of(index_on_average(evidence, aqm, "cubic") for aqm in AQMS)


@claim("elephants2023-s52-15", contradicted="Section 5.5: CUBIC struggles against other algorithms")
def cubic_adapts_to_every_aqm(evidence: Evidence) -> Judgement:
    """It gets at least half of a fair share against each rival and with each AQM, on average over configurations."""
    return all_of(
        over(
            f"cubic's share against {pair[0]} with {aqm}",
            [1 / (1 + value(share(runs))) for runs in cells(evidence, aqm, [pair])],
        )
        >= 0.25
        for aqm in AQMS
        for pair in AGAINST_CUBIC
    )
