"""A scenario as a plan for the agent whose network is emulated: hosts by this kernel, everything between by ours.

Each host is a namespace with one TUN device. A process of the agent carries packets between them as the simulator's
network does (`fairlane.runs.emulation.process`), and measures the links.
"""

from collections.abc import Callable, Mapping

from fairlane.engine.types import Scenario
from fairlane.runs import interpreter
from fairlane.runs.backends.linux.host import hosts_of, with_sources
from fairlane.runs.backends.linux.plan import Plan, file, flow_lines, launcher, lines, run_line
from fairlane.runs.emulation.devices import DEVICE, HostPlan
from fairlane.runs.emulation.process import Carriage

REPORT = "network"
"""The file in the run's folder with the report of the network's process."""
CHECK_NS = 1_000_000_000
"""Duration of the saturation of the bottleneck before each run."""


def plan(scenario: Scenario, algorithms: Mapping[int, str], *, before: bytes, has: Callable[[str], bool]) -> Plan:
    """The plan of a scenario that `problems` has nothing against; the arguments are those of `linux.plan.plan`."""
    hosts = hosts_of(scenario)
    made = [HostPlan(f"/run/netns/{host.name}", host.address, host.mtu_bytes, host.route(DEVICE)) for host in hosts]
    emulator = Carriage(with_sources(scenario), made, f"./{REPORT}", CHECK_NS, scenario["duration_ns"])
    script, python = launcher("./python", *interpreter.module("fairlane.runs.emulation.process"))
    body = [
        f"emulator {python} ./emulator",
        *(line for host in hosts for line in host.setting_lines(has)),
        *flow_lines(scenario, algorithms),
        run_line(scenario),
        "end-emulator",
    ]
    head = lines(f"namespace {host.name}" for host in hosts)
    return Plan(head + before + script + file("./emulator", emulator.text().encode()) + lines(body))
