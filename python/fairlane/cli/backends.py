"""`--on`: what runs the runs, and where. The one place where it is parsed, and where a single run is shown."""

import json
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import click

from fairlane.cli.errors import BadFile, RunFailed, bad_value, blamed_on
from fairlane.engine.messages import unknown
from fairlane.engine.result_bytes import Result, Runner, as_dictionary
from fairlane.runs.backends import BACKENDS, SIMULATOR, named
from fairlane.show.text.terminal import echo

if TYPE_CHECKING:
    from fairlane.runs.executors.cluster import ClusterExecutor


Command = TypeVar("Command", bound=Callable[..., Any])
CLUSTERS = ("dask://HOST:PORT", "dask", "slurm")
"""Executors of the simulator besides processes of this machine."""
TESTBEDS = ("hosts.toml", "an Ansible inventory", "fabric:SLICE")
"""Machines over SSH."""
_BACKENDS_HELP = (
    "What runs the flows: simulator; vm[:KERNEL][@SPEED|:emulated], a Linux kernel in virtual time (fairlane kernel "
    "list); namespaces[:tc|:emulated], this machine's kernel in real time; or hosts.toml, machines over SSH"
)
_CLUSTERS_HELP = "dask://HOST:PORT, a Dask cluster; dask, one of processes of this machine; slurm, with --jobs workers"


def place_option(command: Command) -> Command:
    """The option `--on` of commands that run in this process."""
    return _option(f"{_BACKENDS_HELP}.")(command)


def cluster_option(command: Command) -> Command:
    """The option `--on` of commands that run sweeps in the simulator."""
    return _option(f"Where runs are simulated: simulator, on this machine; {_CLUSTERS_HELP}.", _refuse_others)(command)


def anywhere_option(command: Command) -> Command:
    """The option `--on` of commands that run sweeps."""
    return _option(f"{_BACKENDS_HELP}; or where the simulator runs: {_CLUSTERS_HELP}.")(command)


def is_cluster(on: str) -> bool:
    """Whether `--on` names a cluster."""
    return on in CLUSTERS or on.startswith("dask://")


@contextmanager
def executor_of(on: str, jobs: int | None) -> "Iterator[ClusterExecutor | None]":
    """The cluster that `--on` names, None if it names none. Raises ClusterError."""
    if not is_cluster(on):
        yield None
        return
    from fairlane.runs.executors.cluster import opened

    with opened(on, jobs) as executor:
        echo(f"computing{executor.where()}", err=True)
        yield executor


def _option(words: str, callback: Callable[..., str] | None = None) -> Callable[[Command], Command]:
    return click.option("--on", default=SIMULATOR, show_default=True, metavar="PLACE", help=words, callback=callback)


def _refuse_others(_context: click.Context, _option: click.Parameter, on: str) -> str:
    if on != SIMULATOR and not is_cluster(on):
        raise bad_value("--on", unknown("place", on, (SIMULATOR, *CLUSTERS)))
    return on


@dataclass(frozen=True)
class Place:
    """The backend and executor that `--on` names."""

    backend: str
    """As `fairlane.runs.backends.backend` takes it."""

    def notes(self, scenarios: Iterable[Mapping[str, Any]]) -> list[str]:
        """Differences between the backend and the scenarios, each once; none of scenarios that it refuses."""
        if self.is_simulator:
            return []
        runner = _opened(self.backend)
        accepted = (scenario for scenario in scenarios if not any(runner.limits(scenario)))
        return list(dict.fromkeys(line for scenario in accepted for line in runner.notes(scenario)))

    @property
    def is_simulator(self) -> bool:
        """Whether it is the simulator in this process."""
        return self.backend == SIMULATOR

    def run_all(self, scenarios: Sequence[Mapping[str, Any]]) -> list[tuple[Result, float]]:
        """Runs each scenario, as many at a time as there are CPUs; raises the errors of `run`."""
        from fairlane.runs.executors.pool import thread_pool
        from fairlane.runs.executors.processes import usable_cpus

        with thread_pool(min(len(scenarios), usable_cpus())) as pool:
            return list(pool.map(self.run, scenarios))

    def run(self, scenario: Mapping[str, Any], simulate: Runner | None = None) -> tuple[Result, float]:
        """Runs one scenario; returns its result and the seconds that it took. Raises RunFailed, and BadFile for
        a scenario that the backend refuses.

        `simulate` is what the simulator does instead of its ordinary run.
        """
        if self.is_simulator:
            return run_in_foreground(scenario, simulate)
        runner = _opened(self.backend)
        problems = runner.problems(scenario)
        if problems:
            raise BadFile("\n".join(map(str, problems)))
        begin_s = time.perf_counter()
        outcome = runner.run(json.dumps(scenario))
        if outcome.pieces is None:
            raise RunFailed(outcome.message)
        result = as_dictionary(b"".join(outcome.pieces))
        conditions = result.get("conditions", {})
        for line in (*conditions.get("disturbances", ()), *conditions.get("warnings", ())):
            echo(f"warning: {line}", err=True)
        return result, time.perf_counter() - begin_s


def place_of(text: str) -> Place:
    """The place that `--on` names. Raises a usage error if there is none of that name."""
    kind = text.partition(":")[0]
    if not named(text).startswith("hosts:") and kind not in BACKENDS:
        raise bad_value("--on", unknown("place", kind, (*BACKENDS[:-1], *TESTBEDS, *CLUSTERS)))
    if text.startswith(f"{SIMULATOR}:"):
        raise bad_value("--on", f"{text}: the simulator takes nothing behind the colon")
    _opened(text)
    return Place(named(text))


def _opened(name: str) -> Any:
    from fairlane.algorithm.kernel import KernelError
    from fairlane.runs.backends import backend

    with blamed_on("--on", KernelError):
        return backend(name)


def run_in_foreground(scenario: Mapping[str, Any], run: Runner | None = None) -> tuple[Result, float]:
    """Runs one scenario in this process; returns its result and the seconds that it took.

    `run` does it, `fairlane.engine.run` if omitted.

    The engine works in another thread while this one waits, because only a thread that runs Python
    sees Ctrl-C.
    """
    from fairlane import engine
    from fairlane.engine import AlgorithmError, ScenarioError

    compute = run or engine.run

    box: dict[str, Any] = {}

    def work() -> None:
        try:
            box["result"] = compute(scenario)
        except BaseException as error:  # raised again below, in the thread that reports it
            box["error"] = error

    start_s = time.perf_counter()
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join()
    wall_s = time.perf_counter() - start_s
    error = box.get("error")
    if isinstance(error, ScenarioError):
        if all(problem["path"] == ["watch"] for problem in error.problems):
            raise bad_value("--watch", str(error).replace("watch: ", ""))
        raise bad_value("the scenario", str(error))
    if isinstance(error, AlgorithmError):
        raise error
    if error is not None:
        raise RunFailed(f"the simulator failed on this scenario, which is a fault of Fairlane's: {error}")
    return box["result"], wall_s
