"""This machine's kernel as a backend.

Everything that a run makes belongs to namespaces of the agent's process: links, queues, hosts, and the names of these.
A congestion control that was loaded is held by a process of the agent. All of it disappears with the agent, which dies
with this process, however that ends.
"""

import fcntl
import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from fairlane.backends import Outcome
from fairlane.backends.linux import building, limits, measured, programs
from fairlane.backends.linux.plan import Names, plan
from fairlane.backends.namespaces import machine
from fairlane.engine import AlgorithmError, ScenarioError, check
from fairlane.kernel import KernelError
from fairlane.locations import cache_folder

_POLL_S = 0.05
_FOLDER = "fairlane-namespaces-"
_SET_UP_S = 30
"""Longer than it takes to build the largest network."""


def open_backend(argument: str) -> "Namespaces":
    """The backend of this machine's kernel, which takes no argument. Raises KernelError."""
    if argument:
        raise KernelError(f"namespaces:{argument}: namespaces takes nothing behind the colon")
    machine.check()
    return Namespaces()


class Namespaces:
    """Runs scenarios on this machine's kernel, one at a time."""

    def __init__(self) -> None:
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
            return Outcome(None, {}, type(error).__name__, str(error))
        planned = plan(parsed, names, before=lines, seed=False, has=machine.has_setting, names=Names(folder="."))
        with _alone(), _temporary_folder() as folder:
            (Path(folder) / "plan").write_bytes(planned.content)
            ended = _carry_out(agent, Path(folder), _SET_UP_S + parsed["duration_ns"] / 1e9)
        if isinstance(ended, str):
            return Outcome(None, {}, "GuestError", ended)
        output, usage = ended
        try:
            return Outcome([measured.result(parsed, output, planned.samples)], usage)
        except measured.NoResult as error:
            return Outcome(None, usage, "GuestError", f"the run failed: {error}")

    def problems(self, scenario: Mapping[str, Any]) -> list[Exception]:
        """What is wrong with a scenario, or else what this kernel cannot do of it."""
        try:
            check(scenario)
        except (ScenarioError, AlgorithmError) as error:
            return [error]
        return [KernelError(f"--on namespaces: {line}") for line in limits.limits(scenario, self.abilities)]

    def notes(self, scenario: Mapping[str, Any]) -> list[str]:
        """What is different here from what the scenario says."""
        return [
            *limits.notes(scenario, self.abilities),
            f"{self.abilities.name} runs in real time: a busy machine changes results, and no seed repeats a run",
        ]

    def identity(self) -> str:
        """The kernel and the agent."""
        return f"{self.abilities.name} in real time, {building.source_digest()}"


def _carry_out(agent: Path, folder: Path, limit_s: float) -> tuple[str, dict[str, float]] | str:
    """What the agent writes, and its usage; or why there is nothing."""
    begin_s = time.perf_counter()
    with open(folder / "output", "w+b") as output:
        process = subprocess.Popen(
            [str(agent), "plan"], cwd=folder, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT
        )
        try:
            has_ended = _wait(process.pid, begin_s + limit_s)
        finally:
            os.kill(process.pid, signal.SIGKILL)
            _, _, used = os.wait4(process.pid, 0)
            process.returncode = 0  # reaped here, for its usage
        if not has_ended:
            return f"it did not end within {limit_s:.0f} s; the machine may be overloaded"
        output.seek(0)
        text = output.read().decode(errors="replace")
    return text, {
        "cpu_s": used.ru_utime + used.ru_stime,
        "wall_s": time.perf_counter() - begin_s,
        "peak_rss_mb": used.ru_maxrss * 1024 / 1e6,
    }


def _wait(process: int, deadline_s: float) -> bool:
    """Waits for the end of a process; False if it did not come in time."""
    while os.waitid(os.P_PID, process, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
        if time.perf_counter() > deadline_s:
            return False
        time.sleep(_POLL_S)
    return True


def _temporary_folder() -> "tempfile.TemporaryDirectory[str]":
    """A folder that names its process. Those of processes that were killed are removed first."""
    for left in Path(tempfile.gettempdir()).glob(f"{_FOLDER}*-*"):
        owner = left.name.removeprefix(_FOLDER).partition("-")[0]
        if owner.isdigit() and not Path(f"/proc/{owner}").exists():
            shutil.rmtree(left, ignore_errors=True)
    return tempfile.TemporaryDirectory(prefix=f"{_FOLDER}{os.getpid()}-")


@contextmanager
def _alone() -> Iterator[None]:
    """Runs would disturb each other, so all processes of this user take turns."""
    cache_folder().mkdir(parents=True, exist_ok=True)
    with open(cache_folder() / "namespaces.lock", "w", encoding="ascii") as lock:
        fcntl.lockf(lock, fcntl.LOCK_EX)
        yield
