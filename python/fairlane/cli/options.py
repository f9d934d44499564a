"""Options that several commands have, each declared once."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from fairlane.cli import completion
from fairlane.cli.errors import bad_value, blamed_on
from fairlane.cli.types import WholeNumber

if TYPE_CHECKING:
    from fairlane.algorithm.name import Algorithm

Command = TypeVar("Command", bound=Callable[..., Any])

jobs = click.option("--jobs", type=WholeNumber(1, 1024, 2), help="Number of parallel runs.  [default: one per CPU]")


def at_a_time(jobs: int | None) -> int:
    """The value of `--jobs`, or one per CPU."""
    from fairlane.runs.executors.processes import usable_cpus

    return jobs or usable_cpus()


def _use_threads(context: click.Context, _option: click.Parameter, count: int | None) -> None:
    """Has this process, and its workers, run each scenario on so many threads until the command ends."""
    if count is None:
        return
    from fairlane import engine

    if count > at_a_time(None):
        raise bad_value("--threads", f"{count} threads need as many CPUs; give at most {at_a_time(None)}")
    engine.use_threads(count)
    context.call_on_close(lambda: engine.use_threads(1))


threads = click.option(
    "--threads",
    type=WholeNumber(1, 1024, 2),
    expose_value=False,
    callback=_use_threads,
    help="Number of threads of a run; results are the same.  [default: 1]",
)
seed_of_file = click.option(
    "--seed", type=WholeNumber(0, 2**63 - 1, 1), help="Seed of the first repeat, instead of the file's."
)
repeats_of_file = click.option(
    "--repeats", type=WholeNumber(1, 1_000_000, 10), help="Number of runs per point, instead of the file's."
)


def folder_of_results(text: str) -> Callable[[Command], Command]:
    """The option `--results`, which names a folder."""
    return click.option("--results", metavar="DIR", type=click.Path(path_type=Path), help=text)


store = folder_of_results("Folder of the results store.  [default: results/NAME]")


def as_json(what: str = "one JSON object") -> Callable[[Command], Command]:
    """The option `--json`, which prints `what`."""
    return click.option("--json", "as_json", is_flag=True, help=f"Print {what}.")


def where(text: str) -> Callable[[Command], Command]:
    """The option `--where`, which chooses points of a sweep."""
    return click.option(
        "--where", multiple=True, metavar="AXIS=VALUE[,VALUE]", shell_complete=completion.axes, help=text
    )


parameters = click.option(
    "--set",
    "settings",
    metavar="PARAMETER=VALUE",
    multiple=True,
    shell_complete=completion.settings,
    help="Set a parameter; repeatable.",
)


def algorithm_named(word: str, settings: Sequence[str] = (), option: str = "ALGORITHM") -> "Algorithm":
    """The algorithm that an argument, or the value of `option`, names, with its parameters and those of `--set`."""
    from fairlane.algorithm import trust
    from fairlane.algorithm.name import AlgorithmNameError, parse
    from fairlane.engine import algorithms

    trust.allow_named([word])
    with blamed_on(option, AlgorithmNameError):
        found = parse(word, algorithms())
    if not settings:
        return found
    with blamed_on("--set", AlgorithmNameError):
        return parse(word, algorithms(), settings)
