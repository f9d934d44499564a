"""Sections 7.3 and 7.4: a congested reverse path, and the size of the bottleneck's queue."""

from collections.abc import Callable
from itertools import pairwise

from fairlane.study.claims import Evidence, Judgement, Measurement, about, all_of, most

from . import CLAIMS, FULL, MINOR
from .reasons import number, said

claim = CLAIMS.claim

EVERY = ("cubic", "htcp", "bbr", "hybla", "veno", "illinois", "westwood", "yeah", "vegas")
"""Table 19."""
PROPAGATION_MS = 15


def idle(evidence: Evidence, algorithm: str, metric: str) -> Measurement:
    """With an idle reverse path, over all trials."""
    return evidence["reverse-path-off"].where(algorithm=algorithm).over("trial")[metric]


def congested(evidence: Evidence, algorithm: str, metric: str) -> Measurement:
    """With a congested reverse path, over all trials."""
    return evidence["reverse-path-on"].where(algorithm=algorithm).over("trial")[metric]


@claim("lin2019-s73-1")
def all_fill_with_an_idle_reverse_path(evidence: Evidence) -> Judgement:
    """ "~ 90Mbps", of which "about" allows a tenth less: BBR has 88.59 in Table 19."""
    return all_of(idle(evidence, name, "goodput_mbps") >= 0.9 * 90 for name in EVERY)


@claim(
    "lin2019-s73-2",
    explanation="Vegas keeps two to four packets in the queue, less than a millisecond; in the paper it has 6 ms",
    cause="unexplained",
)
def rtt_grows_for_all(evidence: Evidence) -> Judgement:
    """Well above is a fifth at least; Vegas, the lowest in the paper, has two fifths."""
    return all_of(idle(evidence, name, "mean_rtt_ms") > 1.2 * PROPAGATION_MS for name in EVERY)


@claim("lin2019-s73-3")
def bbr_and_vegas_hold_rtt_low(evidence: Evidence) -> Judgement:
    return all_of(
        idle(evidence, name, "mean_rtt_ms") < idle(evidence, other, "mean_rtt_ms")
        for name in ("bbr", "vegas")
        for other in EVERY
        if other not in ("bbr", "vegas")
    )


@claim("lin2019-s73-4")
def three_hardly_retransmit(evidence: Evidence) -> Judgement:
    return all_of(idle(evidence, name, "retransmits_per_s") < 1 for name in ("bbr", "yeah", "vegas"))


@claim("lin2019-s73-5")
def most_use_less_than_70_mbps(evidence: Evidence) -> Judgement:
    return most(congested(evidence, name, "goodput_mbps") < 70 for name in EVERY)


@claim("lin2019-s73-6", contradicted="Table 19: Westwood+ has 116.77 ms, 7.78 times 15")
def rtt_is_eight_times_the_propagation(evidence: Evidence) -> Judgement:
    return all_of(congested(evidence, name, "mean_rtt_ms") >= 8 * PROPAGATION_MS for name in EVERY)


@claim("lin2019-s73-7")
def htcp_keeps_using_the_link(evidence: Evidence) -> Judgement:
    """80 of 100 Mbps at least."""
    return congested(evidence, "htcp", "goodput_mbps") >= 80


@claim("lin2019-s73-8")
def bbr_loses_a_fifth_and_retransmits(evidence: Evidence) -> Judgement:
    """About a fifth is 15 to 25 %, far more ten times at least."""
    kept = congested(evidence, "bbr", "goodput_mbps") / idle(evidence, "bbr", "goodput_mbps")
    rate = "retransmits_per_s"
    return all_of(
        [about(kept, 0.8, within=0.0625), congested(evidence, "bbr", rate) >= 10 * idle(evidence, "bbr", rate)]
    )


@claim("lin2019-s73-9")
def those_that_use_delay_lose_goodput(evidence: Evidence) -> Judgement:
    return all_of(
        congested(evidence, name, "goodput_mbps") < idle(evidence, name, "goodput_mbps")
        for name in ("vegas", "yeah", "westwood", "illinois", "veno", "hybla")
    )


# Section 7.4: the size of the queue. The text names five algorithms, the others stand in figures only.

NAMED = ("bbr", "cubic", "vegas", "yeah", "illinois")


def by_size(evidence: Evidence, algorithm: str, metric: str, fits: Callable[[int], bool]) -> dict[int, Measurement]:
    """A metric at the sizes that fit, in packets."""
    runs = evidence["queue-size"].where(algorithm=algorithm).by("queue")
    sizes = {int(label.removesuffix("p")): one for label, one in runs.items()}
    return {size: one[metric] for size, one in sizes.items() if fits(size)}


