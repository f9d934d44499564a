"""A scenario as what a sender, a router and a receiver can do.

The router shapes the two directions: its device towards the receivers has the bottleneck, that towards the senders the
link of the ACKs, if it has a rate. All delays of a flow's path are one delay, of what the receiver's device sends.
"""

from dataclasses import dataclass

from fairlane.engine.declarations import in_file
from fairlane.engine.types import LinkConfig, Scenario
from fairlane.runs.backends.linux import tc

_WORKLOADS = ("bulk", "iperf3", "bytes")
_IMPAIRMENTS = ("loss", "jitter", "duplicate_probability", "corrupt", "ecn_fault", "reorder", "slot", "outages")
_REMEDY = "use --on vm, or --on simulator"


@dataclass(frozen=True)
class Shape:
    """The part of each role in a scenario."""

    forward: LinkConfig | None
    """The link with a rate that data crosses."""
    reverse: LinkConfig | None
    """The link with a rate that ACKs cross."""
    delays_ns: tuple[int, ...]
    """Of each flow: the delays of its whole path."""


def shape(scenario: Scenario) -> Shape:
    """The shape of a scenario that `limits` has nothing against."""
    links = {link["name"]: link for link in scenario.get("links", [])}
    flows = scenario["flows"]
    forward, reverse = (
        {name for flow in flows for name in flow[way] if links[name].get("rate_bps")} for way in ("forward", "reverse")
    )
    delays = tuple(
        sum(links[name].get("delay_ns", 0) for way in ("forward", "reverse") for name in flow[way]) for flow in flows
    )
    return Shape(
        links[min(forward)] if forward else None,
        links[min(reverse)] if reverse else None,
        delays,
    )


def limits(scenario: Scenario, senders: int, receivers: int) -> list[str]:
    """One line for each thing that three roles cannot do, by key."""
    found: list[str] = []
    links = {link["name"]: link for link in scenario.get("links", [])}
    flows = scenario["flows"]
    for way in ("forward", "reverse"):
        paths = {tuple(name for name in flow[way] if links[name].get("rate_bps")) for flow in flows}
        if len(paths) > 1 or any(len(path) > 1 for path in paths):
            found.append(
                f"network: the flows cross several links with a rate ({way}); hosts have one bottleneck; {_REMEDY}"
            )
    for link in links.values():
        for key in _IMPAIRMENTS:
            if link.get(key):
                found.append(
                    f"links.{link['name']}.{in_file('LinkConfig', key)}: not made on hosts; leave it out, or {_REMEDY}"
                )
        if link.get("changes"):
            found.append(f"links.{link['name']}.changes: not made on hosts; leave them out, or {_REMEDY}")
    if scenario.get("cross_traffic"):
        found.append(f"cross_traffic: UDP sources are not sent by hosts; leave them out, or {_REMEDY}")
    for index, flow in enumerate(flows):
        kind = flow.get("workload", {"kind": "bulk"})["kind"]
        if kind not in _WORKLOADS:
            found.append(f"flows[{index}].workload: iperf3 has no {kind}; write {', '.join(_WORKLOADS)}, or {_REMEDY}")
        if flow.get("sender", {}).get("pacing") == "fq":
            found.append(f"flows[{index}].sender.pacing: the sender's own queue is left as it is; write internal")
        if flow.get("mtu", 1500) != flows[0].get("mtu", 1500):
            found.append(f"flows[{index}].mtu: all flows have that of their devices; write one")
    if not found:
        delays = set(shape(scenario).delays_ns)
        if len(delays) > receivers:
            found.append(
                f"flows.rtt: {len(delays)} different RTTs need as many receivers, and there {_are(receivers)}; add some"
            )
    return found


def places(delays_ns: tuple[int, ...], senders: int, receivers: int) -> list[tuple[int, int]]:
    """The sender and the receiver of each flow: hosts take turns, and each receiver has one delay.

    >>> places((20, 20, 20), 2, 2)
    [(0, 0), (1, 1), (0, 0)]
    >>> places((20, 80), 1, 3)
    [(0, 0), (0, 1)]
    """
    delays = sorted(set(delays_ns))
    if len(delays) == 1:
        return [(n % senders, n % receivers) for n in range(len(delays_ns))]
    return [(n % senders, delays.index(delay)) for n, delay in enumerate(delays_ns)]


def discipline(link: LinkConfig, device: str, packet_bytes: int) -> list[list[str]]:
    """The commands of tc that give a device the queue and the rate of a link."""
    overhead = tc.overhead_bytes(link)
    stab = ["stab", "overhead", str(overhead)] if overhead else []
    words = tc.shaper(link["rate_bps"], tc.burst_bytes(link, link["rate_bps"], packet_bytes))
    made = [["tc", "qdisc", "add", "dev", device, "root", "handle", "1:", *stab, *words]]
    if link.get("queue"):
        parent = ["tc", "qdisc", "add", "dev", device, "parent", "1:1", "handle", "2:"]
        made.append([*parent, *tc.queue(link["queue"])])
    return made


def delay(device: str, delay_ns: int) -> list[str]:
    """The command of tc that delays what a device sends."""
    return ["tc", "qdisc", "add", "dev", device, "root", "handle", "1:", *tc.wire({}, delay_ns)]


def _are(count: int) -> str:
    return "is one" if count == 1 else f"are {count}"
