"""Finds metrics by name."""

from functools import cache
from importlib import import_module

from fairlane.metrics.metric import REGISTRY, Metric, MetricError, Of
from fairlane.wording import unknown

FILES = (
    "goodput",
    "throughput",
    "sending_rate",
    "goodput_ratio",
    "last_start",
    "completion",
    "smoothed_rtt",
    "packet_rtt",
    "retransmissions",
    "losses",
    "timeouts",
    "marks",
    "congestion_window",
    "pacing_rate",
    "in_flight",
    "wire_bytes",
    "convergence",
    "totals",
    "jain",
    "fair_share",
    "max_min_share",
    "share",
    "utilisation",
    "queue",
    "queue_delay",
    "drops",
)
"""In the order in which a reference lists them."""


@cache
def _load() -> None:
    for file in FILES:
        import_module(f"fairlane.metrics.{file}")


def catalogue(of: Of | None = None) -> list[Metric]:
    """All metrics, those of one's own last; `of` picks those of flows, links, ..."""
    _load()
    places = {f"fairlane.metrics.{file}": place for place, file in enumerate(FILES)}
    every = sorted(REGISTRY.values(), key=lambda metric: places.get(metric.function.__module__, len(FILES)))
    return [metric for metric in every if of is None or metric.of == of]


def find(name: str) -> Metric:
    """The metric of that name."""
    _load()
    if name not in REGISTRY:
        raise MetricError(unknown("metric", name, REGISTRY))
    return REGISTRY[name]
