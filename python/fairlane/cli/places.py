"""`--on`: what runs the runs. The one place where it is parsed."""

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import click

from fairlane.backends import SIMULATOR
from fairlane.cli.errors import RunFailed, bad_value, run_in_foreground
from fairlane.wording import unknown

Command = TypeVar("Command", bound=Callable[..., Any])
BACKENDS = (SIMULATOR, "vm")


def place_option(command: Command) -> Command:
    """The option `--on`."""
    return click.option(
        "--on",
        default=SIMULATOR,
        show_default=True,
        metavar="PLACE",
        help="What runs the flows: simulator, or vm[:KERNEL], a Linux kernel in virtual time (fairlane kernel list).",
    )(command)


@dataclass(frozen=True)
class Place:
    """What `--on` names."""

    backend: str
    """As `fairlane.backends.backend` takes it."""

    def notes(self, scenarios: Iterable[Mapping[str, Any]]) -> list[str]:
        """What is different there from what the scenarios say, without repetition."""
        if self.is_simulator:
            return []
        runner = _opened(self.backend)
        return list(dict.fromkeys(line for scenario in scenarios for line in runner.notes(scenario)))

    @property
    def is_simulator(self) -> bool:
        """Whether it is the simulator in this process."""
        return self.backend == SIMULATOR

    def run(
        self, scenario: dict[str, Any], simulate: "Callable[[dict[str, Any]], dict[str, Any]] | None" = None
    ) -> tuple[dict[str, Any], float]:
        """Runs one scenario; returns its result and the seconds that it took. Raises RunFailed.

        `simulate` is what the simulator does instead of its ordinary run.
        """
        import json

        from fairlane.packed import as_dictionary

        if self.is_simulator:
            return run_in_foreground(scenario, simulate)
        runner = _opened(self.backend)
        problems = runner.problems(scenario)
        if problems:
            raise RunFailed("\n".join(map(str, problems)))
        begin_s = time.perf_counter()
        outcome = runner.run(json.dumps(scenario))
        if outcome.pieces is None:
            raise RunFailed(outcome.message)
        return as_dictionary(b"".join(outcome.pieces)), time.perf_counter() - begin_s


def place_of(text: str) -> Place:
    """The place that `--on` names. Raises a usage error if there is none of that name."""
    kind = text.partition(":")[0]
    if kind not in BACKENDS:
        raise bad_value("--on", unknown("place", kind, BACKENDS))
    if text.startswith(f"{SIMULATOR}:"):
        raise bad_value("--on", f"{text}: the simulator takes nothing behind the colon")
    _opened(text)
    return Place(text)


def _opened(name: str) -> Any:
    from fairlane.backends import backend
    from fairlane.kernel import KernelError

    try:
        return backend(name)
    except KernelError as error:
        raise bad_value("--on", str(error)) from None
