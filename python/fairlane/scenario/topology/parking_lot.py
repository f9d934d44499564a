"""Bottlenecks in a row. A flow crosses all of them, or those from its first hop to its last.

    --> hop-1 --> hop-2 --> hop-3 -->        data
    <-- return-1 <-- return-2 <-- return-3   acknowledgements

A flow's RTT is twice the delay of its hops; if it asks for more, the rest lies on access links of its own.
"""

from collections.abc import Sequence

from fairlane.scenario.diagnostics import Place, Report
from fairlane.scenario.experiment import CrossTraffic, Flow
from fairlane.scenario.network import ParkingLot
from fairlane.scenario.topology.wiring import LinkMaker, Path, Wiring, with_access, with_buffers, with_rate
from fairlane.scenario.units import show_time


def wire(network: ParkingLot, flows: Sequence[Flow], cross_traffic: Sequence[CrossTraffic], report: Report) -> Wiring:
    """Links and paths of a parking lot."""
    network = with_buffers(with_rate(network, report))
    longest_ns = max([2 * network.hops * network.hop_delay, *(flow.rtt or 0 for flow in flows)])
    maker = LinkMaker(network.mtu, report)
    numbers = range(1, network.hops + 1)
    links = [maker.link(f"hop-{i}", network, network.hop_delay, longest_ns, ("network",)) for i in numbers]
    links += [
        maker.link(f"return-{i}", network.reverse, network.hop_delay, longest_ns, ("network", "reverse"))
        for i in numbers
    ]
    paths = []
    for number, flow in enumerate(flows, start=1):
        forward, reverse = _crossed(network, flow, ("flows", number - 1), report)
        own_ns = 2 * len(forward) * network.hop_delay
        extra_ns = (flow.rtt or own_ns) - own_ns
        if extra_ns < 0:
            least = show_time(own_ns)
            report(("flows", number - 1, "rtt"), f"is less than the {least} of its hops; raise it or lower hop_delay")
        names = f"access-{number}", f"access-{number}-return"
        paths.append([with_access(links, names, extra_ns, forward, reverse)])
    sources = [_crossed(network, source, ("cross_traffic", i), report)[0] for i, source in enumerate(cross_traffic)]
    return Wiring(links, paths, sources)


def _crossed(network: ParkingLot, crossing: Flow | CrossTraffic, place: Place, report: Report) -> Path:
    first, last = crossing.hops or (1, network.hops)
    if not 1 <= first <= last <= network.hops:
        report((*place, "hops"), f"[{first}, {last}] must rise from 1 to at most {network.hops}")
        first, last = 1, network.hops
    there = [f"hop-{number}" for number in range(first, last + 1)]
    back = [f"return-{number}" for number in range(last, first - 1, -1)]
    return (there, back) if crossing.direction == "forward" else (back, there)
