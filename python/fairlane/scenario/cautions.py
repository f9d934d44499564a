"""Warnings about experiments that are valid, but may not be what the author meant."""

from collections import Counter
from collections.abc import Container, Iterator, Mapping
from functools import cache
from typing import Any

from fairlane.engine.declarations import complete, constant, queues
from fairlane.engine.types import Scenario
from fairlane.scenario import kernels, without_effect
from fairlane.scenario.fabrics import Fabric
from fairlane.scenario.link_settings import LinkSettings
from fairlane.scenario.load import LoadedExperiment
from fairlane.scenario.network import Dumbbell, Links, Network, Wifi, WifiMedium
from fairlane.scenario.stations import stations
from fairlane.scenario.units import show_bytes, show_rate, show_time
from fairlane.scenario.variation import Variation

NS_PER_S = 1_000_000_000
PLAIN = ("fifo", "unlimited", "policer")
"""Kinds of queues that do nothing against delay."""
MOST_ROUNDS = 5
"""By which starts may differ, for flows to be simultaneous."""
DATA_SHARE = 1448 / 2304
"""Of a receive buffer: Linux counts the memory of a segment, and adapts the window to it (since 6.6)."""
UNLIMITED = ("bulk", "bytes", "iperf3", "video")
"""Workloads that may have as much in flight as the path holds."""


def remarks(experiment: LoadedExperiment) -> list[str]:
    """Warnings for the author of the file, one per line."""
    unbounded: dict[str, None] = {}
    blocked: dict[str, None] = dict.fromkeys(_plain_reverse(experiment))
    for planned in experiment.points:
        network = planned.point.experiment.network
        found = list(_links(network))
        if isinstance(network, Links):  # others have a default
            unbounded.update((key, None) for key, link in found if link.is_unbounded_by_omission)
        if any("burst_bytes" in link.settings or (link.queue or {}).get("kind") == "policer" for _, link in found):
            blocked.update((line, None) for line in _blocked(planned.point.repeat(0)))
    blocked.update((line, None) for line in (*_memory(experiment), *_apart(experiment)))
    blocked.update((line, None) for line in without_effect.lines(planned.point for planned in experiment.points))
    for planned in experiment.points:
        blocked.update((line, None) for line in algorithm_cautions(planned.point.scenario))
    if not unbounded:
        return [*blocked]
    return [
        f"{', '.join(unbounded)}: no buffer is given, so the queue is unbounded; "
        'give one such as buffer = "1bdp", or write queue = "unlimited" if that is meant',
        *blocked,
    ]


def _plain_reverse(experiment: LoadedExperiment) -> Iterator[str]:
    """A rated reverse link that is a FIFO because no queue was given, while the other direction has an AQM."""
    kinds: dict[str, None] = {}
    yield from _plain_back(experiment)
    for planned in experiment.points:
        network = planned.point.experiment.network
        if isinstance(network, Links | Wifi | Fabric) or network.reverse.queue is not None:
            continue
        kind = str((network.queue or {"kind": "fifo"})["kind"])
        if kind not in PLAIN and (network.reverse.rate_bps is not None or network.reverse.trace is not None):
            kinds[kind] = None
    if kinds:
        swept = len(experiment.points) > 1 and any(axis.name == "queue" for axis in experiment.axes)
        both = 'sweep "network.*.queue" to set both directions' if swept else f'give it queue = "{next(iter(kinds))}"'
        yield (
            f"network.reverse: has a rate and stays a FIFO, while network.queue is {', '.join(kinds)}: uploads and "
            f'ACKs still wait in a full buffer; {both}, or write queue = "fifo" if that is meant'
        )


def _plain_back(experiment: LoadedExperiment) -> Iterator[str]:
    """The same of links by name: those that flows come back over, where the queue of one on their way is swept."""
    swept: dict[str, dict[str, None]] = {}
    for planned in experiment.points:
        for link in planned.point.scenario.get("links", ()):
            swept.setdefault(link["name"], {})[str(link.get("queue", {}).get("kind", "fifo"))] = None
    against = {name for name, kinds in swept.items() if len(kinds) > 1 and not kinds.keys() <= set(PLAIN)}
    network, scenario = experiment.points[0].point.experiment.network, experiment.points[0].point.scenario
    if not against or not isinstance(network, Links):
        return
    plain = {link.name for link in network.links if link.queue is None and (link.rate_bps or link.trace)}
    back = {
        name: there
        for flow in scenario["flows"]
        for name in flow["reverse"]
        for there in flow["forward"]
        if name in plain - against and there in against
    }
    for name, there in back.items():
        yield (
            f"network.links.{name}: has a rate and stays a FIFO, while the queue of {there} is swept: uploads and ACKs "
            f'still wait in a full buffer; sweep "network.links.{name}.queue", too, in a [[sweep.zip]] with '
            f'"network.links.{there}.queue", or write queue = "fifo" if that is meant'
        )


