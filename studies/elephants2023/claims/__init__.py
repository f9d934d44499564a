"""Claims of Mahmud et al. as predicates over the measured values; a file for each section.

Here: the words that all sections use. A configuration is a pair, a rate and a buffer. Where the paper speaks of each
configuration the repeats are the sample; where it speaks of an average over configurations they are (`over`), so that
such a claim can be judged with one repeat. Metrics of a sender are those of its flows together. "About" means within
10 % unless a claim says otherwise.
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import product
from typing import Any, TypeVar

from fairlane.study.claims import Claims, Evidence, Judgement, Measurement, NotMeasured, Runs, Sample, all_of

Case = TypeVar("Case")

CLAIMS = Claims()
claim = CLAIMS.claim
other_reading = CLAIMS.other_reading

RATES = (100, 500, 1_000, 10_000, 25_000)
"""Mbps."""
BUFFERS = (0.5, 1, 2, 4, 8, 16)
"""BDP."""
AQMS = ("fifo", "red", "fq_codel")
ALGORITHMS = ("bbr", "bbr2", "htcp", "reno", "cubic")
AGAINST_CUBIC = tuple((name, "cubic") for name in ALGORITHMS[:-1])
SAME = tuple((name, name) for name in ALGORITHMS)
PAIRS = AGAINST_CUBIC + SAME

EVEN = 0.95
"""From this index on two senders have almost equal shares: 61 to 39."""
NEARLY_ALL = 0.95
"""A link is nearly full from this utilisation on; headers leave 0.993."""

CITED = "the paper cites it from elsewhere and does not measure it"
AS_EXPLANATION = "the paper offers it as an explanation; no measurement of it would show it"

JAIN = "jain_index_of_groups"
THROUGHPUT = "total_goodput_mbps"
RETRANSMISSIONS = "total_retransmits"


def cell(evidence: Evidence, aqm: str, pair: tuple[str, str], rate: float, buffer: float) -> Runs:
    """The runs of a configuration."""
    return evidence[aqm].where(algorithm_a=pair[0], algorithm_b=pair[1], rate_mbps=rate, buffer_bdp=buffer)


def cells(
    evidence: Evidence,
    aqm: str,
    pairs: Iterable[tuple[str, str]],
    rates: Iterable[float] = RATES,
    buffers: Iterable[float] = BUFFERS,
) -> Iterator[Runs]:
    """Those configurations that were run; of equal runs (RED, FQ-CoDel) one buffer stands for all."""
    there = evidence[aqm].points("rate_mbps", "buffer_bdp")
    chosen = [
        (pair, rate, buffer)
        for pair, rate, buffer in product(pairs, rates, buffers if aqm == "fifo" else [2])
        if (rate, buffer) in there
    ]
    if not chosen:
        raise NotMeasured(f"{aqm} has not been run with these rates and buffers")
    for pair, rate, buffer in chosen:
        yield cell(evidence, aqm, pair, rate, buffer)


def rates_with(evidence: Evidence, buffer: float) -> list[int]:
    """The rates that were run with this buffer behind a FIFO; the quick form leaves some out."""
    there = evidence["fifo"].points("rate_mbps", "buffer_bdp")
    if not (rates := [rate for rate in RATES if (rate, buffer) in there]):
        raise NotMeasured(f"fifo has not been run with {buffer:g} BDP")
    return rates


def every(cases: Iterable[Case], predicate: Callable[[Case], Judgement]) -> Judgement:
    """Holds if it does in each case, a configuration for instance."""
    return all_of(predicate(one) for one in cases)


def sender(runs: Runs, name: str, metric: str = THROUGHPUT) -> Measurement:
    """A metric of the flows of one of the two senders, a or b."""
    return runs.of(name)[metric]


def share(runs: Runs) -> Measurement:
    """Goodput of the first sender per Mbps of the second."""
    return sender(runs, "a") / sender(runs, "b")


def utilisation(runs: Runs) -> Measurement:
    """Goodput of both over the rate of the link."""
    return runs[THROUGHPUT] / float(runs.chosen["rate_mbps"])


def value(figure: Measurement) -> float:
    """The value of the means of its repeats, without an interval and its bootstrap."""
    import numpy as np

    return float(figure.statistic({name: np.asarray(sample) for name, sample in figure.samples.items()}, -1))


def over(name: str, values: Iterable[float]) -> Measurement:
    """A mean over configurations, which are its sample: the interval covers the variation between them."""
    found = list(values)
    if not found:
        raise NotMeasured(f"nothing was measured of {name}")
    return Measurement.of(name, found, Sample.CONFIGURATIONS)


def differences(first: list[float], second: list[float]) -> list[float]:
    """How much more the first has than the second, in each configuration that both have."""
    return [one - two for one, two in zip(first, second, strict=True)]


def index_on_average(evidence: Evidence, aqm: str, *names: str) -> Judgement:
    """Jain's index of two senders of one algorithm, over rates and buffers together."""
    return all_of(
        over(
            f"index of two {name} senders with {aqm}",
            [value(runs[JAIN]) for runs in cells(evidence, aqm, [(name, name)])],
        )
        >= EVEN
        for name in names
    )


def equilibrium(evidence: Evidence, first: str, rate: float) -> Measurement:
    """The buffer in BDP where CUBIC begins to get more than its rival, FIFO.

    Interpolated between the buffers, which are a factor of two apart; 0.5 and 16 where it lies beyond them.
    """
    runs = [cell(evidence, "fifo", (first, "cubic"), rate, buffer) for buffer in _all_buffers(evidence, rate)]
    ours, cubic = [sender(one, "a") for one in runs], [sender(one, "b") for one in runs]
    samples = {name: values for one in [*ours, *cubic] for name, values in one.samples.items()}

    def crossing(data: Any, axis: int) -> Any:
        import numpy as np

        rates_a = np.stack([one.statistic(data, axis) for one in ours])
        rates_b = np.stack([one.statistic(data, axis) for one in cubic])
        lead = rates_a / (rates_a + rates_b) - 0.5
        steps = np.log2(np.asarray(BUFFERS))
        found = np.full(lead.shape[1:], steps[-1])
        for number in reversed(range(1, len(BUFFERS))):
            before, after = lead[number - 1], lead[number]
            part = np.divide(before, before - after, out=np.ones_like(before), where=before > after)
            at = steps[number - 1] + (steps[number] - steps[number - 1]) * np.clip(part, 0, 1)
            found = np.where((before > 0) & (after <= 0), at, found)
        return 2.0 ** np.where(lead[0] <= 0, steps[0], found)

    return Measurement(
        f"equilibrium of {first} and cubic at {rate:,} Mbps in BDP", samples, crossing, exact=ours[0].exact
    )


def _all_buffers(evidence: Evidence, rate: float) -> tuple[float, ...]:
    there = {buffer for of, buffer in evidence["fifo"].points("rate_mbps", "buffer_bdp") if of == rate}
    if missing := [buffer for buffer in BUFFERS if buffer not in there]:
        raise NotMeasured(f"fifo at {rate:,} Mbps has not been run with {', '.join(map(str, missing))} BDP")
    return BUFFERS
