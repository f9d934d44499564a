"""Fairness: Jain's index, max-min shares, time to fairness.

    J(x_1 .. x_n) = (sum x_i)^2 / (n * sum x_i^2)

is 1 when all flows get the same and 1/n when one gets everything. The time to fairness is that of Zhang et al.,
Modest BBR, section IV-D.

Shares and indices of flows that are not simultaneous refer to the time that they have in common.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial

from numpy.typing import NDArray

from fairlane.engine.libraries import np
from fairlane.results.metrics.common_time import goodputs_of_run_mbps, rates_together_mbps
from fairlane.results.metrics.metric import metric, values_of
from fairlane.results.metrics.subject import Array, Flow, Flows

_index = partial(metric, of="flows", digits=3, better="more")

BIN_S = 1.0
"""Length of a time bin."""


@_index(label="Jain's index", source="Jain, Chiu, Hawe 1984; Lin et al. 2019, equation 1", together=True)
def jain_index(flows: Sequence[Flow]) -> float | None:
    """Jain's index of the flows' goodputs, over the time in common; none of a single flow."""
    goodputs = rates_together_mbps(flows)
    return jain(goodputs) if goodputs and len(flows) > 1 else None


@_index(label="Jain's index per second", source="Jain, Chiu, Hawe 1984, over bins of 1 s")
def jain_index_1s(flows: Sequence[Flow]) -> float | None:
    """Mean over bins of 1 s of Jain's index of the goodputs of the flows that run throughout the bin.

    Sees what the index of the means does not: flows that take turns. Bins with fewer than two flows do not count.
    """
    return _mean_over_time(flows, BIN_S)


@_index(
    label="Jain's index per 0.3 s",
    source="Turkovic et al. 2019, tables III to IX (time unit 300 ms in its figures)",
)
def jain_index_300ms(flows: Sequence[Flow]) -> float | None:
    """As `jain_index_1s`, over bins of 0.3 s; the series must have samples every 0.1 s or more often."""
    return _mean_over_time(flows, 0.3)


@_index(label="Jain's index of senders", source="Elephants 2023, equation 2", together=True)
def jain_index_of_groups(flows: Sequence[Flow]) -> float | None:
    """Jain's index of the groups' throughputs, a group for each entry of the experiment; the paper's S_i."""
    sums: dict[int, float] = {}
    for group, mbps in zip(
        values_of(flows, "group"), rates_together_mbps(flows, rate="throughput") or (), strict=False
    ):
        sums[group] = sums.get(group, 0.0) + mbps
    return jain(sums.values()) if len(sums) > 1 else None


def _mean_over_time(flows: Sequence[Flow], bin_s: float) -> float | None:
    ends_s, values = jain_over_time(flows, bin_s)
    run = flows[0].run if flows else None
    values = values[ends_s - bin_s >= (run.warm_up_s if run else 0.0) - 1e-9]
    return float(np.nanmean(values)) if np.isfinite(values).any() else None


def jain(shares: Iterable[float]) -> float | None:
    """The index of these shares; none if all are 0.

    >>> jain([4.0, 6.0]), jain([1.0, 0.0, 0.0, 0.0]), jain([0.0, 0.0])
    (0.9615384615384616, 0.25, None)
    """
    values = np.asarray(list(shares), dtype=np.float64)
    squares = float(np.sum(values**2))
    return float(np.sum(values)) ** 2 / (len(values) * squares) if squares > 0 else None


def jain_over_time(flows: Sequence[Flow], bin_s: float) -> tuple[Array, Array]:
    """Ends of the time bins in seconds, and their indices; nan with fewer than two flows, or if none gets anything."""
    return _jain_of_bins(*binned_goodput(flows, bin_s))


def jain_of_samples(samples: "Samples", bin_s: float) -> tuple[Array, Array]:
    """`jain_over_time` of samples."""
    return _jain_of_bins(*_binned(samples, bin_s))


def _jain_of_bins(ends_s: Array, shares: Array) -> tuple[Array, Array]:
    present = np.isfinite(shares)
    with np.errstate(invalid="ignore", divide="ignore"):
        sums, squares = np.nansum(shares, axis=0), np.nansum(shares**2, axis=0)
        index = sums**2 / (present.sum(axis=0) * squares)
    return ends_s, np.where((present.sum(axis=0) > 1) & (squares > 0), index, np.nan)


