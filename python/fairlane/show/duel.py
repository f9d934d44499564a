"""The outcome of a duel as text for the terminal, and as a plot over time."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from fairlane.engine.messages import counted
from fairlane.engine.types import LinkConfig, WifiMedium
from fairlane.results.metrics import Metric, find
from fairlane.results.metrics.common_time import common_time_s, goodputs_of_run_mbps
from fairlane.results.metrics.definitions.fairness import jain_index, share_pct
from fairlane.results.metrics.subject import Run
from fairlane.results.metrics.summary import mean_of
from fairlane.results.statistics import FEW, LEAST
from fairlane.scenario.network import Dumbbell, Wifi
from fairlane.scenario.scenario import Point
from fairlane.scenario.topology.wiring import MAHIMAHI_PACKET_BITS
from fairlane.scenario.units import Buffer, show_bytes, show_rate, show_time
from fairlane.show.plots.styles import named_algorithm, places
from fairlane.show.text.aligned import FEW_REPEATS, number, table_of
from fairlane.show.text.callbacks import Changes
from fairlane.show.text.sweep_table import metric_heading
from fairlane.show.text.terminal_plot import strips


def headline(duel: Point) -> str:
    """The network in one line."""
    if isinstance(duel.experiment.network, Wifi):
        return _wifi_headline(duel)
    experiment, link = duel.experiment, _bottleneck(duel)
    rtts = sorted(set(_rtts_ns(duel)))
    loss = link["loss"].get("probability", 0) if "loss" in link else 0
    mtu, trace = experiment.network.mtu, _trace(duel)
    parts = [
        f"trace {trace}, mean {show_rate(float(f'{_rate_bps(duel):.3g}'))}" if trace else show_rate(_rate_bps(duel)),
        "RTT " + (show_time(rtts[0]) if len(rtts) == 1 else f"{show_time(rtts[0])} to {show_time(rtts[-1])}"),
        _queue(duel),
        *([f"loss {loss * 100:g} %"] if loss else []),
        *([f"MTU {mtu}"] if mtu != 1500 else []),
        *([f"reverse {show_rate(reverse)}"] if (reverse := duel.scenario["links"][1].get("rate_bps")) else []),
        *(["QUIC"] if all(flow.transport == "quic" for flow in experiment.flows) else []),
        *(["ECN"] if experiment.hosts.ecn else []),
        show_time(experiment.duration),
        f"seed {experiment.seed}",
    ]
    return ", ".join(parts)


def duel_text(duel: Point, result: Mapping[str, Any], wall_s: float, *, width: int, colour: bool, blocks: bool) -> str:
    """Table, totals and strips."""
    end_s = duel.experiment.duration / 1e9
    is_wifi = isinstance(duel.experiment.network, Wifi)
    series = [
        (label, flow["t_s"], [mbps * 1e6 for mbps in flow["mbps"]])
        for label, flow in zip(_labels(duel), result["series"]["flows"], strict=True)
    ]
    plot = strips(
        series,
        title="goodput",
        most=_round_up(max(max(values, default=0.0) for *_, values in series)) if is_wifi else _rate_bps(duel),
        show=show_rate,
        end_s=end_s,
        width=width,
        colours=places([named_algorithm(str(group["algorithm"])) for group in duel.groups]) if colour else None,
        blocks=blocks,
    )
    tables = [_table(duel, result), *([_airtime(result["links"])] if is_wifi else [])]
    return "\n\n".join([headline(duel), *tables, _totals(duel, result, wall_s), plot])


OF_FLOWS = ("goodput_mbps", "share_pct", "mean_rtt_ms", "max_rtt_ms", "mean_cwnd_packets", "retransmits", "timeouts")
OF_RUNS = ("bottleneck_utilisation_pct", "jain_index", "mean_queue_kb")
"""The metrics of a duel with repeats."""


def repeats_text(duel: Point, results: Sequence[Mapping[str, Any]]) -> str:
    """Means over the repeats, with intervals of at least three."""
    runs = [Run.of(result) for result in results]
    of_flows, of_runs = [find(name) for name in OF_FLOWS], [find(name) for name in OF_RUNS]
    labels = _labels(duel)
    columns = {
        metric_heading(metric): [_mean([metric(run.flows[one]) for run in runs], metric) for one in range(len(labels))]
        for metric in of_flows
    }
    subjects: dict[str, Sequence[Any]] = {
        "link": [run.bottleneck for run in runs],
        "run": runs,
        "flows": [run.flows for run in runs],
    }
    totals = [
        f"{metric.label} {_mean([metric(subject) for subject in subjects[metric.of]], metric)} {metric.unit}".strip()
        for metric in of_runs
        if metric.of != "flows" or len(runs[0].flows) > 1
    ]
    time_s = common_time_s(runs[0].flows)
    time = (
        [f"Shares and Jain's index: from {time_s[0]:.3g} to {time_s[1]:.3g} s, when all flows run."] if time_s else []
    )
    few = [FEW_REPEATS] if LEAST <= len(runs) < FEW else ["Intervals need 3 repeats."] if len(runs) < LEAST else []
    title = f"{headline(duel)} to {duel.experiment.seed + len(runs) - 1}, means of {len(runs)} runs"
    return "\n\n".join([title, table_of({"flow": labels, **columns}), "\n".join([", ".join(totals), *time, *few])])


def _mean(values: Sequence[float | None], metric: Metric) -> str:
    mean = mean_of(values)
    if mean is None:
        return "-"
    half = f" ±{number((mean.high - mean.low) / 2, metric.digits)}" if mean.is_known else ""
    return number(mean.estimate, metric.digits) + half


def draw_duel(
    path: Path, duel: Point, result: Mapping[str, Any], watched: Sequence[Mapping[str, Changes]] = ()
) -> None:
    """Writes the plot over time to `path`, with a panel for each member that was `watched` (for each flow, by name)."""
    from fairlane.show.plots.run_timeline import USUAL, Line, draw

    run, names = Run.of(result), [str(group["algorithm"]) for group in duel.groups]
    members = watched or [{} for _ in names]
    is_wifi = isinstance(duel.experiment.network, Wifi)
    shown = [link for link in run.links if link["name"].endswith("-up") and link["name"].startswith("station")]
    draw(
        path,
        headline(duel),
        [Line(*one) for one in zip(_labels(duel), names, run.flows, members, strict=True)],
        shown if is_wifi else [link for link in run.links if link["name"] == "bottleneck"],
        end_s=duel.experiment.duration / 1e9,
        capacity_mbps=None if is_wifi else _rate_bps(duel) / 1e6,
        limit_bytes=_limit_bytes(duel),
        panels=[*USUAL, *dict.fromkeys(name for flow in members for name in flow)],
    )


def _labels(duel: Point) -> list[str]:
    """Distinct flow names: numbered if there is more than one flow, with the transport if flows differ in it."""
    names = [str(group["algorithm"]) for group in duel.groups]
    transports = [flow.transport for flow in duel.experiment.flows]
    if len(set(transports)) > 1:
        names = [f"{name} ({transport})" for name, transport in zip(names, transports, strict=True)]
    return names if len(names) == 1 else [f"{index} {name}" for index, name in enumerate(names, start=1)]


def _bottleneck(duel: Point) -> LinkConfig:
    return duel.scenario["links"][0]


def _rate_bps(duel: Point) -> float:
    """The rate of the bottleneck; of a trace the mean."""
    link = _bottleneck(duel)
    if "rate_bps" in link:
        return float(link["rate_bps"])
    times_ms = link["trace_ms"]
    return float(len(times_ms) * MAHIMAHI_PACKET_BITS * 1000 / max(times_ms[-1], 1))


def _trace(duel: Point) -> str | None:
    network = duel.experiment.network
    return Path(network.trace).name if isinstance(network, Dumbbell) and network.trace else None


def _rtts_ns(duel: Point) -> list[int]:
    return [flow.rtt or 0 for flow in duel.experiment.flows]


def _table(duel: Point, result: Mapping[str, Any]) -> str:
    run = Run.of(result)
    flows = duel.experiment.flows
    time_s = common_time_s(run.flows)
    # Goodputs over different times do not add up to the link's: those of the common time stand next to them.
    together = goodputs_of_run_mbps(run)
    time = f"{time_s[0]:g}–{time_s[1]:g} s" if time_s else ""
    columns = {"flow": _labels(duel)}
    if len({flow.start for flow in flows}) > 1:
        columns["start"] = [show_time(flow.start) for flow in flows]
    if len(set(_rtts_ns(duel))) > 1:
        columns["base\nRTT"] = [show_time(flow.rtt or 0) for flow in flows]
    columns["goodput\nMbps"] = [number(flow["goodput_mbps"], 2) for flow in run.flows]
    if time:
        columns[f"{time}\nMbps"] = [number(one, 2) for one in together] if together else ["-"] * len(flows)
    columns[f"{time}\nshare, %" if time else "share\n%"] = [number(share_pct(flow), 1) for flow in run.flows]
    for heading, name, digits in OF_ONE_RUN:
        columns[heading] = [number(flow[name], digits) for flow in run.flows]
    return table_of(columns)


OF_ONE_RUN = (
    ("mean RTT\nms", "mean_rtt_ms", 2),
    ("max RTT\nms", "max_rtt_ms", 2),
    ("mean cwnd\npackets", "mean_cwnd_packets", 1),
    ("retrans-\nmits", "retransmits", 0),
    ("time-\nouts", "timeouts", 0),
)
"""Heading, value and digits of the last columns."""


def _wifi_headline(duel: Point) -> str:
    experiment, cell = duel.experiment, cast(WifiMedium, duel.scenario["media"][0])
    sender = cell["stations"][0]["uplink"]
    streams = sender.get("streams") or sender["mcs"] // 8 + 1
    parts = [
        f"802.11{cell['standard']}, {cell['width_mhz']} MHz, MCS {sender['mcs']}",
        counted(streams, "stream"),
        counted(len(cell["stations"]), "station"),
        f"RTT of the wire {show_time(min(_rtts_ns(duel)))}",
        show_time(experiment.duration),
        f"seed {experiment.seed}",
    ]
    return ", ".join(parts)


def _round_up(value: float) -> float:
    """A round number above."""
    scale = 10.0 ** len(str(int(value))) / 10
    return float(-(-value // scale) * scale) or 1.0


def _totals(duel: Point, result: Mapping[str, Any], wall_s: float) -> str:
    run = Run.of(result)
    time_s = common_time_s(run.flows)
    when = f" from {time_s[0]:g} to {time_s[1]:g} s" if time_s else ""
    fairness = f", Jain's index{when} {number(jain_index(run.flows), 3)}" if len(duel.groups) > 1 else ""
    if isinstance(duel.experiment.network, Wifi):
        used = f"total goodput {sum(flow['goodput_mbps'] for flow in result['flows']):.1f} Mbps{fairness}"
    else:
        link = next(link for link in result["links"] if link["name"] == "bottleneck")
        used = (
            f"link used {100 * link['utilisation']:.1f} %{fairness}, mean queue {show_bytes(link['mean_queue_bytes'])}"
            f", {link['dropped_packets']:,} dropped"
        )
    return (
        f"{used}\n{result['data_packets_delivered']:,} data packets, "
        f"{show_time(duel.experiment.duration)} simulated in {wall_s:.2f} s"
    )


def _queue(duel: Point) -> str:
    """The discipline, unless it is the plain one, and its limit, unless it is tc's."""
    kind, buffer = _bottleneck(duel)["queue"]["kind"], _buffer(duel)
    if buffer is None:
        return str(kind)
    discipline = "" if kind == "fifo" else f"{kind}, "
    if buffer.unit == "packets":
        return f"{discipline}buffer {counted(int(buffer.amount), 'packet')}"
    suffix = f" ({float(buffer.amount):g} BDP)" if buffer.unit == "bdp" else ""
    return f"{discipline}buffer {show_bytes(_limit_bytes(duel) or 0)}{suffix}"


