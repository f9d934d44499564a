"""This machine's kernel as a backend.

Everything that a run makes belongs to namespaces of the agent's process: links, queues, hosts, and the names of these.
A congestion control that was loaded is held by a process of the agent. All of it disappears with the agent, which dies
with this process, however that ends.
"""

import fcntl
import json
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from fairlane.algorithm.kernel import KernelError
from fairlane.engine import AlgorithmError
from fairlane.engine.types import Scenario
from fairlane.files import cache_folder, temporary_folder
from fairlane.runs.backends import Backend, Outcome, provenance
from fairlane.runs.backends.linux import building, limits, measured, programs, running, samples
from fairlane.runs.backends.linux.emulated import problems as problems_of_emulated
from fairlane.runs.backends.linux.plan import Plan, plan
from fairlane.runs.backends.namespaces import emulated, machine, tc_check
from fairlane.runs.emulation import selfcheck

TC, EMULATED = NETWORKS = ("tc", "emulated")
"""The kinds of network between the hosts."""
ATTEMPTS = 3
"""The most attempts at a run that the machine disturbs."""
_SET_UP_S = 30
"""Longer than it takes to build the largest network."""


def open_backend(argument: str) -> "Namespaces":
    """The backend of this machine's kernel; `argument` says what makes its networks. Raises KernelError."""
    if argument not in ("", *NETWORKS):
        raise KernelError(f"namespaces:{argument}: the network is made by {' or '.join(NETWORKS)}; or leave it out")
    machine.check()
    if argument == EMULATED:
        machine.check_emulation()
    return Namespaces(argument)


class Namespaces(Backend):
    """Runs scenarios on this machine's kernel, one at a time.

    Links and queues are made by tc where the kernel has what a scenario asks for. Otherwise they are emulated: those of
    the simulator, in real time.
    """

    name = "namespaces"

    def __init__(self, network: str = "") -> None:
        self.network = network
        self.abilities = machine.abilities()
        self.hz = self.abilities.hz

    def run(self, scenario: str) -> Outcome:
        """Runs a scenario; it takes its duration. The usage is that of the agent."""
        parsed = json.loads(scenario)
        try:
            own = self.abilities.algorithms
            target = machine.target(loads=not all(limits.is_built_in(flow, own) for flow in parsed["flows"]))
            names, lines = programs.algorithms(parsed, own, target)
            agent = building.agent()
        except (KernelError, AlgorithmError) as error:
            return Outcome.failed(error)
        is_emulated = self._network_of(parsed) == EMULATED
        made = emulated.plan if is_emulated else partial(plan, seed=False, folder=".")
        planned = made(parsed, names, before=lines, has=machine.has_setting)
        attempts = 0
        while True:
            attempts += 1
            done = _run_once(parsed, planned, agent, is_emulated=is_emulated)
            if isinstance(done, Outcome):
                return done
            disturbances = done.conditions.get("disturbances", [])
            if not disturbances or attempts == ATTEMPTS:
                return done.outcome(parsed, planned, attempts)

    def limits(self, scenario: Scenario) -> Iterable[str]:
        """Parts of a scenario that this kernel cannot do."""
        of_network = problems_of_emulated if self._network_of(scenario) == EMULATED else limits.limits
        return of_network(scenario, self.abilities)

    def notes(self, scenario: Scenario) -> list[str]:
        """Differences between the run here and the scenario."""
        reasons = self._reasons_to_emulate(scenario)
        of_network = [f"the network is emulated: {reasons[0].partition(';')[0]}"] if reasons else []
        return [
            *limits.notes(scenario, self.abilities),
            *of_network,
            f"{self.abilities.name} runs in real time: a busy machine changes results, and no seed repeats a run",
        ]

    def identity(self) -> str:
        """The kernel, the agent, and what makes the network."""
        network = "" if self.network == TC else f", {self.network} network {provenance.simulator()}"
        return f"{self.abilities.name} in real time, {building.source_digest()}{network}"

    def _network_of(self, scenario: Scenario) -> str:
        return self.network or (EMULATED if self._reasons_to_emulate(scenario) else TC)

    def _reasons_to_emulate(self, scenario: Scenario) -> list[str]:
        """Parts of a scenario's network that tc cannot make here, if it is to be emulated."""
        if self.network or not machine.can_emulate():
            return ["as --on asks for"] if self.network == EMULATED else []
        return limits.of_network(scenario, self.abilities)