@dataclass(frozen=True)
class Samples:
    """The samples of some flows, one flow after the other."""

    starts_s: Array
    """The start of each flow."""
    lengths: NDArray[np.int64]
    """The number of samples of each."""
    times_s: Array
    mbps: Array
    """The goodput until each sample."""


def binned_goodput(flows: Sequence[Flow], bin_s: float) -> tuple[Array, Array]:
    """Ends of time bins, and the goodput of each flow (row) in each bin (column); nan unless it runs all the time.

    A sample that straddles the border of two bins counts where it ends.
    """
    sampled_s = [flow.series("t_s") for flow in flows]
    mbps = [flow.series("mbps") for flow, times_s in zip(flows, sampled_s, strict=True) if len(times_s)]
    samples = Samples(
        np.array([float(flow["start_s"]) for flow in flows]),
        np.array([len(times_s) for times_s in sampled_s], np.int64),
        np.concatenate([np.empty(0), *sampled_s]),
        np.concatenate([np.empty(0), *mbps]),
    )
    return _binned(samples, bin_s)


def _binned(samples: Samples, bin_s: float) -> tuple[Array, Array]:
    """All flows at once: a dozen calls for each of hundreds of flows would take most of the time."""
    times_s, lengths, flows = samples.times_s, samples.lengths, len(samples.lengths)
    count = int(np.floor(times_s[np.cumsum(lengths)[lengths > 0] - 1].max(initial=0.0) / bin_s + 1e-6))
    ends_s: Array = bin_s * np.arange(1, count + 1, dtype=np.float64)
    if not len(times_s) or count == 0:
        return ends_s, np.full((flows, count), np.nan)
    rows = np.repeat(np.arange(flows), lengths)
    begins_s = np.r_[0.0, times_s[:-1]]
    begins_s[(np.cumsum(lengths) - lengths)[lengths > 0]] = np.maximum(samples.starts_s, 0.0)[lengths > 0]
    widths_s = times_s - begins_s
    places = np.ceil(times_s / bin_s - 1e-6).astype(int) - 1
    inside = (places >= 0) & (places < count)
    bins = (rows * count + places)[inside]
    sums = np.bincount(bins, (samples.mbps * widths_s)[inside], flows * count)
    covered_s = np.bincount(bins, widths_s[inside], flows * count)
    shares = np.where(covered_s >= bin_s * (1 - 1e-6), sums / np.maximum(covered_s, 1e-12), np.nan)
    return ends_s, shares.reshape(flows, count)


STARVING_S = 10
"""Length of the windows in which a flow may starve, in bins of `BIN_S`."""


@_index(label="smallest share of 10 s", source="Arun et al. 2022, 2 (starvation); RFC 9743, 5.2")
def smallest_share_10s(flows: Sequence[Flow]) -> float | None:
    """The smallest goodput of a flow in any 10 s, over the mean of all flows in these 10 s; none of a single flow.

    Only times at which all flows are there count; of a shorter run all of it is one window.
    """
    if len(flows) < 2:
        return None
    _, shares = binned_goodput(flows, BIN_S)
    together = shares[:, np.isfinite(shares).all(axis=0)]
    length = min(STARVING_S, together.shape[1])
    if length == 0:
        return None
    sums = np.lib.stride_tricks.sliding_window_view(together, length, axis=1).sum(axis=2)
    means = sums.mean(axis=0)
    return float((sums.min(axis=0) / means)[means > 0].min()) if (means > 0).any() else None


START_S = 20.0
"""The start of a run, for which Turkovic et al. compare flows."""


@metric(
    unit="Mbit/s",
    label="goodput in the first 20 s",
    source="Turkovic et al. 2019, IV-E (the first 20 s)",
    better="more",
)
def goodput_first_20s_mbps(flow: Flow) -> float | None:
    """Mean goodput of the first 20 s of the run, in which the flow may start later; none of a shorter run."""
    ends_s, shares = binned_goodput([flow], BIN_S)
    first = shares[0][ends_s <= START_S]
    return float(np.nan_to_num(first).mean()) if len(first) == round(START_S / BIN_S) else None


@metric(unit="Mbit/s", label="deviation of goodput", source="Turkovic et al. 2019, figures 8 to 13 (300 ms)")
def goodput_stddev_mbps(flow: Flow) -> float | None:
    """Standard deviation over time of the goodput in bins of 0.3 s, from the first bin with the flow on."""
    _, shares = binned_goodput([flow], 0.3)
    known = shares[0][np.isfinite(shares[0])]
    return float(np.std(known)) if len(known) else None


