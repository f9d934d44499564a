"""A kernel in QEMU as a backend."""

import json

from fairlane.algorithm.kernel import KernelError
from fairlane.engine import AlgorithmError
from fairlane.engine.types import Scenario
from fairlane.runs.backends import Backend, Outcome
from fairlane.runs.backends.linux import limits, measured, programs, samples
from fairlane.runs.backends.linux.plan import plan
from fairlane.runs.backends.vm import kernels, qemu

_MEMORY = b"write - /proc/sys/net/ipv4/tcp_mem 100000 100000 100000\n"
"""Pages of all sockets together. The default is a share of the guest's small memory, and would limit a fast flow."""


def open_backend(argument: str) -> "VirtualMachine":
    """The backend of the kernel of this name; without one the newest. Raises KernelError."""
    kernel = kernels.find(argument)
    kernels.make_ready(kernel)
    return VirtualMachine(kernel)


class VirtualMachine(Backend):
    """Runs scenarios on a kernel in QEMU."""

    name = "vm"

    def __init__(self, kernel: kernels.Kernel) -> None:
        self.kernel = kernel
        self.hz = kernel.hz

    def run(self, scenario: str) -> Outcome:
        """Runs a scenario. The usage is that of QEMU."""
        parsed = json.loads(scenario)
        try:
            names, lines = programs.algorithms(parsed, self.kernel.abilities.algorithms, self.kernel.target)
        except (KernelError, AlgorithmError) as error:
            return Outcome.failed(error)
        planned = plan(parsed, names, before=_MEMORY + lines, has=self._has)
        ended = qemu.run(self.kernel.folder, planned.content)
        if ended.is_hung:
            words = f"the guest hangs: its time stood still, or did not proceed for {qemu.HANG_CPU_S} s of CPU time"
            return Outcome(None, ended.usage, "GuestError", words)
        try:
            found = samples.read(ended.output, planned.samples, planned.links)
        except samples.NoResult as error:
            words = qemu.failure(ended.console) or f"the guest reports: {error}"
            return Outcome(None, ended.usage, "GuestError", words)
        return Outcome([measured.result(parsed, found, planned.samples)], ended.usage)

    def limits(self, scenario: Scenario) -> list[str]:
        """Parts of a scenario that this kernel cannot do."""
        return limits.limits(scenario, self.kernel.abilities)

    def notes(self, scenario: Scenario) -> list[str]:
        """Differences between the run here and the scenario."""
        return limits.notes(scenario, self.kernel.abilities)

    def identity(self) -> str:
        """Its identity."""
        return self.kernel.identity()

    def _has(self, setting: str) -> bool:
        """Settings that not every kernel has."""
        since = {"tcp_comp_sack_rtt_percent": (6, 19), "tcp_comp_sack_nr": (4, 18)}
        return self.kernel.version >= since.get(setting, (0, 0))
