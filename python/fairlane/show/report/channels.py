"""Channels over time: sampled columns, values computed from them, and points packed for a page.

Points of a line are differences of small integers, which compress well. A value becomes an integer from 1 to
LEVELS + 1, as its share of the line's largest; 0 is no value, which interrupts the line, and BETWEEN is passed over.
"""

from itertools import pairwise

from fairlane.engine.libraries import np, pl
from fairlane.results.metrics.subject import Array
from fairlane.show.plots.absence import LONGEST, sampling_interval_s

GOODPUT, WINDOW, RTT, QUEUE = "mbps", "cwnd_packets", "rtt_ms", "queue_delay_ms"
RETRANSMISSIONS, FAIRNESS = "retransmits", "jain"
MEAN_WINDOW = "mean_cwnd_packets"
TITLES = {
    GOODPUT: "goodput, Mbps",
    WINDOW: "congestion window, packets",
    RTT: "smoothed RTT, ms",
    QUEUE: "queue delay, ms",
    RETRANSMISSIONS: "retransmissions, per second",
    FAIRNESS: "Jain's index",
}
"""The channels that the page draws of each run, in this order."""
DRAWN_TITLES = {**TITLES, MEAN_WINDOW: "30 s mean window, packets"}
"""The channels that a figure may have."""


def per_second(flows: "pl.DataFrame") -> "pl.DataFrame":
    """With retransmissions per second instead of per sample."""
    return flows.with_columns(pl.col(RETRANSMISSIONS) / sample_s(flows))


def mean_window(line: "pl.DataFrame") -> "pl.DataFrame":
    """The moving mean of the window of one line."""
    from fairlane.results.metrics.definitions.convergence import DRAWN_MEAN_S, moving_mean

    times_s, means = moving_mean(line["t_s"].to_numpy(), line[WINDOW].cast(float).to_numpy(), DRAWN_MEAN_S)
    return pl.DataFrame({"t_s": times_s, MEAN_WINDOW: means})


def fairness(flows: "pl.DataFrame", stretch_s: float) -> "list[pl.DataFrame]":
    """Jain's index over time where flows share something; its intervals are whole samples, about a stretch long."""
    from fairlane.results.metrics.definitions.fairness import Samples, jain_of_samples

    spans = each_flow(flows)
    if len(spans) < 2:
        return []
    step_s = sample_s(flows)
    samples = Samples(
        flows["start_s"].to_numpy()[[rows.start for rows in spans]],
        np.array([rows.stop - rows.start for rows in spans]),
        flows["t_s"].to_numpy(),
        flows[GOODPUT].to_numpy().astype(np.float64),
    )
    ends_s, values = jain_of_samples(samples, step_s * max(1, round(stretch_s / step_s)))
    return [pl.DataFrame({"t_s": ends_s, FAIRNESS: values})]


def sample_s(flows: "pl.DataFrame") -> float:
    """From one sample of a flow to the next."""
    longest = max(each_flow(flows), key=lambda rows: rows.stop - rows.start)
    times_s = flows["t_s"][longest].to_numpy()
    return float(np.median(np.diff(times_s)) if len(times_s) > 1 else times_s[0]) or 1.0


def each_flow(flows: "pl.DataFrame") -> list[slice]:
    """The rows of each flow, which follow one another: data frames for hundreds of flows would cost most of a page."""
    numbers = flows["flow"].to_numpy()
    return [slice(*span) for span in pairwise([0, *(np.flatnonzero(np.diff(numbers)) + 1).tolist(), len(numbers)])]


Packed = tuple[float, list[int]]
"""The scale of a line, and the differences from one of its points to the next."""
RATES = (GOODPUT, RETRANSMISSIONS)
"""The channels that are 0 where no flow exists; others have no value there."""
STRETCHES = 150
"""Intervals of a run that is reduced."""
LEVELS = 1000
BETWEEN = -1
"""The level of a point between two samples that are further apart than points."""
BYTES_PER_POINT = 1.0
"""About what a point takes in the page, deflated and in base64."""
FULL_BYTES_PER_POINT = 1.6
"""The same of single samples, which vary more."""


def _without_samples(stretch: Array, times_s: Array, stretch_s: float, stretches: int) -> tuple[Array, Array]:
    """Masks of the stretches without a sample between two that have one; `stretch` is that of each sample.

    First those that lie between samples further apart than stretches, then those in which samples are missing, because
    no flow existed.
    """
    longest_s = LONGEST * max(sampling_interval_s(np.unique(times_s)), stretch_s)
    known = np.unique(stretch)
    between, absent = np.zeros((2, stretches), dtype=bool)
    for before in np.flatnonzero(np.diff(known) > 1):
        first, last = known[before], known[before + 1]
        found = between if (last - first) * stretch_s <= longest_s else absent
        found[first + 1 : last] = True
    return between, absent


def packed(
    frame: "pl.DataFrame", column: str, end_s: float, stretches: int, *, pairs: bool = False, means: bool = False
) -> Packed:
    """The scale, and the differences from one point to the next.

    Each stretch of time has one point, its last sample, or `pairs` of the smallest and the largest.
    """
    times, values = frame["t_s"].to_numpy(), frame[column].cast(float).to_numpy()
    there = np.isfinite(values)
    if column == RTT:
        there &= values > 0  # results of older versions have 0 before the first measurement
    times, values = times[there], values[there]
    if not len(values):
        return 0.0, []
    # A sample covers the interval before it.
    stretch = np.clip(np.ceil(times / end_s * stretches - 1e-6).astype(int) - 1, 0, stretches - 1)
    first, second = np.full(stretches, np.nan), np.full(stretches, np.nan)
    starts = np.flatnonzero(np.r_[True, stretch[1:] != stretch[:-1]])
    counts = np.diff([*starts, len(values)])
    for count in np.unique(counts):  # stretches of equal length together: a call for each would take most of the time
        begins = starts[counts == count]
        places, parts = stretch[begins], values[begins[:, None] + np.arange(count)]
        if means:
            first[places] = second[places] = parts.mean(axis=1)
        elif pairs:
            low, high = parts.argmin(axis=1), parts.argmax(axis=1)
            rows = np.arange(len(parts))
            first[places], second[places] = parts[rows, np.minimum(low, high)], parts[rows, np.maximum(low, high)]
        else:
            first[places] = parts[:, -1]
    between, absent = _without_samples(stretch, times, end_s / stretches, stretches)
    if column in RATES:
        first[absent] = second[absent] = 0.0
    points = np.stack([first, second], axis=1).ravel() if pairs else first
    scale = float(np.nanmax(points)) or 1.0
    whole = np.where(np.isnan(points), 0, np.round(np.nan_to_num(points) / scale * LEVELS) + 1).astype(int)
    whole[np.repeat(between, 2) if pairs else between] = BETWEEN
    return float(f"{scale:.6g}"), np.diff(whole, prepend=0).tolist()
