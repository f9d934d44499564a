"""Finds metrics by name, and knows the default metrics of tables."""

from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from fairlane.engine.messages import unknown
from fairlane.results.metrics import definitions
from fairlane.results.metrics.metric import REGISTRY, Metric, MetricError, Of


@cache
def _load() -> None:
    for module in iter_modules(definitions.__path__, f"{definitions.__name__}."):
        import_module(module.name)


def catalogue(of: Of | None = None) -> list[Metric]:
    """All metrics, those of one's own last; `of` picks those of flows, links, ..."""
    _load()
    ours = [metric for metric in REGISTRY.values() if metric.module.startswith(definitions.__name__)]
    ours.sort(key=lambda metric: metric.module)
    every = [*ours, *(metric for metric in REGISTRY.values() if metric not in ours)]
    return [metric for metric in every if of is None or metric.of == of]


def find(name: str) -> Metric:
    """The metric of that name."""
    _load()
    if name not in REGISTRY:
        raise MetricError(unknown("metric", name, REGISTRY))
    return REGISTRY[name]


USUAL = {
    "group": ["goodput_mbps", "mean_rtt_ms", "mean_cwnd_packets", "retransmits_per_packet_pct"],
    "flow": ["goodput_mbps", "share_pct", "mean_rtt_ms", "mean_cwnd_packets", "retransmits_per_packet_pct"],
    "run": ["total_goodput_mbps", "jain_index", "bottleneck_utilisation_pct", "mean_rtt_ms", "total_retransmits"],
    "link": ["utilisation_pct", "mean_queue_kb", "mean_queue_delay_ms", "drop_rate_pct"],
}
"""Metrics, by what has a row."""

OWN = {
    "group": ["group", "name", "algorithm"],
    "flow": ["flow", "group", "name", "algorithm"],
    "link": ["name"],
    "run": [],
}
"""Columns that say which group, flow or link of a run a row is about."""
