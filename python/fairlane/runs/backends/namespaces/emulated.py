"""A scenario as a plan for the agent whose network is emulated: hosts by this kernel, everything between by ours.

Each host is a namespace with one TUN device. A process of the agent carries packets between them as the simulator's
network does (`fairlane.runs.emulation.process`), and measures the links.
"""

from collections.abc import Callable, Mapping

from fairlane.engine.types import FlowConfig, Scenario
from fairlane.runs import interpreter
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
from fairlane.runs.emulation.devices import HostPlan
from fairlane.runs.emulation.process import Carriage

REPORT = "network"
"""The file in the run's folder with the report of the network's process."""
CHECK_NS = 1_000_000_000
"""Duration of the saturation of the bottleneck before each run."""


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


def _host(host: str, n: int, flow: FlowConfig) -> HostPlan:
    window = flow.get("sender", {}).get("initial_cwnd_packets", 10)
    route = f"default initcwnd {window}" if host == "s" else "default"
    return HostPlan(f"/run/netns/{host}{n}", address_of(host, n), flow.get("mtu", 1500), route)
