"""The samples of a flow, for formats that report intervals."""

from collections.abc import Callable, Iterator

import numpy as np

from fairlane.results.metrics.subject import Array, Flow


class Samples:
    """The samples of one flow; times in seconds from the start of the flow."""

    def __init__(self, flow: Flow) -> None:
        self.flow = flow
        self.ends_s = flow.times_s
        self.lengths_s = np.diff(self.ends_s, prepend=0.0)

    def series(self, name: str) -> Array:
        """A column."""
        return self.flow.series(name)

    @property
    def bytes(self) -> Array:
        """Payload that the receiver got in each sample's interval."""
        return self.series("mbps") * self.lengths_s * 125_000

    def intervals(self, start_s: float, length_s: float) -> Iterator[tuple[float, float, slice]]:
        """Intervals of about `length_s` from `start_s` on, each with its samples; the last may be shorter.

        An interval ends with the first sample that is at or after its end.
        """
        first = int(np.searchsorted(self.ends_s, start_s + _TOLERANCE_S, side="right"))
        begin_s, number = start_s, 1
        while first < len(self.ends_s):
            end = int(np.searchsorted(self.ends_s, start_s + number * length_s - _TOLERANCE_S))
            last = min(max(end, first), len(self.ends_s) - 1)
            end_s = float(self.ends_s[last])
            yield begin_s, end_s, slice(first, last + 1)
            begin_s, first = end_s, last + 1
            while start_s + number * length_s <= end_s + _TOLERANCE_S:
                number += 1


def mean_of(values: Array, reduce: Callable[[Array], float] = np.mean) -> float | None:
    """Of the values that there are."""
    present = values[np.isfinite(values)]
    return float(reduce(present)) if len(present) else None


_TOLERANCE_S = 1e-6
"""Sampling times are sums of floats."""
