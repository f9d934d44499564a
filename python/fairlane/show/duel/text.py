"""The outcome of a duel as text for the terminal, and as JSON."""

from collections.abc import Mapping, Sequence
from typing import Any

from fairlane import __version__
from fairlane.engine.types import Scenario
from fairlane.results.limits import Limit, mean_limit
from fairlane.results.metrics import Metric, find
from fairlane.results.metrics.bottleneck import FORWARD, busiest, with_direction
from fairlane.results.metrics.common_time import common_time_s, goodputs_of_run_mbps
from fairlane.results.metrics.definitions.fairness import jain_index, shares_pct
from fairlane.results.metrics.subject import Run
from fairlane.results.metrics.summary import mean_of
from fairlane.results.statistics import FEW, LEAST
from fairlane.scenario.network import Wifi
from fairlane.scenario.scenario import Point
from fairlane.scenario.units import show_bytes, show_rate, show_time
from fairlane.show.duel.headline import headline, labels, rate_bps, rtts_ns
from fairlane.show.plots.styles import named_algorithm, places
from fairlane.show.text.aligned import FEW_REPEATS, in_unit, number, table_of, visible, with_interval
from fairlane.show.text.sweep_table import metric_heading
from fairlane.show.text.terminal_plot import strips


def duel_text(duel: Point, result: Mapping[str, Any], wall_s: float, *, width: int, colour: bool, blocks: bool) -> str:
    """Table, totals and strips; of many flows a row for each kind of them, and no strips."""
    kinds = _kinds(duel, result)
    if len(duel.groups) > MOST_ROWS:
        return "\n\n".join([headline(duel), kinds, _totals(duel, result, wall_s), "Each flow: --json, or --plot FILE."])
    end_s = duel.experiment.duration / 1e9
    is_wifi = isinstance(duel.experiment.network, Wifi)
    series = [
        (label, flow["t_s"], [mbps * 1e6 for mbps in flow["mbps"]])
        for label, flow in zip(labels(duel), result["series"]["flows"], strict=True)
    ]
    plot = strips(
        series,
        title="goodput",
        most=_round_up(max(max(values, default=0.0) for *_, values in series)) if is_wifi else rate_bps(duel),
        show=show_rate,
        end_s=end_s,
        width=width,
        colours=places([named_algorithm(str(group["algorithm"])) for group in duel.groups]) if colour else None,
        blocks=blocks,
    )
    of_kinds = [kinds] if 1 < len({str(one["algorithm"]) for one in duel.groups}) < len(duel.groups) else []
    tables = [_table(duel, result), *of_kinds, *([_airtime(result["links"])] if is_wifi else [])]
    return "\n\n".join([headline(duel), *tables, _totals(duel, result, wall_s), plot])


OF_FLOWS = ("goodput_mbps", "share_pct", "mean_rtt_ms", "max_rtt_ms", "mean_cwnd_packets", "retransmits", "timeouts")
OF_RUNS = ("bottleneck_utilisation_pct", "jain_index", "mean_queue_kb")
"""The metrics of a duel with repeats."""


def repeats_text(duel: Point, results: Sequence[Mapping[str, Any]]) -> str:
    """Means over the repeats, with intervals of at least three."""
    runs = [Run.of(result) for result in results]
    of_flows, of_runs = [find(name) for name in OF_FLOWS], [find(name) for name in OF_RUNS]
    names = labels(duel)

    def mean(metric: Metric, subjects: Sequence[Any]) -> str:
        return with_interval(mean_of([metric(one) for one in subjects]), metric.digits)

    columns = {
        metric_heading(metric): [mean(metric, [run.flows[one] for run in runs]) for one in range(len(names))]
        for metric in of_flows
    }
    columns |= _limited_by([mean_limit([run.flows[one].figures for run in runs]) for one in range(len(names))])
    subjects: dict[str, Sequence[Any]] = {
        "link": [run.bottleneck for run in runs],
        "run": runs,
        "flows": [run.flows for run in runs],
    }
    totals = [
        f"{metric.label} {mean(metric, subjects[metric.of])} {metric.unit}".strip()
        for metric in of_runs
        if metric.of != "flows" or len(runs[0].flows) > 1
    ]
    time_s = common_time_s(runs[0].flows)
    time = (
        [f"Shares and Jain's index: from {time_s[0]:.3g} to {time_s[1]:.3g} s, when all flows run."] if time_s else []
    )
    others = sorted({str(run.bottleneck["name"]) for run in runs if run.bottleneck} - {FORWARD})
    is_wifi = isinstance(duel.experiment.network, Wifi)
    named = [f"Bottleneck: {', '.join(map(with_direction, others))}."] if others and not is_wifi else []
    few = [FEW_REPEATS] if LEAST <= len(runs) < FEW else ["Intervals need 3 repeats."] if len(runs) < LEAST else []
    title = f"{headline(duel)} to {duel.experiment.seed + len(runs) - 1}, means of {len(runs)} runs"
    return "\n\n".join(
        [title, table_of({"flow": names, **columns}), "\n".join([", ".join(totals), *named, *time, *few])]
    )


