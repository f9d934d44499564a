"""Section 5.1: throughput and fairness behind a FIFO."""

import itertools

from fairlane.study.claims import Evidence, Judgement, Measurement, about, all_of, generally

from . import (
    AS_EXPLANATION,
    BUFFERS,
    CLAIMS,
    EVEN,
    JAIN,
    RATES,
    cell,
    cells,
    claim,
    equilibrium,
    other_reading,
    rates_with,
    sender,
    share,
)

READ_OFF = 0.25
"""An equilibrium is read off a curve over buffers that are a factor of two apart: within a quarter."""
SHARED_MEMORY = (
    "the memory limit of a host's flows together may keep the queue from overflowing; the study leaves memory unlimited"
)
V2ALPHA = (
    "the program under test was v2alpha of google/bbr; bbr2 follows its source, and lists its deviations "
    "(fairlane algorithm explain bbr2)"
)
SMALL, LARGE = min(BUFFERS), max(BUFFERS)
FLOWS = {100: 1, 500: 5, 1_000: 10, 10_000: 100, 25_000: 250}
"""Of each sender, by rate."""
RTT_S, PACKET_BYTES = 0.062, 8_900


def at(evidence: Evidence, first: str, rate: float, buffer: float) -> Measurement:
    return share(cell(evidence, "fifo", (first, "cubic"), rate, buffer))


def jain(evidence: Evidence, first: str, rate: float) -> Measurement:
    """Against CUBIC with 16 BDP."""
    return cell(evidence, "fifo", (first, "cubic"), rate, LARGE)[JAIN]


def share_evenly(evidence: Evidence, name: str) -> Judgement:
    return generally(runs[JAIN] >= EVEN for runs in cells(evidence, "fifo", [(name, name)]))


def falls_with_the_buffer(evidence: Evidence, first: str) -> Judgement:
    """From 0.5 to 2 to 16 BDP at each rate, as far as these were run."""
    steps = []
    for rate in RATES:
        shares = [share(one) for one in cells(evidence, "fifo", [(first, "cubic")], [rate], [SMALL, 2, LARGE])]
        steps += [larger < smaller for smaller, larger in itertools.pairwise(shares)]
    return all_of(steps)


@claim("elephants2023-s51-1")
def bbr_leads_with_small_buffers_cubic_with_large_ones(evidence: Evidence) -> Judgement:
    return all_of(
        [
            *(at(evidence, "bbr", rate, SMALL) > 1 for rate in rates_with(evidence, SMALL)),
            *(at(evidence, "bbr", rate, LARGE) < 1 for rate in RATES),
        ]
    )


@claim(
    "elephants2023-s51-2",
    contradicted="the data published with the paper: interpolated as here it lies at 2.0, 3.1, 2.9, 3.0 and 3.1 BDP",
)
def equilibrium_of_bbr_grows_with_the_rate(evidence: Evidence) -> Judgement:
    points = [equilibrium(evidence, "bbr", rate) for rate in RATES]
    return all_of(larger > smaller for smaller, larger in itertools.pairwise(points))


@claim("elephants2023-s51-3")
def equilibrium_of_bbr_at_100_mbps(evidence: Evidence) -> Judgement:
    return about(equilibrium(evidence, "bbr", 100), 2, READ_OFF)


@claim("elephants2023-s51-4")
def equilibrium_of_bbr_at_25_gbps(evidence: Evidence) -> Judgement:
    return about(equilibrium(evidence, "bbr", 25_000), 3.5, READ_OFF)


@claim(
    "elephants2023-s51-5",
    explanation="without HyStart and with shared memory 10 Gbps is less fair and 25 Gbps fairer, as in the paper, but 1 Gbps is as fair as 100 Mbps, as it is if the senders start 5 or 30 s apart",
    cause="unexplained",
    variant="no-hystart-shared-memory",
)
def bbr_and_cubic_are_least_fair_at_1_and_10_gbps(evidence: Evidence) -> Judgement:
    return all_of(
        jain(evidence, "bbr", low) < jain(evidence, "bbr", high)
        for low in (1_000, 10_000)
        for high in (100, 500, 25_000)
    )


@claim(
    "elephants2023-s51-6",
    explanation=SHARED_MEMORY,
    variant="shared-memory",
)
def bbr_and_cubic_are_fairer_at_25_gbps(evidence: Evidence) -> Judgement:
    return all_of(jain(evidence, "bbr", 25_000) > jain(evidence, "bbr", low) for low in (1_000, 10_000))


