"""A scenario as a plan for the agent: namespaces, devices, routes, queues, settings and flows.

Every flow has two hosts of its own, `s0` and `r0` for flow 0, each with one device `eth0`. One router, `net`, has all
links. A link is one or two pairs of devices whose both ends are in the router: packets enter the first end, pass its
queue and its transmitter, come out at the second end, and by the rules for that device go to the next link, or to the
host. A link with both a queue and a delay has a second pair for the delay, so that they wait in two places.
"""

import os
import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from fairlane.engine.declarations import complete
from fairlane.engine.types import ChangeConfig, LinkConfig, LossConfig, Scenario
from fairlane.runs.backends.linux import tc
from fairlane.runs.backends.linux.host import SETTINGS, Host, hosts_of, largest_mtu_bytes, with_sources

ROUTER = "net"


@dataclass(frozen=True)
class Plan:
    """The plan for the agent, and the queues that its answers are about."""

    content: bytes
    samples: Mapping[str, str] = field(default_factory=dict)
    """The kind of the queue of each link that has one, as tc calls it."""
    links: Mapping[str, str] = field(default_factory=dict)
    """The names of the links by their words in the plan."""


def plan(
    scenario: Scenario,
    algorithms: Mapping[int, str],
    *,
    before: bytes = b"",
    seed: bool = True,
    has: Callable[[str], bool] = lambda setting: True,
    folder: str = "/tmp",
    instead: Sequence[str] | None = None,
) -> Plan:
    """The plan of a scenario that `limits` has nothing against.

    `algorithms` has the name in the kernel of each flow's congestion control; `before` are lines that load them. `seed`
    says whether the kernel's random numbers follow the scenario's seed; `has` whether the kernel has a setting.
    `instead` are lines that take the place of the flows and their run.
    """
    last = [*flow_lines(scenario, algorithms), run_line(scenario)] if instead is None else instead
    return _Planner(scenario, folder, has).plan(before, last, seed=seed)


