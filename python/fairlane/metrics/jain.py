"""Jain's fairness index.

    J(x_1 .. x_n) = (sum x_i)^2 / (n * sum x_i^2)

1 when all get the same, 1/n when one gets everything.
"""

from collections.abc import Iterable, Sequence

import numpy as np

from fairlane.metrics.metric import metric
from fairlane.metrics.subject import Array, Flow

BIN_S = 1.0
"""Length of a time bin."""


@metric(
    of="flows",
    label="Jain's index",
    digits=3,
    source="Jain, Chiu, Hawe 1984; Lin et al. 2019, equation 1",
    better="more",
)
def jain_index(flows: Sequence[Flow]) -> float | None:
    """Jain's index of the flows' goodputs, each over its own time; none of a single flow."""
    return jain([flow["goodput_mbps"] for flow in flows]) if len(flows) > 1 else None


@metric(
    of="flows",
    label="Jain's index per second",
    digits=3,
    source="Jain, Chiu, Hawe 1984, over bins of 1 s",
    better="more",
)
def jain_index_1s(flows: Sequence[Flow]) -> float | None:
    """Mean over bins of 1 s of Jain's index of the goodputs of the flows that run throughout the bin.

    Sees what the index of the means does not: flows that take turns. Bins with fewer than two flows do not count.
    """
    return _mean_over_time(flows, BIN_S)


@metric(
    of="flows",
    label="Jain's index per 0.3 s",
    digits=3,
    source="Turkovic et al. 2019, tables III to IX (time unit 300 ms in its figures)",
    better="more",
)
def jain_index_300ms(flows: Sequence[Flow]) -> float | None:
    """As `jain_index_1s`, over bins of 0.3 s; the series must have samples every 0.1 s or more often."""
    return _mean_over_time(flows, 0.3)


@metric(of="flows", label="Jain's index of senders", digits=3, source="Elephants 2023, equation 2", better="more")
def jain_index_of_groups(flows: Sequence[Flow]) -> float | None:
    """Jain's index of the groups' throughputs, a group for each entry of the experiment; the paper's S_i."""
    sums: dict[int, float] = {}
    for flow in flows:
        sums[flow["group"]] = sums.get(flow["group"], 0.0) + float(flow["throughput_mbps"])
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
    ends_s, shares = binned_goodput(flows, bin_s)
    present = np.isfinite(shares)
    with np.errstate(invalid="ignore", divide="ignore"):
        sums, squares = np.nansum(shares, axis=0), np.nansum(shares**2, axis=0)
        index = sums**2 / (present.sum(axis=0) * squares)
    return ends_s, np.where((present.sum(axis=0) > 1) & (squares > 0), index, np.nan)


def binned_goodput(flows: Sequence[Flow], bin_s: float) -> tuple[Array, Array]:
    """Ends of time bins, and the goodput of each flow (row) in each bin (column); nan unless it runs all the time.

    A sample that straddles the border of two bins counts where it ends.
    """
    end_s = max((float(flow.series("t_s")[-1]) for flow in flows if len(flow.series("t_s"))), default=0.0)
    count = int(np.floor(end_s / bin_s + 1e-6))
    shares = np.full((len(flows), count), np.nan)
    for row, flow in zip(shares, flows, strict=True):
        times_s, mbps = flow.series("t_s"), flow.series("mbps")
        if len(times_s) == 0 or count == 0:
            continue
        places = np.ceil(times_s / bin_s - 1e-6).astype(int) - 1
        widths_s = np.diff(times_s, prepend=max(float(flow["start_s"]), 0.0))
        inside = (places >= 0) & (places < count)
        sums = np.bincount(places[inside], (mbps * widths_s)[inside], count)
        covered_s = np.bincount(places[inside], widths_s[inside], count)
        row[:] = np.where(covered_s >= bin_s * (1 - 1e-6), sums / np.maximum(covered_s, 1e-12), np.nan)
    ends_s: Array = bin_s * np.arange(1, count + 1, dtype=np.float64)
    return ends_s, shares
