"""A scenario as a plan for the agent of a guest whose network is emulated: hosts by the kernel, the rest by ours.

Each host is a namespace with one TUN device. A program of the guest carries packets between them as the simulator's
network does (`linux/carrier.c`); it has little to do with the guest's time, since its processor is fast.
"""

import json
from collections.abc import Callable, Mapping

from fairlane.engine.types import Scenario
from fairlane.runs.backends.linux.host import Host, hosts_of, with_sources
from fairlane.runs.backends.linux.plan import Plan, file, flow_lines, lines, run_line
from fairlane.runs.backends.linux.samples import NoResult
from fairlane.runs.emulation.devices import DEVICE, QUEUE_PACKETS

SPEED = 100
"""Of the guest's processor (see `vm.qemu`)."""
FASTEST_BPS = 3_000_000_000
"""The largest rate that was tried: CUBIC at 20 ms had 1,487 Mbit/s in 0.4 s, and 1,507 in the simulator."""
_REPORT = "/tmp/network"


def plan(scenario: Scenario, algorithms: Mapping[int, str], *, before: bytes, has: Callable[[str], bool]) -> Plan:
    """The plan of a scenario that `emulated.problems` has nothing against; the arguments are those of `linux.plan`."""
    hosts = hosts_of(scenario)
    body = [
        f"emulator carrier /tmp/scenario {_REPORT} {' '.join(host.name for host in hosts)}",
        *(f"execute {host.name} ip -batch /tmp/{host.name}" for host in hosts),
        *(line for host in hosts for line in host.setting_lines(has)),
        *flow_lines(scenario, algorithms),
        run_line(scenario),
        "end-emulator",
        f"report {_REPORT}",
    ]
    head = [f"seed {scenario['seed']}", *(f"namespace {host.name}" for host in hosts)]
    files = [file("/tmp/scenario", json.dumps(with_sources(scenario)).encode())]
    files += [file(f"/tmp/{host.name}", lines(_device(host))) for host in hosts]
    return Plan(lines(head) + before + b"".join(files) + lines(body))


def report(output: str) -> tuple[str, dict[str, object] | None]:
    """The output of an agent without the emulator's report, and that report; None if there is none. Raises NoResult."""
    others, found = [], None
    for line in output.splitlines():
        kind, _, rest = line.partition(" ")
        if kind == "network":
            try:
                found = json.loads(rest)
            except (RecursionError, ValueError):
                raise NoResult("its report of the network is not JSON") from None
        else:
            others.append(line)
    return "\n".join(others), found


def _device(host: Host) -> list[str]:
    """The lines for `ip` that give a host's device its address and a route."""
    return [
        "link set lo up",
        f"link set {DEVICE} mtu {host.mtu_bytes} txqueuelen {QUEUE_PACKETS} up",
        f"address add {host.address}/32 dev {DEVICE}",
        f"route add {host.route(DEVICE)}",
    ]
