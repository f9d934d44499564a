"""Metrics: each is a function or an expression of columns, with its formula, unit and source.

A metric maps a flow, a link, or some flows of one run to a number; the engine does the counting.

A metric of one's own is a function with the same decorator:

    >>> from fairlane.results.metrics import metric
    >>> @metric(of="flow", unit="ms")
    ... def standing_delay_ms(flow):
    ...     '''How far the mean RTT lies above the smallest.'''
    ...     return flow["mean_rtt_ms"] - flow["min_rtt_ms"]

`flow["name"]` is any value of the engine's result, `flow.series("cwnd_packets")` an array over time. None stands
where there is nothing to measure. From then on the metric has a place in tables and plots like all others.
"""

from fairlane.results.metrics.catalogue import catalogue, find
from fairlane.results.metrics.metric import Metric, MetricError, metric
from fairlane.results.metrics.subject import Flow, Link, Run

__all__ = ["Flow", "Link", "Metric", "MetricError", "Run", "catalogue", "find", "metric"]
