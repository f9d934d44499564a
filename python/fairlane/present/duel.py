"""How the outcome of a duel looks: in the terminal and in a file."""

from pathlib import Path
from typing import Any

from fairlane.dumbbell import Dumbbell
from fairlane.present.table import LEFT, RIGHT, number, text_table
from fairlane.present.terminal_plot import strips
from fairlane.units import show_bytes, show_rate, show_time


def headline(network: Dumbbell) -> str:
    """The network in one line."""
    rtts = sorted({flow.rtt_ns for flow in network.flows})
    parts = [
        show_rate(network.rate_bps),
        "RTT " + (show_time(rtts[0]) if len(rtts) == 1 else f"{show_time(rtts[0])} to {show_time(rtts[-1])}"),
        _queue(network),
        *([f"loss {network.loss * 100:g} %"] if network.loss else []),
        *([f"MTU {network.mtu_bytes}"] if network.mtu_bytes != 1500 else []),
        show_time(network.duration_ns),
        f"seed {network.seed}",
    ]
    return ", ".join(parts)


def duel_text(
    network: Dumbbell, result: dict[str, Any], wall_s: float, *, width: int, colour: bool, blocks: bool
) -> str:
    """Table, totals and strips."""
    end_s = network.duration_ns / 1e9
    series = [
        (label, flow["t_s"], [mbps * 1e6 for mbps in flow["mbps"]])
        for label, flow in zip(_labels(network), result["series"]["flows"], strict=True)
    ]
    plot = strips(
        series,
        title="goodput",
        most=network.rate_bps,
        show=show_rate,
        end_s=end_s,
        width=width,
        colour=colour,
        blocks=blocks,
    )
    return "\n\n".join([headline(network), _table(network, result), _totals(network, result, wall_s), plot])


def draw_duel(path: Path, network: Dumbbell, result: dict[str, Any]) -> None:
    """Writes the plot over time to `path`."""
    from fairlane.present.timeline import Line, Queue, draw

    names = [flow.algorithm.name for flow in network.flows]
    lines = [
        Line(label, name, series)
        for label, name, series in zip(_labels(network), names, result["series"]["flows"], strict=True)
    ]
    index = next(i for i, link in enumerate(result["links"]) if link["name"] == "bottleneck")
    draw(
        path,
        headline(network),
        lines,
        [Queue("bottleneck", result["series"]["links"][index])],
        end_s=network.duration_ns / 1e9,
        capacity_mbps=network.rate_bps / 1e6,
        limit_bytes=None if network.has_own_limit else network.buffer_bytes,
    )


def _labels(network: Dumbbell) -> list[str]:
    """Flow names that can be told apart: the number only where there is more than one flow."""
    if len(network.flows) == 1:
        return [network.flows[0].algorithm.name]
    return [f"{index} {flow.algorithm.name}" for index, flow in enumerate(network.flows, start=1)]


def _table(network: Dumbbell, result: dict[str, Any]) -> str:
    total_mbps = sum(flow["goodput_mbps"] for flow in result["flows"])
    starts = len({flow.start_ns for flow in network.flows}) > 1
    rtts = len({flow.rtt_ns for flow in network.flows}) > 1
    columns = [
        ("flow", LEFT),
        *([("start", RIGHT)] if starts else []),
        *([("base\nRTT", RIGHT)] if rtts else []),
        ("goodput\nMbps", RIGHT),
        ("share\n%", RIGHT),
        ("mean RTT\nms", RIGHT),
        ("max RTT\nms", RIGHT),
        ("mean cwnd\npackets", RIGHT),
        ("retrans-\nmits", RIGHT),
        ("time-\nouts", RIGHT),
    ]
    rows = []
    for label, flow, measured in zip(_labels(network), network.flows, result["flows"], strict=True):
        rows.append(
            [
                label,
                *([show_time(flow.start_ns)] if starts else []),
                *([show_time(flow.rtt_ns)] if rtts else []),
                number(measured["goodput_mbps"], 2),
                number(100 * measured["goodput_mbps"] / total_mbps if total_mbps else None, 1),
                number(measured["mean_rtt_ms"], 2),
                number(measured["max_rtt_ms"], 2),
                number(measured["mean_cwnd_packets"], 1),
                number(measured["retransmits"], 0),
                number(measured["timeouts"], 0),
            ]
        )
    return text_table(columns, rows)


def _totals(network: Dumbbell, result: dict[str, Any], wall_s: float) -> str:
    link = next(link for link in result["links"] if link["name"] == "bottleneck")
    fairness = f", Jain's index {number(result['jain_index'], 3)}" if len(network.flows) > 1 else ""
    return (
        f"link used {100 * link['utilisation']:.1f} %{fairness}, mean queue {show_bytes(link['mean_queue_bytes'])}"
        f", {link['dropped_packets']:,} dropped\n"
        f"{result['data_packets_delivered']:,} data packets, "
        f"{show_time(network.duration_ns)} simulated in {wall_s:.2f} s"
    )


def _queue(network: Dumbbell) -> str:
    """The discipline, unless it is the plain one, and its limit."""
    if network.has_own_limit:
        return network.discipline
    discipline = "" if network.discipline == "fifo" else f"{network.discipline}, "
    return f"{discipline}buffer {_buffer(network)}"


def _buffer(network: Dumbbell) -> str:
    size = network.buffer
    if size.unit == "packets":
        return f"{int(size.amount):,} packet{'s' if size.amount > 1 else ''}"
    suffix = f" ({float(size.amount):g} BDP)" if size.unit == "bdp" else ""
    return show_bytes(network.buffer_bytes) + suffix
