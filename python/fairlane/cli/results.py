"""Opening results, filters and metrics, shared by the commands that read results."""

import importlib.util
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fairlane.cli.errors import RunFailed, bad_value
from fairlane.engine.messages import unknown
from fairlane.show.text.terminal import echo

if TYPE_CHECKING:
    from fairlane.results.metrics.metric import Metric
    from fairlane.results.tables import ResultTables
    from fairlane.scenario.plan import Axis


def open_results(path: Path, experiment: str | None, argument: str = "RESULTS") -> "ResultTables":
    """The results in a folder, which the command line calls `argument`."""
    from fairlane.results.store.layout import StoreError
    from fairlane.results.tables import ResultTables

    try:
        results = ResultTables(path, experiment)
    except StoreError as error:
        raise bad_value(argument, str(error)) from None
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


def filters(results: "ResultTables", texts: Sequence[str]) -> dict[str, Any]:
    """`--where axis=value[,value...]` as filters; a value is a label of the axis, or a value of the column."""
    found: dict[str, Any] = {}
    for text in texts:
        name, values = axis_and_values(text)
        column, labels = name, dict[str, Any]()
        for axis in results.axes:
            if name in (axis.name, axis.column):
                column, labels = axis.column, dict(zip(axis.labels, axis.values, strict=True))
        schema = results.flows.schema
        if column not in schema:
            raise bad_value("--where", unknown("axis", name, [axis.name for axis in results.axes]))
        kind = schema[column]
        found[column] = [_value(name, value, labels, kind) for value in values]
    return found


def axis_and_values(text: str) -> tuple[str, list[str]]:
    """The parts of a `--where`."""
    name, equals, values = text.partition("=")
    if not equals or not values:
        raise bad_value("--where", f"'{text}' has no value; write for example algorithm=cubic,bbr")
    return name, [value.strip() for value in values.split(",")]


def _value(name: str, text: str, labels: dict[str, Any], kind: Any) -> Any:
    if text in labels:
        return labels[text]
    try:
        value: Any = int(text) if kind.is_integer() else float(text) if kind.is_float() else text
    except ValueError:
        value = None
    if value is None or (labels and value not in labels.values()):
        raise bad_value("--where", unknown(f"value of {name}", text, labels))
    return value


def axis_of(results: "ResultTables", option: str, name: str) -> "Axis":
    """The axis of that name."""
    for axis in results.axes:
        if name in (axis.name, axis.column):
            return axis
    raise bad_value(option, unknown("axis", name, [axis.name for axis in results.axes]))


def metrics(option: str, names: Sequence[str], files: Sequence[Path]) -> "list[Metric]":
    """Metrics by name, those that `files` define included."""
    from fairlane.results.metrics import MetricError, find

    for file in files:
        load_metrics(file)
    try:
        return [find(name) for name in names]
    except MetricError as error:
        raise bad_value(option, str(error)) from None


def load_metrics(file: Path) -> None:
    """Runs a Python file that defines metrics."""
    spec = importlib.util.spec_from_file_location(f"metrics_from_{file.stem}", file)
    if spec is None or spec.loader is None:
        raise bad_value("--metrics-from", f"'{file}' is not a Python file")
    try:
        spec.loader.exec_module(importlib.util.module_from_spec(spec))
    except Exception as error:
        raise RunFailed(f"{file} cannot be loaded: {type(error).__name__}: {error}") from None


class NameList(click.ParamType):  # type: ignore[type-arg, unused-ignore]
    """Names with commas between them."""

    name = "NAME[,NAME...]"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> list[str]:
        """The text as a list."""
        return value if isinstance(value, list) else [name.strip() for name in str(value).split(",") if name.strip()]


def results_options(function: Any) -> Any:
    """The options of all commands that read results."""
    options = [
        click.argument("results", type=click.Path(path_type=Path), metavar="RESULTS"),
        click.option("--experiment", metavar="NAME", help="Only this experiment, if the folder holds several."),
        click.option(
            "--where",
            multiple=True,
            metavar="AXIS=VALUE[,VALUE]",
            help="Only flows with these values of an axis, or of any column; repeatable.",
        ),
    ]
    for option in reversed(options):
        function = option(function)
    return function


metrics_from = click.option(
    "--metrics-from",
    "metric_files",
    multiple=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE.py",
    help="A Python file that defines your own metrics.",
)