@claim(
    "lin2019-s74-1",
    explanation="BBR, which sends two BDPs and resends what the queue drops, fills the link with 10 packets already. Netem's "
    "limit counts packets that wait for their delay, too: with a third of the delay at the bottleneck the goodput of all grows, "
    "but then BBR needs more than 20 packets",
    cause="unexplained",
)
def goodput_grows_up_to_100_packets(evidence: Evidence) -> Judgement:
    """By more than a minor change from the smallest to the largest queue below 100, and no step is a fall."""
    judgements: list[Judgement] = []
    for name in evidence["queue-size"].by("algorithm"):
        rates = list(by_size(evidence, name, "goodput_mbps", lambda size: size < 100).values())
        judgements += [rates[-1] > (1 + MINOR) * rates[0], *(b > (1 - MINOR) * a for a, b in pairwise(rates))]
    return all_of(judgements)


def _at_60_packets(evidence: Evidence) -> str:
    rates = {
        name: number(by_size(evidence, name, "goodput_mbps", lambda size: size == 60)[60], 1)
        for name in ("vegas", "cubic", "illinois", "yeah", "reno")
    }
    return f"With 60 packets they have {', '.join(f'{name} {rate}' for name, rate in rates.items())} Mbps."


@claim("lin2019-s74-2")
def goodput_hardly_changes_beyond(evidence: Evidence) -> Judgement:
    """By 5 % at most, of every algorithm, as the growth below."""
    judgements: list[Judgement] = []
    for name in evidence["queue-size"].by("algorithm"):
        first, *rest = by_size(evidence, name, "goodput_mbps", lambda size: size > 100).values()
        judgements += [about(one / first, 1, within=MINOR) for one in rest]
    return all_of(judgements)


@claim(
    "lin2019-s74-3",
    explanation=said(
        "Vegas needs no more queue than the few packets that it keeps in it. The others give back less than half of their "
        "window after a loss, for which 60 packets are enough; NewReno, which halves it, has least.",
        _at_60_packets,
        "If netem's limit counts all packets that wait for the delay, 62 of them, CUBIC, Vegas and Illinois need 100, and YeAH more.",
    ),
    cause="unexplained",
)
def all_but_bbr_need_100_packets(evidence: Evidence) -> Judgement:
    """About 100: 60 are too few, 100 or more are enough."""
    names = [name for name in NAMED if name != "bbr"]
    rate = "goodput_mbps"
    few = [one for name in names for one in by_size(evidence, name, rate, lambda size: size <= 60).values()]
    enough = [one for name in names for one in by_size(evidence, name, rate, lambda size: size >= 100).values()]
    return all_of([*(one < FULL * 100 for one in few), *(one >= FULL * 100 for one in enough)])


@claim("lin2019-s74-4")
def rtt_of_most_grows_beyond_100_packets(evidence: Evidence) -> Judgement:
    """Twice as long at 1000; "most investigated" are those of all that the figures show."""
    names = evidence["queue-size"].by("algorithm")
    rtts = [by_size(evidence, name, "mean_rtt_ms", lambda size: size in (100, 1000)) for name in names]
    return most(one[1000] > 2 * one[100] for one in rtts)


@claim("lin2019-s74-5")
def bbr_and_vegas_stay_below_40_ms(evidence: Evidence) -> Judgement:
    return all_of(
        one < 40 for name in ("bbr", "vegas") for one in by_size(evidence, name, "mean_rtt_ms", lambda _: True).values()
    )


@claim("lin2019-s74-6")
def retransmissions_of_most_grow_with_the_queue(evidence: Evidence) -> Judgement:
    """From 10 to 1000 packets and in most steps between; "most algorithms" is of all that the figures show."""
    judgements: list[Judgement] = []
    for name in evidence["queue-size"].by("algorithm"):
        rates = list(by_size(evidence, name, "retransmits_per_s", lambda _: True).values())
        judgements.append(all_of([rates[-1] > rates[0], most(b > a for a, b in pairwise(rates))]))
    return most(judgements)


@claim(
    "lin2019-s74-7",
    explanation="BBR does: unpaced it sends two BDPs into a small queue; Illinois loses little more often than CUBIC",
    cause="unexplained",
)
def bbr_and_illinois_retransmit_most_below_100_packets(evidence: Evidence) -> Judgement:
    """Far more is twice as much."""
    small = {name: by_size(evidence, name, "retransmits_per_s", lambda size: size < 100) for name in NAMED}
    return all_of(
        rate > 2 * small[other][size]
        for name in ("bbr", "illinois")
        for size, rate in small[name].items()
        for other in ("cubic", "vegas", "yeah")
    )


@claim(
    "lin2019-s74-8",
    explanation="unpaced, BBR's window of two BDPs overflows the smallest of these queues; Vegas and YeAH lose some hundred "
    "packets when slow start ends, where HyStart keeps CUBIC from losing any",
    cause="unexplained",
)
def bbr_vegas_and_yeah_retransmit_least_beyond(evidence: Evidence) -> Judgement:
    large = {name: by_size(evidence, name, "retransmits_per_s", lambda size: size > 100) for name in NAMED}
    return all_of(
        rate < large[other][size]
        for name in ("bbr", "vegas", "yeah")
        for size, rate in large[name].items()
        for other in ("cubic", "illinois")
    )