def _apart(experiment: LoadedExperiment) -> Iterator[str]:
    """Short transfers of many senders that the default jitter of repeats starts so far apart that they do not meet."""
    for planned in experiment.points:
        one, network = planned.point.experiment, planned.point.experiment.network
        start_ns = Variation.of(one).start_ns
        finite = any(flow.count > 1 and flow.workload.get("kind") == "bytes" for flow in one.flows)
        if (
            finite
            and one.start_jitter is None
            and isinstance(network, Dumbbell)
            and start_ns > MOST_ROUNDS * network.rtt
        ):
            rounds = f"{start_ns / network.rtt:.0f} round trips"
            yield (
                f"start_jitter: repeats start flows up to {show_time(start_ns)} apart, {rounds}; for senders that "
                f'start together (incast), write start_jitter = "{show_time(network.rtt).replace(" ", "")}" or less'
            )
            return


def _memory(experiment: LoadedExperiment) -> Iterator[str]:
    """At the first point of the sweep where it matters."""
    for planned in experiment.points:
        found = list(linux_limits(planned.point.repeat(0)))
        if found:
            yield found[0] if len(experiment.points) == 1 else f"{planned.label}: {found[0]}"
            return


def _blocked(scenario: Scenario) -> Iterator[str]:
    """Links whose token bucket is too small for a full packet, which then never passes, as in Linux."""
    for link in stations(scenario):
        flows = [flow for flow in scenario["flows"] if link["name"] in flow["forward"]]
        frame_bytes = max((flow["mtu"] for flow in flows), default=0) + link.get(
            "overhead_bytes", constant("ETHERNET_OVERHEAD_BYTES")
        )
        queue = link.get("queue", {})
        policer = queue if queue.get("kind") == "policer" else {}
        limits = {
            "burst": link.get("burst_bytes"),
            "queue.burst": policer.get("burst_bytes"),
            "queue.mtu": policer.get("mtu_bytes"),
        }
        for key, limit_bytes in limits.items():
            if flows and limit_bytes is not None and limit_bytes < frame_bytes:
                yield (
                    f"link '{link['name']}': {key} is {limit_bytes} bytes, so that no full frame of {frame_bytes} ever "
                    "passes; give at least that"
                )


def _links(network: Network) -> Iterator[tuple[str, LinkSettings]]:
    """All links with the keys of their tables."""
    if isinstance(network, Links):
        yield from ((f"network.links.{link.name}", link) for link in network.links)
        for medium in network.media:
            if isinstance(medium, WifiMedium):
                continue  # its queues have a limit unless the file says otherwise
            for one in medium.stations:
                yield f"network.media.{medium.name}.stations.{one.name}", medium.as_link(one)
        return
    if isinstance(network, Wifi):
        yield "network.wire", network.wire
        return
    yield "network", network
    if not isinstance(network, Fabric):
        yield "network.reverse", network.reverse


IN_FILES = 'queue = { kind = "codel", ecn = true }'
IN_OPTIONS = "--queue codel:ecn=true"
"""A queue that marks, as files and the options of a duel write it."""


def algorithm_cautions(
    scenario: Scenario, marking: str = IN_FILES, named: Container[str] | None = None
) -> Iterator[str]:
    """Lines about algorithms without what they need, or with parameters that hardly can be meant; each once.

    `marking` is the example of a queue that marks: `IN_FILES` or `IN_OPTIONS`. With `named` only of these algorithms.
    """
    lines: dict[str, None] = {}
    links = {link["name"]: link for link in scenario.get("links", ())} | {
        link["name"]: link for link in stations(scenario)
    }
    for flow in scenario["flows"]:
        known = _bundled().get(flow["algorithm"])
        if known is None or (named is not None and flow["algorithm"] not in named):
            continue
        if known["class"] == "mark-based" and not any(_marks(links[name]) for name in flow["forward"] if name in links):
            lines[
                f"{known['name']} gets no marks: no queue on its way sets any, and it responds to losses as Reno does; "
                f"choose one that marks, such as {marking}, or fq_codel"
            ] = None
        for parameter in known["parameters"]:
            value = flow.get("parameters", {}).get(parameter["name"])
            whole = _whole(parameter)
            if value is not None and whole is not None and value > whole >= parameter["default"]:
                lines[
                    f"{known['name']}: {parameter['name']}={value} is {value / whole:.3g} times the whole, because its "
                    f"unit is {parameter['unit']}; the default is {parameter['default']}"
                ] = None
    yield from lines


