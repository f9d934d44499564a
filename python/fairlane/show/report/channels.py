"""What a page draws over time: sampled columns, and what is computed from them."""

from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

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
"""What the page draws of each run, in this order."""
DRAWN_TITLES = {**TITLES, MEAN_WINDOW: "30 s mean window, packets"}
"""The channels that a figure may have."""


def per_second(flows: "pl.DataFrame") -> "pl.DataFrame":
    """With retransmissions per second instead of per sample."""
    import polars as pl

    return flows.with_columns(pl.col(RETRANSMISSIONS) / sample_s(flows))


def mean_window(line: "pl.DataFrame") -> "pl.DataFrame":
    """The moving mean of the window of one line."""
    import polars as pl

    from fairlane.results.metrics.definitions.convergence import DRAWN_MEAN_S, moving_mean

    times_s, means = moving_mean(line["t_s"].to_numpy(), line[WINDOW].cast(float).to_numpy(), DRAWN_MEAN_S)
    return pl.DataFrame({"t_s": times_s, MEAN_WINDOW: means})


def fairness(flows: "pl.DataFrame", stretch_s: float) -> "list[pl.DataFrame]":
    """Jain's index over time where flows share something; its intervals are whole samples, about a stretch long."""
    import numpy as np
    import polars as pl

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
    import numpy as np

    longest = max(each_flow(flows), key=lambda rows: rows.stop - rows.start)
    times_s = flows["t_s"][longest].to_numpy()
    return float(np.median(np.diff(times_s)) if len(times_s) > 1 else times_s[0]) or 1.0


def each_flow(flows: "pl.DataFrame") -> list[slice]:
    """The rows of each flow, which follow one another: data frames for hundreds of flows would cost most of a page."""
    import numpy as np

    numbers = flows["flow"].to_numpy()
    return [slice(*span) for span in pairwise([0, *(np.flatnonzero(np.diff(numbers)) + 1).tolist(), len(numbers)])]