@dataclass(frozen=True)
class _Done:
    """A run that came to its end."""

    output: str
    usage: dict[str, float]
    network: dict[str, Any] | None
    """The emulator's report."""
    conditions: dict[str, Any]

    def outcome(self, scenario: Scenario, planned: Plan, attempts: int) -> Outcome:
        conditions = {**self.conditions, "attempts": attempts}
        try:
            found = samples.read(self.output, planned.samples, planned.links)
            packed = measured.result(scenario, found, planned.samples, self.network, conditions)
        except samples.NoResult as error:
            return Outcome(None, self.usage, "GuestError", f"the run failed: {error}")
        return Outcome([packed], self.usage)


def _run_once(scenario: Scenario, planned: Plan, agent: Path, *, is_emulated: bool) -> _Done | Outcome:
    with _alone(), temporary_folder("namespaces") as folder:
        conditions: dict[str, Any] = {}
        if not is_emulated:
            conditions = _checked(scenario, folder, agent)
        (folder / "plan").write_bytes(planned.content)
        ended = _carry_out(agent, folder, _SET_UP_S + scenario["duration_ns"] / 1e9)
        if isinstance(ended, str):
            return Outcome(None, {}, "GuestError", ended)
        report = folder / emulated.REPORT
        network = json.loads(report.read_text(encoding="ascii")) if report.exists() else None
    output, usage = ended
    if not is_emulated or network is None:
        return _Done(output, usage, None, conditions)
    usage["cpu_s"] += network["cpu_s"]
    conditions = {
        "check": network["check"],
        "lateness": network["lateness"],
        "disturbances": selfcheck.disturbances(network),
        "warnings": selfcheck.warnings(network),
    }
    return _Done(output, usage, network, conditions)


def _checked(scenario: Scenario, folder: Path, agent: Path) -> dict[str, Any]:
    """Measures the network that tc makes, before a run."""
    (folder / "plan").write_bytes(tc_check.check_plan(scenario, emulated.CHECK_NS).content)
    ended = _carry_out(agent, folder, _SET_UP_S)
    found = folder / tc_check.FOUND
    if not found.exists():
        said = ended if isinstance(ended, str) else ended[0].strip()
        return {"check": None, "disturbances": [], "warnings": [f"the check before the run failed: {said}"]}
    check = json.loads(found.read_text(encoding="ascii"))
    report = {"check": check}
    return {**report, "disturbances": selfcheck.of_check(check), "warnings": selfcheck.warnings(report)}


def _carry_out(agent: Path, folder: Path, limit_s: float) -> tuple[str, dict[str, float]] | str:
    """The agent's output and its usage, or the reason why there is none."""
    end_s = time.monotonic() + limit_s
    with open(folder / "output", "w+b") as output:
        has_ended, usage = running.run([str(agent), "plan"], output, lambda _: time.monotonic() > end_s, cwd=folder)
        if not has_ended:
            return f"it did not end within {limit_s:.0f} s; the machine may be overloaded"
        output.seek(0)
        return output.read().decode(errors="replace"), usage


@contextmanager
def _alone() -> Iterator[None]:
    """Runs would disturb each other, so all processes of this user take turns."""
    cache_folder().mkdir(parents=True, exist_ok=True)
    with open(cache_folder() / "namespaces.lock", "w", encoding="ascii") as lock:
        fcntl.lockf(lock, fcntl.LOCK_EX)
        yield
