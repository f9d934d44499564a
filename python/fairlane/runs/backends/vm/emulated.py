"""A scenario as a plan for the agent of a guest whose network is emulated: hosts by the kernel, the rest by ours.

Each host is a namespace with one TUN device. A program of the guest carries packets between them as the simulator's
network does (`linux/carrier.c`); it has little to do with the guest's time, since its processor is fast.
"""

import json
from collections.abc import Callable, Mapping

from fairlane.engine.types import FlowConfig, Scenario
from fairlane.runs.backends.linux.plan import Plan, address_of, file, flow_lines, lines, run_line, setting_lines
from fairlane.runs.emulation.devices import DEVICE, QUEUE_PACKETS

SPEED = 100
"""Of the guest's processor (see `vm.qemu`)."""
FASTEST_BPS = 3_000_000_000
"""Beyond this the time in which packets are carried shows in round trips."""
_REPORT = "/tmp/network"


def plan(scenario: Scenario, algorithms: Mapping[int, str], *, before: bytes, has: Callable[[str], bool]) -> Plan:
    """The plan of a scenario that `emulated.problems` has nothing against; the arguments are those of `linux.plan`."""
    ends = [(host, n, flow) for n, flow in enumerate(scenario["flows"]) for host in "sr"]
    names = [f"{host}{n}" for host, n, _ in ends]
    body = [
        f"emulator carrier /tmp/scenario {_REPORT} {' '.join(names)}",
        *(f"execute {host}{n} ip -batch /tmp/{host}{n}" for host, n, _ in ends),
        *(line for host, n, flow in ends for line in setting_lines(host, n, flow, has)),
        *flow_lines(scenario, algorithms),
        run_line(scenario),
        "end-emulator",
        f"report {_REPORT}",
    ]
    head = [f"seed {scenario['seed']}", *(f"namespace {name}" for name in names)]
    files = [file("/tmp/scenario", json.dumps(scenario).encode())]
    files += [file(f"/tmp/{host}{n}", lines(_device(host, n, flow))) for host, n, flow in ends]
    return Plan(lines(head) + before + b"".join(files) + lines(body))


def report(output: str) -> tuple[str, dict[str, object] | None]:
    """The output of an agent without the emulator's report, and that report; None if there is none."""
    others, found = [], None
    for line in output.splitlines():
        kind, _, rest = line.partition(" ")
        if kind == "network":
            found = json.loads(rest)
        else:
            others.append(line)
    return "\n".join(others), found


def _device(host: str, n: int, flow: FlowConfig) -> list[str]:
    """The lines for `ip` that give a host's device its address and a route."""
    window = f" initcwnd {flow.get('sender', {}).get('initial_cwnd_packets', 10)}" if host == "s" else ""
    return [
        "link set lo up",
        f"link set {DEVICE} mtu {flow.get('mtu', 1500)} txqueuelen {QUEUE_PACKETS} up",
        f"address add {address_of(host, n)}/32 dev {DEVICE}",
        f"route add default dev {DEVICE}{window}",
    ]
