"""A run as laws look at it: the scenario that was asked for, and the result that came back."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

Row = dict[str, Any]
SMALLEST_PACKET_BYTES = 28
"""An IPv4 header and one of UDP; with TCP there are 40."""


@dataclass(frozen=True)
class Samples:
    """The time series of a flow or a link."""

    columns: dict[str, list[Any]]
    begin_s: float = 0.0
    """Begin of the first interval."""

    def __getitem__(self, name: str) -> list[Any]:
        return self.columns[name]

    @cached_property
    def intervals_s(self) -> list[tuple[float, float]]:
        """Begin and end of each interval."""
        return list(pairwise([self.begin_s, *self.columns["t_s"]]))

    def bytes(self, rate: str) -> list[float]:
        """A rate in Mbit/s as the bytes of each interval."""
        return [mbps * 1e6 / 8 * (end - begin) for mbps, (begin, end) in zip(self[rate], self.intervals_s, strict=True)]


@dataclass(frozen=True)
class Seen:
    """A scenario and its result, as `fairlane.engine.run` takes and gives them."""

    scenario: dict[str, Any]
    result: dict[str, Any]

    @property
    def duration_s(self) -> float:
        """Length of the run."""
        return self.scenario["duration_ns"] / 1e9

    @cached_property
    def links(self) -> dict[str, Row]:
        """The scenario's links by name; stations of media are not among them."""
        return {link["name"]: link for link in self.scenario.get("links", ())}

    def flows(self) -> Iterator[tuple[Row, Row, Samples]]:
        """Of each flow: what was asked for, its row, its samples."""
        for row, samples in zip(self.result["flows"], self.result["series"]["flows"], strict=True):
            yield self.scenario["flows"][row["group"]], row, Samples(samples, row["start_s"])

    def link_rows(self) -> Iterator[tuple[Row, Row, Samples]]:
        """Of each link, without stations of media: what was asked for, its row, its samples."""
        for row, samples in zip(self.result["links"], self.result["series"]["links"], strict=True):
            if row["name"] in self.links:
                yield self.links[row["name"]], row, Samples(samples)

    def lasts(self, row: Row) -> bool:
        """Whether the flow goes on to the end of the run: of others, packets after their end are not counted."""
        return row["start_s"] + row["duration_s"] > self.duration_s - 1e-9 and row["completion_s"] is None

    def largest_frame_bytes(self, link: Row) -> int:
        """The largest frame that the link may have to carry."""
        return max(1500, *(flow.get("mtu", 1500) for flow in self.scenario["flows"])) + link.get("overhead_bytes", 14)

    def propagation_s(self, path: Sequence[str]) -> float:
        """The least time that light needs. Stations of media are taken to be at no distance."""
        links = [self.links[name] for name in path if name in self.links]
        return sum(min(link.get("delay_ns", 0), *_changed(link, "delay_ns")) for link in links) / 1e9

    def longest_wire_s(self, path: Sequence[str]) -> float:
        """The longest time that a packet may take between the queues of a path without stations."""
        total_ns = 0.0
        for link in (self.links[name] for name in path):
            slowest = min(link.get("rate_bps", 1e15), *_changed(link, "rate_bps"))
            total_ns += max(link.get("delay_ns", 0), *_changed(link, "delay_ns"))
            total_ns += link.get("jitter", {}).get("max_ns", 0)
            total_ns += self.largest_frame_bytes(link) * 8e9 / slowest
        return total_ns / 1e9


def _changed(link: Row, key: str) -> list[float]:
    """The values that a setting takes later; never empty, for the arguments of min and max."""
    values = [change[key] for change in link.get("changes", ()) if change.get(key) is not None]
    return values or [link.get(key, 1e15 if key == "rate_bps" else 0)]


def rates_bps(link: Row) -> list[tuple[float, float, float]]:
    """The rates of a link with the times (in seconds) from which and to which they hold."""
    changes = [change for change in link.get("changes", ()) if change.get("rate_bps") is not None]
    times_s = [0.0, *(change["at_ns"] / 1e9 for change in changes), float("inf")]
    rates = [link["rate_bps"], *(change["rate_bps"] for change in changes)]
    return [(begin, end, rate) for (begin, end), rate in zip(pairwise(times_s), rates, strict=True)]