@claim(
    "elephants2023-s51-7",
    explanation=SHARED_MEMORY,
    cause="testbed",
    variant="shared-memory",
)
def cubic_cannot_fill_16_bdp_at_25_gbps(evidence: Evidence) -> Judgement:
    """The queue never exceeds 95 % of 16 BDP, with BBR against CUBIC."""
    limit_kb = LARGE * 25e9 * RTT_S / 8 / 1000
    return cell(evidence, "fifo", ("bbr", "cubic"), 25_000, LARGE)["max_queue_kb"] < 0.95 * limit_kb


@claim("elephants2023-s51-8")
def small_buffers_leave_cubic_much_less_than_bbr(evidence: Evidence) -> Judgement:
    """Less than half, with 0.5 BDP."""
    return all_of(at(evidence, "bbr", rate, SMALL) > 2 for rate in rates_with(evidence, SMALL))


@claim(
    "elephants2023-s51-9",
    explanation="the cap is twice BBR's estimate of the BDP, and its RTT includes the queue that CUBIC never lets drain",
    cause="predicate",
)
def large_buffers_hold_bbr_to_2_bdp(evidence: Evidence) -> Judgement:
    """All its flows together have at most 2 BDP in flight with 16 BDP of buffer, and CUBIC gets more."""
    found = []
    for rate in RATES:
        runs = cell(evidence, "fifo", ("bbr", "cubic"), rate, LARGE)
        in_flight_bytes = sender(runs, "a", "mean_inflight_packets") * FLOWS[rate] * PACKET_BYTES
        found += [in_flight_bytes <= 2 * rate * 1e6 * RTT_S / 8, share(runs) < 1]
    return all_of(found)


@other_reading("elephants2023-s51-9")
def large_buffers_leave_bbr_less_than_cubic(evidence: Evidence) -> Judgement:
    """Without the 2 BDP: at each rate BBR's flows have less in flight than CUBIC's, which fill the queue, and get less."""
    found = []
    for rate in RATES:
        runs = cell(evidence, "fifo", ("bbr", "cubic"), rate, LARGE)
        bbr, cubic = (sender(runs, name, "mean_inflight_packets") for name in ("a", "b"))
        found += [bbr < cubic, share(runs) < 1]
    return all_of(found)


CLAIMS.untestable("elephants2023-s51-10", "the paper does not define working well; equality of the two is judged above")


@claim(
    "elephants2023-s51-11",
    explanation="the paper shows no repeats; up to 500 Mbps one or five flows of each sender share a small buffer, and which get more "
    "differs from run to run",
    cause="chance",
)
def two_bbr_senders_share_evenly(evidence: Evidence) -> Judgement:
    return share_evenly(evidence, "bbr")


@claim(
    "elephants2023-s51-12",
    explanation=V2ALPHA,
    cause="version",
)
def bbr2_leads_with_small_buffers_cubic_with_large_ones(evidence: Evidence) -> Judgement:
    """From 1 Gbps on; below, the paper expects the equilibrium under its smallest buffer."""
    fast = [rate for rate in rates_with(evidence, SMALL) if rate >= 1_000]
    return all_of(
        [
            *(at(evidence, "bbr2", rate, SMALL) > 1 for rate in fast),
            *(at(evidence, "bbr2", rate, LARGE) < 1 for rate in RATES),
        ]
    )


@claim(
    "elephants2023-s51-13",
    explanation=V2ALPHA,
    cause="version",
)
def equilibrium_of_bbr2_at_1_gbps(evidence: Evidence) -> Judgement:
    return about(equilibrium(evidence, "bbr2", 1_000), 1.5, READ_OFF)


@claim(
    "elephants2023-s51-14",
    explanation=V2ALPHA,
    cause="version",
)
def equilibrium_of_bbr2_at_10_gbps(evidence: Evidence) -> Judgement:
    return about(equilibrium(evidence, "bbr2", 10_000), 5, READ_OFF)


@claim(
    "elephants2023-s51-15",
    explanation=V2ALPHA,
    cause="version",
)
def equilibrium_of_bbr2_at_25_gbps(evidence: Evidence) -> Judgement:
    return about(equilibrium(evidence, "bbr2", 25_000), 6, READ_OFF)


