"""One bottleneck that all flows share.

    sender 1 --access-1--\\                            /-- receiver 1
                          >-- bottleneck (rate, queue) --<
    sender 2 --access-2--/                            \\-- receiver 2        (ACKs: `return`, access-N)

Half of the RTT is after the bottleneck and half on the reverse path; what a flow's RTT has beyond the shortest
lies on access links of its own. With a limit of netem it lies in a netem behind the bottleneck, and the shortest is the
network's. A flow in the direction `reverse` sends its data over `return`.
"""

from collections.abc import Sequence

from fairlane.engine.types import QueueConfig
from fairlane.scenario.diagnostics import Report
from fairlane.scenario.experiment import CrossTraffic, Flow
from fairlane.scenario.network import Dumbbell
from fairlane.scenario.topology.wiring import LinkMaker, Path, Wiring, with_access, with_buffers, with_rate


def wire(network: Dumbbell, flows: Sequence[Flow], cross_traffic: Sequence[CrossTraffic], report: Report) -> Wiring:
    """Links and paths of a dumbbell."""
    network = with_buffers(with_rate(network, report))
    rtts_ns = [flow.rtt or network.rtt for flow in flows]
    has_netem = any(flow.netem_limit is not None for flow in flows)
    base_ns, largest_ns = min(*rtts_ns, network.rtt) if has_netem else min(rtts_ns), max(rtts_ns)
    maker = LinkMaker(network.mtu, report)
    links = [
        maker.link("bottleneck", network, base_ns // 2, largest_ns, ("network",)),
        maker.link("return", network.reverse, base_ns - base_ns // 2, largest_ns, ("network", "reverse")),
    ]
    paths: list[list[Path]] = []
    for number, (flow, rtt_ns) in enumerate(zip(flows, rtts_ns, strict=True), start=1):
        forward, reverse = ["bottleneck"], ["return"]
        if flow.direction == "reverse":
            forward, reverse = reverse, forward
        extra_ns = rtt_ns - base_ns
        if extra_ns and flow.netem_limit is not None:
            links.append({"name": f"netem-{number}", "queue": _netem(extra_ns, flow.netem_limit)})
            forward = [*forward, f"netem-{number}"]
            paths.append([(forward, reverse)])
        else:
            names = f"access-{number}", f"access-{number}-return"
            paths.append([with_access(links, names, extra_ns, forward, reverse)])
    sources = [["bottleneck"] if source.direction == "forward" else ["return"] for source in cross_traffic]
    return Wiring(links, paths, sources)


def _netem(delay_ns: int, limit: int) -> QueueConfig:
    """A queue that holds each packet for the delay, and counts what it holds: a card that waits and merges nothing."""
    return {"kind": "router", "merge_interval_ns": delay_ns, "merge_packets": 1, "limit_packets": limit}
