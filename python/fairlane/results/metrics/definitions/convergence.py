"""Convergence time and stability of the congestion window (Lin et al. 2019, 4.3).

    mu(t) = (sum of c(i) for i from t - W to t) / W          (2)
    t_c   = the time from the start until mu first lies within 80 % and 120 % of its own mean
    s     = sqrt(1/N * sum of (mu(i) - mean of mu)^2), i from t_c to the end          (3)

c(i) is the window, sampled every 0.1 s. The paper sets W = 30 and says that this covers 30 seconds, which at that
interval would be 300 samples; 30 samples cover 3 s. Both are offered. mu starts when its window is full, so that t_c
is at least 3 s or 30 s, as in the paper's tables. (Equation 2 has W + 1 terms over W; we take the last W samples.) A
warm-up does not matter here.
"""

from fairlane.engine.libraries import np
from fairlane.results.metrics.metric import metric
from fairlane.results.metrics.subject import Array, Flow, Run

BAND = 0.2
"""The distance from the mean that counts as converged, as a share of the mean."""
DRAWN_MEAN_S = 30.0
"""The averaging window of the paper's Figures 7 to 9."""

_SOURCE = "Lin et al. 2019, 4.3, equation {}, W as {} s, sampled at the intervals of the experiment"


@metric(digits=1, label="convergence time (W = 3 s)", source=_SOURCE.format(2, 3), better="less")
def convergence_time_3s_s(flow: Flow) -> float | None:
    """Time until the mean window of 3 s comes within 20 % of its mean over the flow; none if the flow is shorter."""
    return convergence(flow, 3.0)[0]


@metric(digits=1, label="convergence time (W = 30 s)", source=_SOURCE.format(2, 30), better="less")
def convergence_time_30s_s(flow: Flow) -> float | None:
    """Time until the mean window of 30 s comes within 20 % of its mean over the flow; none if the flow is shorter."""
    return convergence(flow, 30.0)[0]


@metric(digits=2, label="stability (W = 3 s)", source=_SOURCE.format(3, 3), better="less")
def stability_3s_kb(flow: Flow) -> float | None:
    """Deviation of the mean window of 3 s from its mean over the flow, after convergence; 1 kB is 1000 bytes."""
    return _kilobytes(flow, convergence(flow, 3.0)[1])


@metric(digits=2, label="stability (W = 30 s)", source=_SOURCE.format(3, 30), better="less")
def stability_30s_kb(flow: Flow) -> float | None:
    """Deviation of the mean window of 30 s from its mean over the flow, after convergence; 1 kB is 1000 bytes."""
    return _kilobytes(flow, convergence(flow, 30.0)[1])


def convergence(flow: Flow, window_s: float) -> tuple[float | None, float | None]:
    """Convergence time in seconds and stability in packets, for any length of the window."""
    return moving_window(flow.times_s, flow.series("cwnd_packets"), window_s)


def moving_window(times_s: Array, values: Array, window_s: float) -> tuple[float | None, float | None]:
    """The same for any series whose samples are equally far apart.

    >>> import numpy as np
    >>> moving_window(np.array([1.0, 2.0, 3.0]), np.array([6.0, 10.0, 10.0]), 2.0)  # means 8 and 10, about 9
    (2.0, 1.0)
    """
    times_s, means = moving_mean(times_s, values, window_s)
    if not len(means):
        return None, None
    overall = float(means.mean())
    inside = np.abs(means - overall) <= BAND * overall
    if not inside.any():
        return None, None
    first = int(inside.argmax())
    return float(times_s[first]), float(np.sqrt(np.mean((means[first:] - overall) ** 2)))


def moving_mean(times_s: Array, values: Array, window_s: float) -> tuple[Array, Array]:
    """The mean of the last `window_s` at each sample that has a full window before it.

    >>> import numpy as np
    >>> moving_mean(np.array([1.0, 2.0, 3.0]), np.array([6.0, 10.0, 10.0]), 2.0)
    (array([2., 3.]), array([ 8., 10.]))
    """
    step_s = float(np.median(np.diff(times_s))) if len(values) > 1 else 0.0
    if step_s <= 0.0:  # a table of others may have one time in all rows
        return times_s[:0], values[:0]
    samples = max(1, round(window_s / step_s))
    sums = np.concatenate([[0.0], np.cumsum(values)])
    return times_s[samples - 1 :], (sums[samples:] - sums[:-samples]) / samples


NEW_RATE = 0.9
"""The share of the rate that counts as reached."""


@metric(of="run", label="time to 90 % of the rate", source="RFC 9743, 7.9 (steps of the rate)", better="less")
def time_to_90pct_s(run: Run) -> float | None:
    """Time from the end of the warm-up until the bottleneck carries 90 % of its rate for a second.

    After a step of the rate, if the warm-up ends with it and the rate is constant afterwards. The rest of the run if
    it never does: then it is a lower bound. None where the link has no rate.
    """
    link = run.bottleneck
    if link is None or not link["utilisation"]:
        return None
    times_s, mbps = link.counted("t_s"), link.counted("throughput_mbps")
    rate_mbps = float(mbps.mean()) / float(link["utilisation"])
    ends_s, means = moving_mean(times_s, mbps, 1.0)
    reached = means >= NEW_RATE * rate_mbps
    if not reached.any():
        return float(times_s[-1]) - run.warm_up_s if len(times_s) else None
    return max(0.0, float(ends_s[int(reached.argmax())]) - 1.0 - run.warm_up_s)


def _kilobytes(flow: Flow, packets: float | None) -> float | None:
    return None if packets is None else packets * float(flow["mss_bytes"]) / 1000
