"""A scenario as a plan for the agent whose network is emulated: hosts by this kernel, everything between by ours.

Each host is a namespace with one TUN device. A process of the agent carries packets between them as the simulator's
network does (`fairlane.runs.emulation.process`), and measures the links.
"""

from collections.abc import Callable, Iterator, Mapping

from fairlane.engine.types import FlowConfig, LinkConfig, Scenario
from fairlane.runs import interpreter
from fairlane.runs.backends.linux import limits
from fairlane.runs.backends.linux.limits import Abilities
from fairlane.runs.backends.linux.plan import (
    Plan,
    address_of,
    file,
    flow_lines,
    launcher,
    lines,
    run_line,
    setting_lines,
)
from fairlane.runs.emulation import selfcheck
from fairlane.runs.emulation.devices import HostPlan
from fairlane.runs.emulation.process import Carriage
from fairlane.scenario.rates import largest_rate_bps

REPORT = "network"
"""The file in the run's folder with the report of the network's process."""
CHECK_NS = 1_000_000_000
"""Duration of the saturation of the bottleneck before each run."""
_MOST_HOSTS = 200
"""One process carries the packets of all."""


def plan(scenario: Scenario, algorithms: Mapping[int, str], *, before: bytes, has: Callable[[str], bool]) -> Plan:
    """The plan of a scenario that `problems` has nothing against; the arguments are those of `linux.plan.plan`."""
    ends = [(host, n, flow) for n, flow in enumerate(scenario["flows"]) for host in "sr"]
    hosts = [_host(host, n, flow) for host, n, flow in ends]
    emulator = Carriage(scenario, hosts, f"./{REPORT}", CHECK_NS, scenario["duration_ns"])
    script, python = launcher("./python", *interpreter.module("fairlane.runs.emulation.process"))
    body = [
        f"emulator {python} ./emulator",
        *(line for host, n, flow in ends for line in setting_lines(host, n, flow, has)),
        *flow_lines(scenario, algorithms),
        run_line(scenario),
        "end-emulator",
    ]
    head = lines(f"namespace {host}{n}" for host, n, _ in ends)
    return Plan(head + before + script + file("./emulator", emulator.text().encode()) + lines(body))


def problems(scenario: Scenario, kernel: Abilities) -> Iterator[str]:
    """Parts of a scenario that the emulated network, or this kernel's hosts, cannot do."""
    if scenario.get("cross_traffic"):
        yield "cross_traffic: UDP sources run in the simulator only; use a flow, or --on simulator"
    if 2 * len(scenario["flows"]) > _MOST_HOSTS:
        yield f"flows: more than {_MOST_HOSTS // 2} are too many for real time; use --on vm, or --on simulator"
    for link in scenario.get("links", []):
        queue = link.get("queue", {})
        if queue.get("ack_filter") or queue.get("ack_filter_aggressive"):
            yield f"links.{link['name']}.queue.ack_filter: the emulated network reads no TCP headers; leave it out"
    rate_bps = selfcheck.fastest_bps(scenario)
    if rate_bps > selfcheck.FASTEST_BPS:
        yield (
            f"rate: {rate_bps / 1e6:g} Mbit/s; a network in real time carries at most"
            f" {selfcheck.FASTEST_BPS / 1e6:g} Mbit/s; use --on simulator"
        )
    for index, flow in enumerate(scenario["flows"]):
        for line in limits.of_flow(flow, kernel):
            yield f"flows[{index}].{line}"
        if flow.get("receiver", {}).get("offload") and not _comes_singly(flow, scenario):
            yield f"flows[{index}].receiver.offload: TUN devices do not merge packets; leave it out, or use --on vm"


def _comes_singly(flow: FlowConfig, scenario: Scenario) -> bool:
    """Whether GRO has nothing to merge: a link keeps full-sized frames apart for longer than the interface waits."""
    frame_bytes = flow.get("mtu", 1500) + 14
    interval_ns = flow["receiver"].get("offload_interval_ns", 25_000)
    links = {link["name"]: link for link in scenario.get("links", [])}
    path = [links.get(name, {}) for name in flow["forward"]]  # a medium has no rate
    apart_at = [n for n, link in enumerate(path) if _apart_ns(link, frame_bytes) >= interval_ns]
    after = path[apart_at[-1] :] if apart_at else []
    return bool(after) and not any(link.get("jitter") or link.get("duplicate_probability") for link in after)


def _apart_ns(link: LinkConfig, frame_bytes: int) -> float:
    """The shortest time between two full-sized frames that leave a link; 0 if several may leave at once."""
    rate_bps = largest_rate_bps(link)
    if not rate_bps or link.get("trace_ms") or link.get("burst_bytes", 0) > frame_bytes:
        return 0.0
    return frame_bytes * 8e9 / rate_bps


def _host(host: str, n: int, flow: FlowConfig) -> HostPlan:
    window = flow.get("sender", {}).get("initial_cwnd_packets", 10)
    route = f"default initcwnd {window}" if host == "s" else "default"
    return HostPlan(f"/run/netns/{host}{n}", address_of(host, n), flow.get("mtu", 1500), route)
