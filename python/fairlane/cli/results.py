"""The options of commands that read results, and the results, points and metrics that they name."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fairlane.cli import completion
from fairlane.cli.errors import RunFailed, bad_value, blamed_on
from fairlane.cli.options import Command, where
from fairlane.cli.types import NameList, OneOf
from fairlane.results.metrics.catalogue import USUAL
from fairlane.show.text.terminal import echo

if TYPE_CHECKING:
    from fairlane.results.metrics.metric import Metric
    from fairlane.results.tables import ResultTables
    from fairlane.scenario.plan import Axis


def results_options(command: Command) -> Command:
    """The options of all commands that read results."""
    folder = click.argument("results", type=click.Path(path_type=Path), metavar="RESULTS")
    experiment = click.option("--experiment", metavar="NAME", help="Only this experiment, if the folder holds several.")
    return folder(experiment(where("Only flows with these values of an axis, or of any column; repeatable.")(command)))


def metric_names(text: str) -> Callable[[Command], Command]:
    """The option `--metrics`."""
    return click.option("--metrics", "metric_names", type=NameList(), shell_complete=completion.metrics, help=text)


def per(text: str, default: str | None = None) -> Callable[[Command], Command]:
    """The option `--per`: the subject of a row."""
    kind = OneOf("kind of row", USUAL)
    return click.option("--per", type=kind, default=default, show_default=default is not None, help=text)


def output_format(known: Iterable[str], text: str = "Output format.") -> Callable[[Command], Command]:
    """The option `--format`."""
    return click.option("--format", "form", default="text", show_default=True, type=OneOf("format", known), help=text)


metrics_from = click.option(
    "--metrics-from",
    "metric_files",
    multiple=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE.py",
    help="A Python file that defines your own metrics.",
)


def open_results(path: Path, experiment: str | None, argument: str = "RESULTS") -> "ResultTables":
    """The results in a folder, which the command line calls `argument`."""
    from fairlane.results.store.layout import StoreError
    from fairlane.results.tables import ResultTables

    with blamed_on(argument, StoreError):
        results = ResultTables(path, experiment)
    context = click.get_current_context()
    context.call_on_close(lambda: _notice(context, results))  # damage is found when data is read
    return results


def notice(results: "ResultTables") -> str:
    """The notice about missing or damaged runs, for a command that prints it next to the results."""
    click.get_current_context().meta[_NOTICED] = True
    return results.notice


_NOTICED = "fairlane.noticed"


def _notice(context: click.Context, results: "ResultTables") -> None:
    if results.notice and not context.meta.get(_NOTICED):
        echo(f"fairlane: {results.notice}", err=True)


def axis_of(results: "ResultTables", option: str, name: str) -> "Axis":
    """The axis that `option` names."""
    from fairlane.results.store.layout import StoreError

    with blamed_on(option, StoreError):
        return results.axis(name)


def filters(results: "ResultTables", texts: Sequence[str], option: str = "--where") -> dict[str, Any]:
    """The filters of `--where axis=value[,value...]`."""
    from fairlane.results.filters import FilterError
    from fairlane.results.filters import filters as read

    with blamed_on(option, FilterError):
        return read(results, texts)


def metrics(option: str, names: Sequence[str], files: Sequence[Path]) -> "list[Metric]":
    """Metrics by name, those that `files` define included."""
    from fairlane.results.metrics import MetricError, find

    for file in files:
        _load_metrics(file)
    with blamed_on(option, MetricError):
        return [find(name) for name in names]


def _load_metrics(file: Path) -> None:
    """Runs a Python file that defines metrics."""
    from fairlane.algorithm import from_text

    if file.suffix != ".py" or not file.is_file():  # a pipe would block
        raise bad_value("--metrics-from", f"'{file}' is not a Python file")
    try:
        from_text.execute(from_text.module(f"metrics_from_{file.stem}", file))
    except Exception as error:
        raise RunFailed(f"{file} cannot be loaded: {type(error).__name__}: {error}") from None
