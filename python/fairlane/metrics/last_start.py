"""Goodput before and since the last flow of the run started: what somebody who joins takes from those who are there."""

import numpy as np

from fairlane.metrics.metric import metric
from fairlane.metrics.subject import Flow

_SOURCE = "Zhang et al. 2018 (Modest BBR), figure 4"


@metric(of="flow", unit="Mbps", label="goodput before the last start", source=_SOURCE, better="more")
def goodput_before_last_start_mbps(flow: Flow) -> float | None:
    """Goodput before the last flow of the run started; none of that flow."""
    return _goodput(flow, since=False)


@metric(of="flow", unit="Mbps", label="goodput since the last start", source=_SOURCE, better="more")
def goodput_since_last_start_mbps(flow: Flow) -> float | None:
    """Goodput since the last flow of the run started."""
    return _goodput(flow, since=True)


def _goodput(flow: Flow, *, since: bool) -> float | None:
    """A sample that straddles the start counts where it ends."""
    if flow.run is None:
        return None
    joined_s = max(float(one["start_s"]) for one in flow.run.everyone)
    times_s, mbps = flow.series("t_s"), flow.series("mbps")
    widths_s = np.diff(times_s, prepend=float(flow["start_s"]))
    chosen = times_s > joined_s + 1e-9 if since else times_s <= joined_s + 1e-9
    return float(np.average(mbps[chosen], weights=widths_s[chosen])) if chosen.any() else None
