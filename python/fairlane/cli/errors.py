"""Errors of the command line: one line with the option, what is wrong, and the remedy."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fairlane.engine.messages import first_few, nearest
from fairlane.files import write_text
from fairlane.show.text.terminal import echo

if TYPE_CHECKING:
    from fairlane.runs.sweep.dispatch import Failure


class RunFailed(click.ClickException):
    """The request was valid, but the run failed."""

    exit_code = 1


class BadFile(click.ClickException):
    """A file that cannot be used, with one line for each error in it."""

    exit_code = 2


def of_package(error: BaseException) -> click.ClickException | None:
    """The error of a command for one of the package; None for another one, which is a fault of Fairlane's."""
    for kind in type(error).__mro__:
        made = _KINDS.get(f"{kind.__module__}.{kind.__name__}")
        if made is not None:
            return made(str(error))
    return None


_KINDS: dict[str, type[click.ClickException]] = {
    "fairlane.AlgorithmFault": RunFailed,
    "fairlane.AlgorithmError": BadFile,
    "fairlane.algorithm.kernel.KernelError": RunFailed,
    "fairlane.files.FileError": BadFile,
    "fairlane.results.metrics.metric.MetricError": RunFailed,
    "fairlane.results.store.layout.StoreError": RunFailed,
    "fairlane.runs.benchmark.MeasurementFailed": RunFailed,
    "fairlane.runs.benchmark.NotRepeatable": RunFailed,
    "fairlane.runs.executors.cluster.ClusterError": RunFailed,
    "fairlane.scenario.diagnostics.ExperimentError": BadFile,
    "fairlane.search.breaks.objectives.ObjectiveError": BadFile,
    "fairlane.search.labs.LabError": BadFile,
    "fairlane.search.tune.search.NothingToMeasure": BadFile,
    "fairlane.search.tune.search.OptunaMissing": RunFailed,
    "fairlane.show.live.NoPageError": RunFailed,
    "fairlane.study.claims.claim.ClaimError": BadFile,
    "fairlane.study.paper.definition.StudyError": BadFile,
}
"""By name, because importing all of these modules would take longer than most commands."""


@contextmanager
def blamed_on(option: str, *kinds: type[Exception]) -> Iterator[None]:
    """Errors of these kinds become those of the value of `option`."""
    try:
        yield
    except kinds as error:
        raise bad_value(option, str(error)) from None


def bad_value(option: str, message: str) -> click.BadParameter:
    """An invalid value of `option`, found when several options were checked together."""
    return click.BadParameter(message, param_hint=option)


def one_line(error: click.ClickException) -> str:
    """The message of any command line error; an invalid request takes one line."""
    if isinstance(error, RunFailed):
        return error.message  # a C compiler's message has several lines
    if isinstance(error, BadFile):
        lines = error.message.split("\n")
        return lines[0] if len(lines) == 1 else "\n  ".join([f"{len(lines)} errors", *lines])
    if isinstance(error, click.MissingParameter):
        names = error.param.type.get_missing_message(error.param, error.ctx) if error.param else None
        text = f"{_name(error)} is missing; {names or 'see --help'}"
    elif isinstance(error, click.BadParameter):
        text = f"{_name(error)}: {error.message}"
    elif isinstance(error, click.NoSuchOption):
        options = (
            [name for option in error.ctx.command.get_params(error.ctx) for name in option.opts] if error.ctx else []
        )
        text = f"there is no option {error.option_name}{nearest(error.option_name, options) or '; see --help'}"
    elif isinstance(error, click.BadOptionUsage):
        text = f"{error.option_name} needs a value; see --help"
    else:
        text = error.format_message()
    return " ".join(text.split())


def _name(error: click.BadParameter) -> str:
    if isinstance(error.param_hint, str):
        return error.param_hint
    if error.param is None:
        return "an argument"
    if isinstance(error.param, click.Argument):
        return error.param.make_metavar(error.ctx).strip("[].") if error.ctx else str(error.param.name)
    return next((name for name in error.param.opts if name.startswith("--")), error.param.opts[0])


def write_new(path: Path, text: str, choice: str) -> None:
    """Writes a file that is not there yet; the remedy of an error is to choose `choice`. Raises RunFailed."""
    if os.path.lexists(path):
        raise RunFailed(f"{path} already exists; choose {choice}, or remove it")
    try:
        write_text(path, text)
    except OSError as error:
        raise RunFailed(f"{path} cannot be written ({error.strerror}); choose {choice}") from None


@contextmanager
def writing(choice: str) -> Iterator[None]:
    """Errors of the system become those of a file that cannot be written; the remedy is another `choice`."""
    try:
        yield
    except OSError as error:
        raise RunFailed(f"cannot write '{error.filename}' ({error.strerror}); choose another {choice}") from None


@contextmanager
def resumable() -> Iterator[None]:
    """Says after an interruption that nothing is lost."""
    try:
        yield
    except KeyboardInterrupt:
        echo("finished runs are stored; the same command resumes", err=True)
        raise


def report_failures(failures: "Sequence[Failure]") -> None:
    """Raises RunFailed if runs failed."""
    if failures:
        lines = first_few([f"{failure.title}: {failure.message}" for failure in failures])
        raise RunFailed("\n".join(["these runs failed; the same command retries them:", *lines]))