def _buffer(duel: Point) -> Buffer | None:
    network = duel.experiment.network
    return network.buffer if isinstance(network, Dumbbell) else None


def _limit_bytes(duel: Point) -> int | None:
    """The buffer in bytes of frames; None if none was given."""
    buffer = _buffer(duel)
    if buffer is None:
        return None
    link = _bottleneck(duel)
    if buffer.unit == "packets":
        return int(buffer.amount) * (duel.experiment.network.mtu + int(link["overhead_bytes"]))
    return buffer.as_bytes(round(_rate_bps(duel)), max(_rtts_ns(duel)))


def _airtime(links: Sequence[Mapping[str, Any]]) -> str:
    """The Wi-Fi queues among the links of a result: who had the channel, and how it was used."""
    used = [link for link in links if link["ppdus"]]
    retransmitted = [link["retransmitted_mpdus"] / (link["ppdus"] * link["mpdus_per_ppdu"]) for link in used]
    return table_of(
        {
            "queue": [link["name"] for link in used],
            "airtime\n%": [number(100 * link["airtime_share"], 1) for link in used],
            "PPDUs": [number(link["ppdus"], 0) for link in used],
            "MPDUs\nper PPDU": [number(link["mpdus_per_ppdu"], 1) for link in used],
            "collided\n%": [number(100 * link["collided_ppdus"] / link["ppdus"], 1) for link in used],
            "retrans-\nmitted %": [number(100 * share, 1) for share in retransmitted],
            "dropped\npackets": [number(link["dropped_packets"], 0) for link in used],
        }
    )
