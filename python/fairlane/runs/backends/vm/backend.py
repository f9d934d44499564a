"""A kernel in QEMU as a backend."""

import json

from fairlane.algorithm.kernel import KernelError
from fairlane.engine import AlgorithmError
from fairlane.engine.types import Scenario
from fairlane.runs.backends import Backend, Outcome
from fairlane.runs.backends.linux import limits, measured, programs, samples
from fairlane.runs.backends.linux.plan import plan
from fairlane.runs.backends.vm import kernels, qemu


def open_backend(argument: str) -> "VirtualMachine":
    """The backend of the kernel of this name; without one the newest. `NAME@10` sets its speed. Raises KernelError."""
    name, at, wanted = argument.partition("@")
    kernel = kernels.find(name)
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
        kernels.make_ready(self.kernel, speed)
        planned = plan(parsed, names, before=_memory(speed) + lines, has=self._has)
        ended = qemu.run(self.kernel.folder, planned.content, speed)
        if ended.is_hung:
            words = f"the guest hangs: its time stood still, or did not proceed for {qemu.HANG_CPU_S} s of CPU time"
            return Outcome(None, ended.usage, "GuestError", words)
        try:
            found = samples.read(ended.output, planned.samples, planned.links)
        except samples.NoResult as error:
            words = qemu.failure(ended.console, speed) or f"the guest reports: {error}"
            return Outcome(None, ended.usage, "GuestError", words)
        return Outcome([measured.result(parsed, found, planned.samples)], ended.usage)

    def limits(self, scenario: Scenario) -> list[str]:
        """Parts of a scenario that this kernel cannot do."""
        return limits.limits(scenario, self.kernel.abilities)

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

    def _has(self, setting: str) -> bool:
        """Settings that not every kernel has."""
        since = {"tcp_comp_sack_rtt_percent": (6, 19), "tcp_comp_sack_nr": (4, 18)}
        return self.kernel.version >= since.get(setting, (0, 0))


def _memory(speed: int) -> bytes:
    """The line of a plan that sets the pages of all sockets together.

    The default is a share of the guest's small memory, and would limit a fast flow.
    """
    pages = qemu.MEMORY_MB[speed] * 100_000 // 512
    return b"write - /proc/sys/net/ipv4/tcp_mem %d %d %d\n" % (pages, pages, pages)