class _Planner:
    def __init__(self, scenario: Scenario, folder: str, has: Callable[[str], bool]) -> None:
        self.scenario, self.folder, self.has = scenario, folder, has
        self.flows, self.duration_ns = with_sources(scenario)["flows"], scenario["duration_ns"]
        self.hosts = hosts_of(scenario)
        self.links = {link["name"]: (index, link) for index, link in enumerate(scenario.get("links", []))}
        self.mtu_bytes = largest_mtu_bytes(scenario)
        self.ip: list[str] = []
        self.tc: list[str] = []
        self.lines: list[str] = []
        self.changes: list[tuple[int, str]] = []
        self.samples: dict[str, str] = {}
        self.ends: dict[str, str] = {}
        """The device at which a link's packets come out."""

    def plan(self, before: bytes, last: Sequence[str], *, seed: bool) -> Plan:
        head = [f"seed {self.scenario['seed']}"] if seed else []
        head += [f"namespace {ROUTER}"]
        head += [f"namespace {host.name}" for host in self.hosts]
        for name, (index, link) in self.links.items():
            self._link(name, index, link)
        hosts = [line for host in self.hosts for line in self._host(host)]
        self._routes()
        body = [
            *(f"write {ROUTER} {SETTINGS}{setting} {value}" for setting, value in _ROUTER_SETTINGS),
            f"execute {ROUTER} ip -batch {self.folder}/ip",
            *([f"execute {ROUTER} tc -batch {self.folder}/tc"] if self.tc else []),
            *hosts,
            *self.lines,
            *(line for _, line in sorted(self.changes, key=lambda change: change[0])),
            *self._warm(),
            *last,
        ]
        batches = [file(f"{self.folder}/ip", lines(self.ip)), file(f"{self.folder}/tc", lines(self.tc))]
        names = {_link_word(name, index): name for name, (index, _) in self.links.items()}
        return Plan(b"".join([lines(head), before, *batches, lines(body)]), self.samples, names)

    def _warm(self) -> Iterator[str]:
        """A connection before the run for each flow whose route has metrics."""
        for n, flow in enumerate(self.flows):
            if flow.get("sender", {}).get("route_ssthresh_packets"):
                sender, receiver = Host("s", n, flow), Host("r", n, flow)
                yield f"warm {sender.name} {receiver.name} {receiver.address}"
                yield f"write {sender.name} {SETTINGS}tcp_no_metrics_save 1"

    def _link(self, name: str, index: int, link: LinkConfig) -> None:
        """The pairs of devices of a link: a queue with its transmitter, then what happens on the wire."""
        carries_data = any(name in flow["forward"] for flow in self.flows)
        packet_bytes = self.mtu_bytes if carries_data else tc.ACK_BYTES
        rate_bps, queue = link.get("rate_bps"), link.get("queue")
        begin, end = f"a{index}", f"b{index}"
        self._pair(begin, end)
        overhead = tc.overhead_bytes(link)
        stab = f" stab overhead {overhead}" if overhead else ""
        parent, queue_handle = "root", 1
        if rate_bps:
            words = " ".join(tc.shaper(rate_bps, tc.burst_bytes(link, rate_bps, packet_bytes)))
            self.tc.append(f"qdisc add dev {begin} root handle 1:{stab} {words}")
            parent, queue_handle, stab = "parent 1:1", 2, ""
        if queue and (rate_bps or queue["kind"] == "cake"):
            words = " ".join(tc.queue(queue))
            self.tc.append(f"qdisc add dev {begin} {parent} handle {queue_handle}:{stab} {words}")
            self.lines.append(f"queue {_link_word(name, index)} {ROUTER} {begin} {queue_handle}")
            self.samples[name] = words.split()[0]
        elif rate_bps:
            self.lines.append(f"queue {_link_word(name, index)} {ROUTER} {begin} 1")
            self.samples[name] = "tbf"
        wire = tc.wire(link, link.get("delay_ns", 0), rate_bps, packet_bytes)
        is_changing = any("delay_ns" in change or "loss" in change for change in link.get("changes", ()))
        is_changing |= bool(link.get("outages"))
        wire_device = begin
        if wire or is_changing:
            if name in self.samples:
                wire_device, end = f"c{index}", f"d{index}"
                self._pair(wire_device, end)
                self._table(f"b{index}", ["default dev " + wire_device])
            words = " ".join(wire or ["netem", "limit", str(tc.UNLIMITED_PACKETS)])
            self.tc.append(f"qdisc add dev {wire_device} root handle 9: {words}")
            self.lines.append(f"queue {_link_word(name, index)}/wire {ROUTER} {wire_device} 9")
        self.ends[name] = end
        self._changes(link, begin, wire_device, packet_bytes)

    def _changes(self, link: LinkConfig, begin: str, wire_device: str, packet_bytes: int) -> None:
        rate_bps, delay_ns, down = link.get("rate_bps"), link.get("delay_ns", 0), 0
        for at_ns, change, begins in _steps(link, self.duration_ns):
            router = f"change {at_ns} {ROUTER} tc qdisc change dev"
            down += begins
            if change.get("rate_bps") is not None:
                rate_bps = change["rate_bps"]
                words = " ".join(tc.shaper(rate_bps, tc.burst_bytes(link, rate_bps, packet_bytes)))
                self.changes.append((at_ns, f"{router} {begin} root handle 1: {words}"))
                if link.get("queue", {}).get("kind") == "fifo":  # tbf gave it its own limit
                    words = " ".join(tc.queue(link["queue"]))
                    self.changes.append((at_ns, f"{router} {begin} parent 1:1 handle 2: {words}"))
            if change.get("loss"):
                link = {**link, "loss": change["loss"]}
            delay_ns = change["delay_ns"] if change.get("delay_ns") is not None else delay_ns
            now = {**link, "loss": _ALL_LOST} if down else link
            wire = tc.wire(now, delay_ns, rate_bps, packet_bytes)
            if wire or link.get("outages"):
                words = " ".join(wire or ["netem", "limit", str(tc.UNLIMITED_PACKETS)])
                self.changes.append((at_ns, f"{router} {wire_device} root handle 9: {words}"))

    def _pair(self, one: str, other: str, space: str = "") -> None:
        """Two ends of a cable. They have one address, because without ARP a frame carries its sender's own."""
        address = (0x02 << 40 | len(self.ip) // 3).to_bytes(6, "big").hex(":")
        peer = f"name {other} address {address}" + (f" netns {space}" if space else "")
        self.ip += [
            f"link add {one} address {address} type veth peer {peer}",
            f"link set {one} arp off mtu {self.mtu_bytes} up",
            f"link set {other} arp off mtu {self.mtu_bytes} up" if not space else "",
        ]

    def _table(self, device: str, routes: list[str]) -> None:
        """Routes packets that arrive at a device."""
        number = 1000 + len(self.ip)
        self.ip.append(f"rule add iif {device} lookup {number}")
        self.ip += [f"route add {route} table {number}" for route in routes]

    def _host(self, host: Host) -> list[str]:
        self._pair(host.name, "eth0", host.name)
        batch = [
            f"address add {host.address}/32 dev eth0",
            f"link set eth0 arp off mtu {host.mtu_bytes} up",
            f"route add {host.route('eth0')}",
        ]
        path = f"{self.folder}/ip-{host.name}"
        fair_queue = f"execute {host.name} tc qdisc add dev eth0 root fq"
        return [
            file(path, lines(batch)).decode().removesuffix("\n"),
            f"execute {host.name} ip -batch {path}",
            *(f"offload {host.name} eth0 {feature} {value}" for feature, value in host.offloads().items()),
            f"offload {ROUTER} {host.name} gro 0",
            *host.setting_lines(self.has),
            *([fair_queue] if host.settings.get("pacing") == "fq" else []),
        ]

    def _routes(self) -> None:
        tables: dict[str, list[str]] = {}
        for host in self.hosts:
            path = host.flow["forward"] if host.end == "r" else host.flow["reverse"]
            stops = [f"a{self.links[name][0]}" for name in path] + [host.name]
            self.ip.append(f"route add {host.address}/32 dev {stops[0]}")
            for name, stop in zip(path, stops[1:], strict=True):
                tables.setdefault(self.ends[name], []).append(f"{host.address}/32 dev {stop}")
        for device, routes in tables.items():
            self._table(device, routes)
        self.ip = [line for line in self.ip if line]


_ALL_LOST: LossConfig = {"kind": "independent", "probability": 1.0}


def _steps(link: LinkConfig, duration_ns: int) -> list[tuple[int, ChangeConfig, int]]:
    """The changes of a link in order of time, with 1 where an outage begins and -1 where one ends.

    An outage loses what would reach the far end, and netem loses what enters the wire: that is earlier by the delay.
    """
    steps: list[tuple[int, ChangeConfig, int]] = [(one["at_ns"], one, 0) for one in link.get("changes", ())]
    for outages in link.get("outages", ()):
        starts: Iterable[int]
        if outages["kind"] == "periodic":
            starts = range(outages.get("first_ns", outages["every_ns"]), duration_ns, outages["every_ns"])
        else:
            starts = outages["at_ns"]
        for start_ns in starts:
            for at_ns, begins in ((start_ns, 1), (start_ns + outages["length_ns"], -1)):
                steps.append((max(0, at_ns - link.get("delay_ns", 0)), {}, begins))
    return sorted(steps, key=lambda step: (step[0], step[2]))


def flow_lines(scenario: Scenario, algorithms: Mapping[int, str]) -> list[str]:
    """The lines of the applications, one for each flow and each UDP source."""
    flows = [_flow(scenario, n, algorithms[n]) for n in range(len(scenario["flows"]))]
    return flows + [_source(scenario, n) for n in range(len(scenario.get("cross_traffic", [])))]


def _flow(scenario: Scenario, n: int, algorithm: str) -> str:
    flow = scenario["flows"][n]
    sender, receiver = Host("s", n, flow), Host("r", n, flow)
    stop_ns = flow.get("stop_ns") or scenario["duration_ns"]
    workload = flow.get("workload", {"kind": "bulk"})
    match workload["kind"]:
        case "bytes":
            numbers = [workload["bytes"]]
        case "request_response":
            numbers = [workload["request_bytes"], workload["response_bytes"], workload.get("think_ns", 0)]
        case "ping":
            numbers = [complete("Workload.ping", workload)[name] for name in ("interval_ns", "bytes")]
        case "writes":
            numbers = [workload["bytes"], workload["interval_ns"]]
        case "on_off":
            numbers = [workload["on_ns"], workload["off_ns"]]
        case _:
            numbers = []
    listens = sender if workload["kind"] in ("request_response", "ping") else receiver
    words = [
        *(sender.name, receiver.name, listens.address, algorithm),
        *(flow.get("start_ns", 0), stop_ns, int(not sender.settings["nagle"]), workload["kind"]),
        *numbers,
    ]
    return " ".join(["flow", *map(str, words)])


def _source(scenario: Scenario, n: int) -> str:
    source = complete("CrossTrafficConfig", scenario["cross_traffic"][n])
    number = len(scenario["flows"]) + n
    flow = with_sources(scenario)["flows"][number]
    sender, receiver = Host("s", number, flow), Host("r", number, flow)
    words = [
        *(sender.name, receiver.name, receiver.address, source["rate_bps"], source["packet_bytes"]),
        *(source["start_ns"], source.get("stop_ns") or scenario["duration_ns"]),
        *(source.get("on_ns") or 0, source.get("off_ns") or 0),
        scenario["seed"] * 1_000 + n + 1 if source["exponential"] else 0,
    ]
    return " ".join(["source", *map(str, words)])


def run_line(scenario: Scenario) -> str:
    """The run, and times of exact counters in addition to the samples: where the warm-up ends."""
    return f"run {scenario['duration_ns']} {scenario['series_interval_ns']} {scenario.get('warm_up_ns') or ''}"


_ROUTER_SETTINGS = (
    ("ip_forward", 1),
    ("conf/all/rp_filter", 0),
    ("conf/default/rp_filter", 0),
    ("conf/all/send_redirects", 0),
    ("conf/default/send_redirects", 0),
)


def _link_word(name: str, index: int) -> str:
    """A link's name as a word of the plan: its number if the name could end the word or the line, or is too long.

    >>> _link_word("access-2", 1), _link_word("a\\nexecute - reboot", 1)
    ('access-2', '#1')
    """
    return name if re.fullmatch(r"[A-Za-z0-9_.:-]{1,58}", name) else f"#{index}"


def lines(of_plan: Iterable[str]) -> bytes:
    """The lines of a plan, or of a file in it."""
    return "".join(f"{line}\n" for line in of_plan).encode()


def file(path: str, content: bytes) -> bytes:
    """The part of a plan that writes a file."""
    return b"file %s %d\n%s\n" % (path.encode(), len(content), content)


def launcher(path: str, *program: str | Path) -> tuple[bytes, str]:
    """The part of a plan that writes a script which starts a program, and the words that run it.

    `program` is its path and its first words. A word of a plan cannot hold the blanks that a path may have.
    """
    words = shlex.join(os.fspath(one) for one in program)
    return file(path, b'exec %s "$@"\n' % os.fsencode(words)), f"/bin/sh {path}"