SHORTEST_PERIOD_S = 3.0
"""Ten bins: below, neighbouring bins are alike because the goodput changes slowly."""


@metric(digits=1, label="period of goodput", source="Turkovic et al. 2019, IV-E (every 10 s)")
def goodput_period_s(flow: Flow) -> float | None:
    """The lag, from 3 s to a third of the flow, at which its goodput in bins of 0.3 s is most like itself.

    By the autocorrelation; none of a shorter flow, a steady one, or one with samples less often than every 0.3 s.
    """
    _, shares = binned_goodput([flow], 0.3)
    on = np.flatnonzero(np.isfinite(shares[0]))
    known = shares[0][on]
    if len(on) == 0 or on[-1] - on[0] + 1 > len(on):
        return None
    swing = known - known.mean()
    lags = range(round(SHORTEST_PERIOD_S / 0.3), len(known) // 3 + 1)
    if not lags or not np.any(np.abs(swing) > 1e-9):
        return None
    likeness = [float(np.mean(swing[lag:] * swing[:-lag])) for lag in lags]
    return 0.3 * lags[int(np.argmax(likeness))]


FAIR_BIN_S = 3.0
"""The paper collects throughput every 3 s."""
BAND = 0.2
"""Shares count as equal if each is within this share of the mean, as in Lin et al. 2019, 4.3."""


@metric(
    of="flows",
    digits=0,
    label="time to equal shares",
    source="Zhang et al. 2018 (Modest BBR), IV-D, throughput collected every 3 s",
    better="less",
)
def time_to_fairness_3s_s(flows: Sequence[Flow]) -> float | None:
    """Time from the start of the run until all flows' goodputs over 3 s lie within 20 % of their mean.

    The length of the run if they never do: then it is a lower bound. None of a single flow.
    """
    if len(flows) < 2:
        return None
    ends_s, shares = binned_goodput(flows, FAIR_BIN_S)
    if not len(ends_s):
        return None
    means = shares.mean(axis=0)  # not a number until all flows run
    with np.errstate(invalid="ignore"):
        fair = (np.abs(shares - means) <= BAND * means).all(axis=0)
    return float(ends_s[int(fair.argmax())]) if fair.any() else max(float(flow.series("t_s")[-1]) for flow in flows)


@_index(label="least by most goodput", source="Bertsekas, Gallager 1992, 6.5 (max-min fairness)", together=True)
def max_min_share(flows: Sequence[Flow]) -> float | None:
    """Smallest goodput over the largest; 1 when all get the same, 0 when one starves."""
    goodputs = rates_together_mbps(flows) or []
    return min(goodputs) / max(goodputs) if len(goodputs) > 1 and max(goodputs) > 0 else None


@_index(label="least of a fair share", digits=1, source="Bertsekas, Gallager 1992, 6.5", together=True)
def min_fair_share_pct(flows: Sequence[Flow]) -> float | None:
    """Smallest goodput over the mean of all, which is the max-min fair share of a common bottleneck."""
    goodputs = rates_together_mbps(flows) or []
    return 100 * min(goodputs) * len(goodputs) / sum(goodputs) if len(goodputs) > 1 and sum(goodputs) > 0 else None


def shares_pct(flows: Sequence[Flow]) -> list[float | None]:
    """`share_pct` of flows of one run."""
    run = flows.run if isinstance(flows, Flows) else flows[0].run if flows else None
    goodputs = goodputs_of_run_mbps(run) if run else []
    total = sum(goodputs)
    if run is None or not total:
        return [None] * len(flows)
    if flows is not run.everyone:
        places = {id(flow): place for place, flow in enumerate(run.everyone)}
        goodputs = [goodputs[places[id(flow)]] for flow in flows]
    return [100 * goodput / total for goodput in goodputs]


@metric(
    label="share of goodput",
    digits=1,
    source="Lin et al. 2019, 4.2 (ratio of goodputs)",
    together=True,
    each=shares_pct,
)
def share_pct(flow: Flow) -> float | None:
    """The flow's goodput over the sum of all flows' goodputs in the run, in the time that all have in common."""
    return shares_pct([flow])[0]