def _marks(link: Mapping[str, Any]) -> bool:
    """Whether the queue of a link marks packets: CAKE and DualPI2 always, others if their options say so."""
    queue = link.get("queue") or {}
    kind = queue.get("kind", "fifo")
    if kind in ("cake", "dualpi2"):
        return True
    is_on = queue.get("ecn", queues().get(kind, {}).get("ecn", {}).get("default", False))
    return bool(is_on) or any(name.startswith("ce_threshold") for name in queue)


def _whole(parameter: Mapping[str, Any]) -> int | None:
    """1 in the unit of a parameter that is a share of a window; None for others, such as gains."""
    unit = parameter["unit"] or ""
    is_share = "share" in (parameter["doc"] or "") or parameter["name"].startswith("beta")
    return int(unit[2:]) if is_share and unit.startswith("1/") and unit[2:].isdigit() else None


@cache
def _bundled() -> dict[str, Any]:
    from fairlane.engine import algorithms

    return {name: one for one in algorithms() for name in (one["name"], *one["aliases"])}


def linux_limits(scenario: Mapping[str, Any]) -> Iterator[str]:
    """A line for the first flow that the hosts' buffers, or those of Linux, keep below its share of the bottleneck."""
    limit_bytes = int(kernels.sender(None, "linux")["wmem_max_bytes"] or 0)
    links = {link["name"]: link for link in scenario.get("links", ())}
    sharing = Counter(link for flow in scenario["flows"] for link in flow["forward"])
    needs = [one for one in (_need(flow, links, sharing) for flow in scenario["flows"]) if one]
    for name, need_bytes, rtt_ns, share_bps in needs:
        if need_bytes > limit_bytes:
            here_bytes = complete("ReceiverHost", {})["rmem_max_bytes"] * DATA_SHARE
            most = {size: show_rate(round(size * 8e3 / rtt_ns) * 1e6) for size in (limit_bytes, here_bytes)}
            yield (
                f"flow {name}: its share of the bottleneck, {show_rate(share_bps)}, needs {show_bytes(need_bytes)} in "
                f"flight; with Linux's default of {show_bytes(limit_bytes)} (tcp_wmem) it would have at most "
                f"{most[limit_bytes]}. "
                + (
                    'Buffers are ample here; in an experiment file, hosts.memory = "linux" sets Linux\'s'
                    if need_bytes <= here_bytes
                    else f"Buffers hold {show_bytes(here_bytes)} here, at most {most[here_bytes]}; in an experiment "
                    "file, hosts.sender.wmem_max and hosts.receiver.rmem_max raise that"
                )
            )
            return


def _need(
    flow: Mapping[str, Any], links: Mapping[str, Any], sharing: Mapping[str, int]
) -> tuple[str, float, int, float] | None:
    """Name, bandwidth-delay product of the flow's share, RTT and the share; None if nothing can be said of it."""
    sender = flow.get("sender") or {}
    workload = (flow.get("workload") or {"kind": "bulk"})["kind"]
    path = [*flow["forward"], *flow["reverse"]]
    if "wmem_max_bytes" in sender or workload not in UNLIMITED or any(name not in links for name in path):
        return None
    rated = [
        (min(rate_bps, links[name].get("queue", {}).get("rate_bps", rate_bps)), name)  # of a policer or shaper, too
        for name in flow["forward"]
        if (rate_bps := links[name].get("rate_bps"))
    ]
    rtt_ns = sum(links[name].get("delay_ns", 0) for name in path)
    if not rated or not rtt_ns or flow.get("transport", "tcp") != "tcp":
        return None
    rate_bps, bottleneck = min(rated)
    share_bps = rate_bps / sharing[bottleneck]
    return flow.get("name") or flow["algorithm"], share_bps * rtt_ns / 8 / NS_PER_S, rtt_ns, share_bps