def _table(duel: Point, result: Mapping[str, Any]) -> str:
    run = Run.of(result)
    flows = duel.experiment.flows
    time_s = common_time_s(run.flows)
    # Goodputs over different times do not add up to the link's: those of the common time stand next to them.
    together = goodputs_of_run_mbps(run)
    time = f"{time_s[0]:g}–{time_s[1]:g} s" if time_s else ""
    columns = {"flow": labels(duel)}
    if len({flow.start for flow in flows}) > 1:
        columns["start"] = [show_time(flow.start) for flow in flows]
    if len(set(rtts_ns(duel))) > 1:
        columns["base\nRTT"] = [show_time(flow.rtt or 0) for flow in flows]
    unit, factor = in_unit("Mbps", [flow["goodput_mbps"] for flow in run.flows])
    columns[f"goodput\n{unit}"] = [visible(flow["goodput_mbps"] * factor, 2) for flow in run.flows]
    if time:
        shown = [visible(one * factor, 2) for one in together] if together else ["-"] * len(flows)
        columns[f"{time}\n{unit}"] = shown
    columns[f"{time}\nshare, %" if time else "share\n%"] = [number(share, 1) for share in shares_pct(run.flows)]
    for heading, name, digits in OF_ONE_RUN:
        columns[heading] = [number(flow[name], digits) for flow in run.flows]
    columns |= _limited_by([mean_limit([flow.figures]) for flow in run.flows])
    return table_of(columns)


MOST_ROWS = 30
"""Of flows in the terminal."""


def _kinds(duel: Point, result: Mapping[str, Any]) -> str:
    """A row for the flows of each algorithm together."""
    run = Run.of(result)
    flows: dict[str, list[Any]] = {}
    shares: dict[str, float] = {}
    for group, flow, share in zip(duel.groups, run.flows, shares_pct(run.flows), strict=True):
        kind = str(group["algorithm"])
        flows.setdefault(kind, []).append(flow)
        shares[kind] = shares.get(kind, 0.0) + (share or 0.0)
    unit, factor = in_unit("Mbps", [flow["goodput_mbps"] for flow in run.flows])
    goodputs = {kind: [flow["goodput_mbps"] * factor for flow in one] for kind, one in flows.items()}
    return table_of(
        {
            "algorithm": list(flows),
            "flows": [number(len(one), 0) for one in flows.values()],
            f"together\n{unit}": [visible(sum(one), 2) for one in goodputs.values()],
            "share\n%": [number(one, 1) for one in shares.values()],
            f"each\n{unit}": [visible(sum(one) / len(one), 2) for one in goodputs.values()],
            f"least\n{unit}": [visible(min(one), 2) for one in goodputs.values()],
            f"most\n{unit}": [visible(max(one), 2) for one in goodputs.values()],
            "retrans-\nmits": [number(sum(flow["retransmits"] for flow in one), 0) for one in flows.values()],
            "time-\nouts": [number(sum(flow["timeouts"] for flow in one), 0) for one in flows.values()],
        }
    )


def _limited_by(limits: Sequence[Limit | None]) -> dict[str, list[str]]:
    """A column with the limit of each flow, if that is not cwnd or pacing for all."""
    if all(limit is None or limit.is_of_congestion_control for limit in limits):
        return {}
    return {"limited by": [f"{limit.name} {100 * limit.share:.0f} %" if limit else "-" for limit in limits]}


OF_ONE_RUN = (
    ("mean RTT\nms", "mean_rtt_ms", 2),
    ("max RTT\nms", "max_rtt_ms", 2),
    ("mean cwnd\npackets", "mean_cwnd_packets", 1),
    ("retrans-\nmits", "retransmits", 0),
    ("time-\nouts", "timeouts", 0),
)
"""Heading, value and digits of the last columns."""


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
        link = busiest(result["links"]) or result["links"][0]
        used = (
            f"{_named(link)} used {100 * link['utilisation']:.1f} %{fairness}, mean queue "
            f"{show_bytes(link['mean_queue_bytes'])}{_delay(link)}, {link['dropped_packets']:,} dropped"
        )
    return (
        f"{used}\n{result['data_packets_delivered']:,} data packets, "
        f"{show_time(duel.experiment.duration)} simulated in {wall_s:.2f} s"
    )


def _named(link: Mapping[str, Any]) -> str:
    """The bottleneck, by its name if it is not that of the data."""
    return "link" if link["name"] == FORWARD else f"bottleneck {with_direction(link['name'])}"


def _delay(link: Mapping[str, Any]) -> str:
    """The queuing delay of a bottleneck that the RTTs do not show alone."""
    delay_ms = None if link["name"] == FORWARD else link["p95_queue_delay_ms"]
    return "" if delay_ms is None else f", 95th percentile of queuing delay {number(delay_ms, 1)} ms"


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


def summary(duel: Point, scenario: Scenario, result: dict[str, Any], wall_s: float) -> dict[str, object]:
    """The output of `--json`: the result, and every input of the run."""

    run = Run.of(result)
    bottleneck = busiest(result["links"])
    flows = [
        {
            **measured.figures,
            "start_s": flow.start / 1e9,
            "base_rtt_ms": (flow.rtt or 0) / 1e6,
            "share_pct": share_pct,
        }
        for flow, measured, share_pct in zip(duel.experiment.flows, run.flows, shares_pct(run.flows), strict=True)
    ]
    return {
        "flows": flows,
        **({"bottleneck": bottleneck["name"], "link_utilisation": bottleneck["utilisation"]} if bottleneck else {}),
        "jain_index": jain_index(run.flows),
        "common_time_s": common_time_s(run.flows),
        "wall_s": wall_s,
        "links": result["links"],
        "data_packets_delivered": result["data_packets_delivered"],
        "scenario": scenario,
        "version": __version__,
    }
