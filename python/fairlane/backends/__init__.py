"""What runs a run: the simulator, or a real kernel.

A backend has the functions of `Backend`. It gets a scenario and gives an outcome; it knows neither where it runs
(`fairlane.executors`) nor what becomes of the result (`fairlane.store`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Protocol

SIMULATOR = "simulator"


@dataclass(frozen=True)
class Outcome:
    """What became of one run: its result, or the one line that says why there is none."""

    pieces: Sequence[bytes] | None
    """The result, packed (see `fairlane.packed`); large ones come in pieces."""
    usage: Mapping[str, float]
    """`cpu_s`, `wall_s` and `peak_rss_mb` (10^6 bytes) of the run alone."""
    error: str = ""
    """The kind of error, such as ScenarioError."""
    message: str = ""


class Backend(Protocol):
    """What runs runs."""

    @property
    def hz(self) -> int | None:
        """Timer interrupts per second of its hosts; None if the scenario decides."""

    def run(self, scenario: str) -> Outcome:
        """Runs a scenario (JSON)."""

    def problems(self, scenario: Mapping[str, Any]) -> list[Exception]:
        """Errors of a scenario that are detectable without running it."""

    def notes(self, scenario: Mapping[str, Any]) -> list[str]:
        """What the backend does otherwise than the scenario says, and what it cannot measure."""

    def identity(self) -> str:
        """What a result depends on in addition to the scenario and its algorithms."""


def backend(name: str = SIMULATOR) -> Backend:
    """The backend of this name, which is that of a module and what it is to use, as in `vm:debian-12`."""
    module, _, argument = name.partition(":")
    made: Backend = import_module(f"fairlane.backends.{module}").open_backend(argument)
    return made
