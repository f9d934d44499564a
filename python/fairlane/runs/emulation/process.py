"""The process that carries packets: `python -m fairlane.runs.emulation.process FILE`.

The file (JSON) has what `Carriage` has. The process creates the devices, says "ready", waits for a line "origin N" (the
network's time 0 on the monotonic clock, in ns; 0 is now), carries packets until standard input ends or the time is
over, and writes its report.
"""

import json
import os
import signal
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from fairlane import engine
from fairlane.algorithm.kernel import KernelError
from fairlane.engine.types import Scenario
from fairlane.runs.emulation import devices, namespaces, priority, selfcheck
from fairlane.runs.emulation.devices import DEVICE, Host, HostPlan


@dataclass(frozen=True)
class Carriage:
    """The network through which packets are carried."""

    scenario: Scenario
    hosts: Sequence[HostPlan]
    """Sender and receiver of each flow."""
    output: str
    """The file of the report."""
    check_ns: int | None = None
    """Duration of the saturation of the bottleneck before; None for no check."""
    duration_ns: int | None = None
    """None until standard input ends."""
    status: int | None = None
    """An open file for samples, a line of JSON each."""

    def text(self) -> str:
        """The content of the file."""
        return json.dumps(asdict(self))


def _read(path: str) -> Carriage:
    content = json.loads(Path(path).read_text(encoding="utf-8"))
    return Carriage(**{**content, "hosts": [HostPlan(**one) for one in content["hosts"]]})


def main(path: str) -> None:
    """Does what the file says."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the program behind the link
    namespaces.die_with_parent()
    plan = _read(path)
    try:
        hosts = [one.create() for one in plan.hosts]
        priority.gain(priority.NETWORK)
        priority.keep_awake()
        checked = selfcheck.check(plan.scenario, hosts, plan.check_ns) if plan.check_ns else None
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the first process of a group is the parent of its orphans
        _say("ready")
        report = _carry(plan, hosts, round(1e3 * checked["wake_us"]) if checked else 0)
        dropped = [_dropped(one) for one in hosts]
        content = {**report, "check": checked, "device_drops": sum(dropped)}
        Path(plan.output).write_text(json.dumps(content), encoding="ascii")
    except (KernelError, engine.ScenarioError, OSError) as error:
        _say(f"error {' '.join(str(error).split())}")
        sys.exit(1)


def _dropped(host: Host) -> int:
    with namespaces.inside(host.network):
        return devices.dropped_packets(DEVICE)


def _carry(plan: Carriage, hosts: list[Host], wake_ns: int) -> dict[str, Any]:
    words = sys.stdin.readline().split()
    if len(words) != 2 or words[0] != "origin":
        raise KernelError("the process that started this one is gone")
    before = time.process_time()
    report = engine.emulate(
        plan.scenario,
        [host.device for host in hosts],
        sys.stdin.fileno(),
        status=plan.status,
        origin_ns=int(words[1]) or time.monotonic_ns(),
        duration_ns=plan.duration_ns,
        wake_ns=wake_ns,
    )
    return {**report, "cpu_s": time.process_time() - before}


def _say(line: str) -> None:
    try:
        print(line, flush=True)
    except BrokenPipeError:  # the process that started this one is gone
        os._exit(1)


if __name__ == "__main__":
    main(sys.argv[1])
