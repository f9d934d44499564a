"""All kinds of plots, by name."""

from collections.abc import Callable
from functools import partial
from importlib import import_module
from pathlib import Path

from fairlane.engine.messages import unknown
from fairlane.results.tables import ResultTables
from fairlane.show.plots.options import Options, PlotError

Draw = Callable[[Path, "ResultTables", Options], None]

OVER_TIME = {
    "overview": "goodput, window, RTT and queue of one run over time",
    "goodput": "goodput over time",
    "throughput": "throughput over time",
    "sending-rate": "sending rate over time",
    "cwnd": "congestion windows over time",
    "inflight": "packets in flight over time",
    "pacing": "pacing rates over time",
    "rtt": "smoothed RTT over time",
    "packet-rtt": "mean packet RTT of each sampling interval over time",
    "retransmits": "retransmissions over time",
    "queue": "the bottleneck's queue over time",
    "queue-delay": "the bottleneck's queuing delay over time",
    "drops": "the bottleneck's drops over time",
    "marks": "the bottleneck's ECN marks over time",
    "watched": "the members of metrics.watch over time, a panel for each",
}
OF_SWEEPS = {
    "line": ("a metric against an axis, with confidence bands", "line", "draw", "metric x lines panels log_x"),
    "box": ("how a metric spreads, for each value of an axis", "distributions", "draw_box", "metric x lines"),
    "heatmap": ("a metric over two axes", "matrices", "draw_heatmap", "metric x lines"),
    "cdf": ("the distribution of a metric", "distributions", "draw_cdf", "metric lines log_x"),
    "rtt-cdf": ("the distribution of all packets' RTTs", "distributions", "draw_packet_rtt", "lines log_x"),
    "delay-throughput": ("throughput against delay", "delay_throughput", "draw", "metric against lines log_x"),
    "jain": ("Jain's index over time", "over_time", "draw_jain", "lines bin_s until_s"),
    "medium": ("who holds the air of a Wi-Fi cell, frame by frame, in one run", "medium", "draw", "until_s"),
    "mpdus-cdf": ("the distribution of MPDUs per PPDU, for each Wi-Fi queue", "distributions", "draw_mpdus", "lines"),
    "topology": ("a network of switches, its links coloured by utilisation", "topology", "draw", ""),
    "shares": ("who gets which share against whom, as a matrix", "matrices", "draw_shares", ""),
}
"""Description, module, function and options of each kind."""
OPTIONS_OVER_TIME = "panels bin_s until_s"
KINDS = OVER_TIME | {name: text for name, (text, *_) in OF_SWEEPS.items()}


def draw(
    kind: str,
    path: Path,
    results: ResultTables,
    options: Options,
) -> None:
    """Draws a plot of that kind to `path`; the suffix selects the file format."""
    if kind not in KINDS:
        raise PlotError(unknown("kind of plot", kind, KINDS))
    own = (OPTIONS_OVER_TIME if kind in OVER_TIME else OF_SWEEPS[kind][3]).split()
    for name in ("metric", "against", "x", "lines", "panels", "bin_s", "until_s", "log_x"):
        if getattr(options, name) and name not in own:
            what = {"bin_s": "bin", "until_s": "until", "log_x": "log-x"}.get(name, name)
            raise PlotError(f"{kind} has no --{what}; leave it out, or draw another kind")
    from fairlane.show.plots.figure import NOTE

    token = NOTE.set(lambda: results.notice)
    try:
        _function(kind)(path, results, options)
    finally:
        NOTE.reset(token)


def _function(kind: str) -> Draw:
    _, file, function, _ = OF_SWEEPS.get(kind, ("", "over_time", "draw", ""))
    found = getattr(import_module(f"fairlane.show.plots.{file}"), function)
    return partial(found, kind=kind) if kind in OVER_TIME else found
