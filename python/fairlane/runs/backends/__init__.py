"""Backends compute one run: the simulator, or a real kernel.

A backend has the functions of `Backend`. It gets a scenario and gives an outcome; it knows neither where it runs
(`fairlane.runs.executors`) nor what becomes of the result (`fairlane.results.store`).
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module

from fairlane.algorithm.kernel import KernelError
from fairlane.engine import AlgorithmError, ScenarioError, check
from fairlane.engine.messages import unknown
from fairlane.engine.types import Scenario

SIMULATOR = "simulator"
BACKENDS = (SIMULATOR, "vm", "namespaces", "hosts")
_HOST_FILES = (".toml", ".ini", ".yml", ".yaml", ".json")
"""Suffixes of files with hosts."""


@dataclass(frozen=True)
class Outcome:
    """The outcome of one run: its result, or one line that says why there is none."""

    pieces: Sequence[bytes] | None
    """The result, packed (see `fairlane.engine.result_bytes`); large ones come in pieces."""
    usage: Mapping[str, float]
    """`cpu_s`, `wall_s` and `peak_rss_mb` (10^6 bytes) of the run alone."""
    error: str = ""
    """The kind of error, such as ScenarioError."""
    message: str = ""

    @classmethod
    def failed(cls, error: Exception, usage: Mapping[str, float] | None = None) -> "Outcome":
        """That of a run that an error ended."""
        return cls(None, usage or {}, type(error).__name__, str(error))


class Backend(ABC):
    """Computes runs."""

    name = SIMULATOR
    """Its name in messages."""
    hz: int | None = None
    """Timer interrupts per second of its hosts; None if the scenario decides."""

    @abstractmethod
    def run(self, scenario: str) -> Outcome:
        """Runs a scenario (JSON)."""

    def problems(self, scenario: Scenario) -> list[Exception]:
        """Errors of a scenario that are detectable without running it, or else what this backend cannot do."""
        found: list[Exception] = []
        try:
            check(scenario)
        except ScenarioError as error:
            return [error]
        except AlgorithmError as error:
            found = [error]  # such as a Python file to be trusted, which is no remedy where none can run
        return [KernelError(f"--on {self.name}: {line}") for line in dict.fromkeys(self.limits(scenario))] or found

    def limits(self, scenario: Scenario) -> Iterable[str]:
        """The parts of a scenario that it cannot do, a line each with the key and the remedy."""
        return ()

    def notes(self, scenario: Scenario) -> list[str]:
        """Differences between the backend and the scenario, and values that it cannot measure."""
        return []

    @abstractmethod
    def identity(self) -> str:
        """Identifies everything that a result depends on in addition to the scenario and its algorithms."""


def named(place: str) -> str:
    """The name of a backend for what users write: a file with hosts, or fabric:SLICE, is for the backend `hosts`.

    >>> named("hosts.toml"), named("vm:debian-12")
    ('hosts:hosts.toml', 'vm:debian-12')
    """
    is_of_hosts = place.startswith("fabric:") or (place.endswith(_HOST_FILES) and not place.startswith("hosts:"))
    return f"hosts:{place}" if is_of_hosts else place


def backend(name: str = SIMULATOR) -> Backend:
    """The backend of this name: that of a module and what it is to use, as in `vm:debian-12`, or a file with hosts.

    Raises ValueError if there is none of that name, and KernelError if it cannot be used here.
    """
    module, _, argument = named(name).partition(":")
    if module not in BACKENDS:
        raise ValueError(unknown("backend", module, (*BACKENDS[:-1], "hosts.toml")))
    made: Backend = import_module(f"fairlane.runs.backends.{module}").open_backend(argument)
    return made
