"""Errors of the command line: one line with the option, what is wrong, and the remedy."""

import threading
import time
from collections.abc import Callable, Mapping
from typing import Any

import click

from fairlane.engine.messages import nearest

MAX_LINE = 2000
"""Characters of a line."""


class RunFailed(click.ClickException):
    """The request was valid, but the run failed."""

    exit_code = 1


class BadFile(click.ClickException):
    """A file that cannot be used, with one line for each error in it."""

    exit_code = 2


def algorithm_failed(error: Exception) -> click.ClickException:
    """The error for a congestion control: unusable ones are invalid requests, faulty ones make the run fail."""
    from fairlane.engine import AlgorithmFault

    return RunFailed(str(error)) if isinstance(error, AlgorithmFault) else BadFile(str(error))


def bad_value(option: str, message: str) -> click.BadParameter:
    """An invalid value of `option`, found when several options were checked together."""
    return click.BadParameter(message, param_hint=option)


def one_line(error: click.ClickException) -> str:
    """The message of any command line error; an invalid request takes one line."""
    if isinstance(error, RunFailed):
        return error.message  # a C compiler's message has several lines
    if isinstance(error, BadFile):
        lines = [_shortened(line) for line in error.message.split("\n")]
        return lines[0] if len(lines) == 1 else "\n  ".join([f"{len(lines)} errors", *lines])
    if isinstance(error, click.MissingParameter):
        text = f"{_name(error)} is missing; see --help"
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
    return _shortened(" ".join(text.split()))


def _shortened(line: str) -> str:
    """A line that quotes a file may be as long as the file."""
    return line if len(line) <= MAX_LINE else f"{line[: MAX_LINE // 2]} ... {line[-MAX_LINE // 2 :]}"


def _name(error: click.BadParameter) -> str:
    if isinstance(error.param_hint, str):
        return error.param_hint
    if error.param is None:
        return "an argument"
    if isinstance(error.param, click.Argument):
        return error.param.make_metavar(error.ctx).strip("[].") if error.ctx else str(error.param.name)
    return max(error.param.opts, key=len)


def run_in_foreground(
    scenario: Mapping[str, Any], run: Callable[[Mapping[str, Any]], dict[str, Any]] | None = None
) -> tuple[dict[str, Any], float]:
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
        raise algorithm_failed(error)
    if error is not None:
        raise RunFailed(f"the simulator failed on this scenario, which is a fault of Fairlane's: {error}")
    return box["result"], wall_s
