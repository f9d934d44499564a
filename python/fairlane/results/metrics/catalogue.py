"""Finds metrics by name, and knows the default metrics of tables."""

from functools import cache, partial
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from fairlane.engine import contract
from fairlane.engine.messages import unknown
from fairlane.results.metrics import definitions
from fairlane.results.metrics.metric import REGISTRY, Metric, MetricError, Of, column


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
    """The metric of that name: one of `catalogue`, or a measured column of the tables of results."""
    _load()
    if name in REGISTRY:
        return REGISTRY[name]
    columns = _columns()
    if name not in columns:
        raise MetricError(unknown("metric", name, [*REGISTRY, *columns]))
    return columns[name]


@cache
def _columns() -> dict[str, Metric]:
    """A metric for each column with numbers that the engine declares; a name of several tables is that of flows."""
    found: dict[str, Metric] = {}
    subjects: dict[str, Of] = {"flows": "flow", "links": "link", "runs": "run"}
    for table, of in subjects.items():
        for declared in contract()["columns"][table]:
            name, digits = declared["name"], {"integer": 0, "number": 2}.get(declared["type"])
            if digits is None or name in found or name in _IDENTITY:
                continue
            value = column(name, declared["optional"])
            label = name.replace("_", " ")
            each = value if of == "flow" else None
            unit, meaning, one = declared["unit"], declared["meaning"], partial(_of_one, value)
            found[name] = Metric(name, of, unit, meaning, "", label, digits, one, None, False, each, __name__)
    return found


_IDENTITY = ("flow", "group")
"""Numbers that say what a row is about."""


def _of_one(value: column, subject: Any) -> float | None:
    found: float | None = value([subject])[0]
    return found


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
