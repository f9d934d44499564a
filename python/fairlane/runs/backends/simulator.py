"""The simulator as a backend: deterministic, needs no rights, runs anywhere."""

import resource
import time

from fairlane.engine import AlgorithmError, ScenarioError, run_measured
from fairlane.runs.backends import Backend, Outcome


def open_backend(argument: str) -> "Simulator":
    """The simulator, which takes no argument."""
    if argument:
        raise ValueError(f"simulator:{argument}: the simulator takes nothing behind the colon")
    return Simulator()


class Simulator(Backend):
    """Runs scenarios by the engine."""

    def run(self, scenario: str) -> Outcome:
        """Runs a scenario. Its usage covers the engine's call alone, which includes loading the algorithms.

        CPU time and memory are those of the process that simulated: this one, or a worker.
        """
        cpu_before_s, wall_before_s = _cpu_s(), time.perf_counter()
        try:
            pieces, used = run_measured(scenario)
        except (ScenarioError, AlgorithmError) as error:
            return Outcome.failed(error)
        usage = {
            "cpu_s": _cpu_s() - cpu_before_s if used is None else used.cpu_s,
            "wall_s": time.perf_counter() - wall_before_s,
            "peak_rss_mb": _peak_rss_mb() if used is None else used.peak_rss_mb,
        }
        return Outcome(pieces, usage)

    def identity(self) -> str:
        """The hash of its sources."""
        from fairlane.runs.backends import provenance  # workers, who are never asked, need no checksums: 4 MB

        return provenance.simulator()


def _cpu_s() -> float:
    """The CPU time of this process so far."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def _peak_rss_mb() -> float:
    """The most memory that this process ever held, in MB (10^6 bytes).

    From /proc and not from getrusage, which counts from the parent's memory at the fork.
    """
    with open("/proc/self/status", encoding="ascii") as status:
        for line in status:
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024 / 1e6
    raise RuntimeError("/proc/self/status has no VmHWM")
