"""A kernel in QEMU as a backend."""

import json
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from fairlane.algorithm.kernel import KernelError
from fairlane.engine import AlgorithmError
from fairlane.engine.types import Scenario
from fairlane.runs.backends import Backend, Outcome, provenance
from fairlane.runs.backends.linux import limits, measured, programs, samples
from fairlane.runs.backends.linux.emulated import problems as problems_of_emulated
from fairlane.runs.backends.linux.plan import Plan, plan
from fairlane.runs.backends.vm import emulated, kernels, qemu

EMULATED = "emulated"


def open_backend(argument: str) -> "VirtualMachine":
    """The backend of a kernel: `NAME`, `NAME@SPEED` or `NAME:emulated`; without a name the newest.

    Raises KernelError.
    """
    rest, colon, network = argument.partition(":")
    name, at, wanted = rest.partition("@")
    kernel = kernels.find(name)
    if colon:
        if network != EMULATED or at:
            raise KernelError(f"vm:{argument}: write vm:{name}, vm:{name}@SPEED or vm:{name}:{EMULATED}")
        if not kernel.can_emulate:
            remedy = f"add it again: fairlane kernel add {kernel.name}"
            raise KernelError(f"vm:{argument}: {kernel.name} has no module tun, or not the symbols needed; {remedy}")
        kernels.make_emulator_ready(kernel)
        return WithEmulatedNetwork(kernel, emulated.SPEED)
    kernels.make_ready(kernel)
    speeds = [str(speed) for speed in kernel.speeds]
    if at and wanted not in speeds:
        raise KernelError(f"vm:{argument}: {kernel.name} runs at {' or '.join(speeds)} instructions per ns")
    return VirtualMachine(kernel, int(wanted) if at else None)


class VirtualMachine(Backend):
    """Runs scenarios on a kernel in QEMU, at one speed for all or at that which each scenario needs."""

    name = "vm"

    def __init__(self, kernel: kernels.Kernel, speed: int | None = None) -> None:
        self.kernel = kernel
        self.speed = speed
        self.hz = kernel.hz

    def run(self, scenario: str) -> Outcome:
        """Runs a scenario. The usage is that of QEMU."""
        parsed = json.loads(scenario)
        try:
            names, lines = programs.algorithms(parsed, self.kernel.abilities.algorithms, self.kernel.target)
        except (KernelError, AlgorithmError) as error:
            return Outcome.failed(error)
        speed = self.speed or self.kernel.speed_for(parsed)
        initramfs = self._make_ready(speed)
        planned = self._plan(parsed, names, before=_memory(speed) + lines, has=self._has)
        ended = qemu.run(self.kernel.folder, planned.content, speed, initramfs)
        if ended.is_hung:
            words = f"the guest hangs: its time stood still, or did not proceed for {qemu.HANG_CPU_S} s of CPU time"
            return Outcome(None, ended.usage, "GuestError", words)
        try:
            output, network = emulated.report(ended.output)
            found = samples.read(output, planned.samples, planned.links)
            packed = measured.result(parsed, found, planned.samples, network)
        except samples.NoResult as error:
            words = qemu.failure(ended.console, speed) or f"the guest reports: {error}"
            return Outcome(None, ended.usage, "GuestError", words)
        return Outcome([packed], ended.usage)

    def limits(self, scenario: Scenario) -> list[str]:
        """Parts of a scenario that this kernel cannot do."""
        found = limits.limits(scenario, self.kernel.abilities)
        if found and self.kernel.can_emulate and not any(self._problems_if_emulated(scenario)):
            found[-1] += f"; the simulator's network has all of this: --on vm:{self.kernel.name}:{EMULATED}"
        return found

    def _problems_if_emulated(self, scenario: Scenario) -> Iterable[str]:
        return problems_of_emulated(scenario, replace(self.kernel.abilities, fastest_bps=emulated.FASTEST_BPS))

    def notes(self, scenario: Scenario) -> list[str]:
        """Differences between the run here and the scenario."""
        found = limits.notes(scenario, self.kernel.abilities)
        speed = self.speed or self.kernel.speed_for(scenario)
        if speed != qemu.USUAL_SPEED:
            found.append(f"{self.kernel.abilities.name} runs on a processor of {speed} instructions per ns")
        return found

    def identity(self) -> str:
        """Its identity."""
        return self.kernel.identity() + (f", {self.speed} instructions per ns" if self.speed else "")

    def _make_ready(self, speed: int) -> str:
        kernels.make_ready(self.kernel, speed)
        return qemu.INITRAMFS

    def _plan(self, scenario: Scenario, algorithms: dict[int, str], **options: Any) -> Plan:
        return plan(scenario, algorithms, **options)

    def _has(self, setting: str) -> bool:
        """Settings that not every kernel has."""
        since = {
            "tcp_comp_sack_nr": (4, 18),
            "tcp_rto_min_us": (6, 11),
            "tcp_comp_sack_rtt_percent": (6, 19),
            "tcp_rcvbuf_low_rtt": (6, 19),
        }
        return self.kernel.version >= since.get(setting, (0, 0))


class WithEmulatedNetwork(VirtualMachine):
    """Runs scenarios on a kernel in QEMU, whose hosts are ends of the simulator's network."""

    def limits(self, scenario: Scenario) -> list[str]:
        """Parts of a scenario that this kernel, or an emulated network, cannot do."""
        return list(self._problems_if_emulated(scenario))

    def notes(self, scenario: Scenario) -> list[str]:
        """Differences between the run here and the scenario."""
        return [*limits.notes(scenario, self.kernel.abilities), "the network is emulated, as --on asks for"]

    def identity(self) -> str:
        """The kernel's, and that of the network."""
        return f"{self.kernel.identity()}, emulated network {provenance.simulator()}"

    def _make_ready(self, speed: int) -> str:
        return kernels.make_emulator_ready(self.kernel)

    def _plan(self, scenario: Scenario, algorithms: dict[int, str], **options: Any) -> Plan:
        return emulated.plan(scenario, algorithms, **options)


def _memory(speed: int) -> bytes:
    """The line of a plan that sets the pages of all sockets together.

    The default is a share of the guest's small memory, and would limit a fast flow.
    """
    pages = qemu.MEMORY_MB[speed] * 100_000 // 512
    return b"write - /proc/sys/net/ipv4/tcp_mem %d %d %d\n" % (pages, pages, pages)