@claim(
    "elephants2023-s51-16",
    explanation=V2ALPHA,
    cause="version",
)
def equilibrium_of_bbr2_lies_below_half_a_bdp_on_slow_links(evidence: Evidence) -> Judgement:
    """CUBIC leads already with 0.5 BDP."""
    return all_of(at(evidence, "bbr2", rate, SMALL) < 1 for rate in (100, 500))


@claim(
    "elephants2023-s51-17",
    contradicted="the data published with the paper: with 16 BDP BBRv2 has 0.26 of both at 10 Gbps, BBRv1 0.20",
)
def large_buffers_are_worse_for_bbr2_than_for_bbr(evidence: Evidence) -> Judgement:
    return all_of(at(evidence, "bbr2", rate, LARGE) < at(evidence, "bbr", rate, LARGE) for rate in RATES)


@claim(
    "elephants2023-s51-18",
    explanation=V2ALPHA,
    cause="version",
)
def large_buffers_cost_bbr2_more_than_2_per_cent(evidence: Evidence) -> Judgement:
    return all_of(
        sender(cell(evidence, "fifo", ("bbr2", "cubic"), rate, LARGE), "a", "loss_rate_pct") > 2 for rate in RATES
    )


@claim(
    "elephants2023-s51-19",
    explanation="two BBRv2 flows at 100 Mbps share less evenly here with up to 2 BDP, 0.79 with 2 BDP where the paper's data have 0.98; bbr2 follows the source of v2alpha, and none of its deviations was found to be the cause",
    cause="unexplained",
)
def two_bbr2_senders_share_evenly(evidence: Evidence) -> Judgement:
    return share_evenly(evidence, "bbr2")


@claim(
    "elephants2023-s51-20",
    explanation="BBRv2 gets more here at 1 and 10 Gbps than in the paper; without HyStart and with shared memory 10 Gbps is less fair than 25 Gbps, as there, but 1 Gbps is not less fair than 500 Mbps",
    cause="unexplained",
    variant="no-hystart-shared-memory",
)
def bbr2_and_cubic_are_least_fair_at_1_and_10_gbps(evidence: Evidence) -> Judgement:
    """As with BBRv1: a drop from 500 Mbps, a recovery at 25 Gbps."""
    return all_of(
        jain(evidence, "bbr2", low) < jain(evidence, "bbr2", high) for low in (1_000, 10_000) for high in (500, 25_000)
    )


@claim(
    "elephants2023-s51-21",
    contradicted="the data published with the paper: with 2 BDP HTCP has more than with 0.5 at 100 Mbps "
    "(0.61 and 0.59 of both), 500 Mbps and 1 Gbps",
)
def htcp_loses_to_cubic_as_the_buffer_grows(evidence: Evidence) -> Judgement:
    return falls_with_the_buffer(evidence, "htcp")


CLAIMS.untestable("elephants2023-s51-22", AS_EXPLANATION)


@claim("elephants2023-s51-23")
def two_htcp_senders_share_evenly(evidence: Evidence) -> Judgement:
    return share_evenly(evidence, "htcp")


@claim(
    "elephants2023-s51-24",
    explanation="the paper shows no repeats; at 100 Mbps two flows share the link, and their shares vary from run to run",
    cause="chance",
)
def small_buffers_leave_reno_slightly_less(evidence: Evidence) -> Judgement:
    """Less than CUBIC, and at least four fifths of it, with 0.5 BDP."""
    shares = [at(evidence, "reno", rate, SMALL) for rate in rates_with(evidence, SMALL)]
    return all_of([*(one < 1 for one in shares), *(one >= 0.8 for one in shares)])


@claim("elephants2023-s51-25")
def reno_loses_to_cubic_as_the_buffer_grows(evidence: Evidence) -> Judgement:
    return falls_with_the_buffer(evidence, "reno")


@claim(
    "elephants2023-s51-26",
    explanation="the paper shows no repeats; with 8 and 16 BDP a flow adds one packet in each round trip of half a second or more, so "
    "that it recovers from one loss for most of the 200 s, and which sender loses first differs from run to run",
    cause="chance",
)
def two_reno_senders_share_evenly(evidence: Evidence) -> Judgement:
    return share_evenly(evidence, "reno")
