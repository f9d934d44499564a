"""Measurements of speed as tables."""

from collections.abc import Mapping, Sequence
from typing import Any

from fairlane.show.text.aligned import LEFT, RIGHT, number, text_table

_COLUMNS = {
    "data packets": ("data_packets", 0),
    "CPU s": ("cpu_s", 2),
    "wall s": ("wall_s", 2),
    "packets per CPU s": ("packets_per_cpu_s", 0),
    "peak MB": ("peak_rss_mb", 1),
}
"""Headings, members of the JSON objects, and decimals."""
_COSTS = {
    "ns per ACK": ("ns_per_ack", 1),
    "median": ("median_ns_per_ack", 1),
    "calls per ACK": ("calls_per_ack", 2),
    "ACKs": ("acks", 0),
}


def benches_text(measured: Sequence[Mapping[str, Any]]) -> str:
    """Speed and memory of each network."""
    return _table("bench", "name", _COLUMNS, measured)


def costs_text(costs: Sequence[Mapping[str, Any]]) -> str:
    """The cost of each algorithm."""
    return _table("algorithm", "algorithm", _COSTS, costs)


def _table(
    heading: str, name: str, columns: Mapping[str, tuple[str, int]], measured: Sequence[Mapping[str, Any]]
) -> str:
    headings = [(heading, LEFT), *((title, RIGHT) for title in columns)]
    rows = [[one[name], *(number(one[key], digits) for key, digits in columns.values())] for one in measured]
    return text_table(headings, rows)
