"""How mistakes reach the person: one line that names the option, what is wrong, and the remedy."""

import click

from fairlane.wording import nearest


class RunFailed(click.ClickException):
    """The request was sound, but the run failed."""

    exit_code = 1


class BadFile(click.ClickException):
    """A file that cannot be used, with a line for each mistake in it."""

    exit_code = 2


def algorithm_failed(error: Exception) -> click.ClickException:
    """A congestion control that cannot be used was asked for in vain; one that misbehaves made the run fail."""
    from fairlane.engine import AlgorithmFault

    return RunFailed(str(error)) if isinstance(error, AlgorithmFault) else BadFile(str(error))


def bad_value(option: str, message: str) -> click.BadParameter:
    """An impossible value of `option`, found when several options were seen together."""
    return click.BadParameter(message, param_hint=option)


def one_line(error: click.ClickException) -> str:
    """The message of any error of the command line, in one form; a mistake in the request takes one line."""
    if isinstance(error, RunFailed):
        return error.message  # what a C compiler says needs its lines
    if isinstance(error, BadFile):
        lines = error.message.splitlines()
        return lines[0] if len(lines) == 1 else "\n  ".join([f"{len(lines)} mistakes", *lines])
    if isinstance(error, click.MissingParameter):
        text = f"{_name(error)} is missing; --help shows how to write it"
    elif isinstance(error, click.BadParameter):
        text = f"{_name(error)}: {error.message}"
    elif isinstance(error, click.NoSuchOption):
        options = (
            [name for option in error.ctx.command.get_params(error.ctx) for name in option.opts] if error.ctx else []
        )
        text = f"there is no option {error.option_name}{nearest(error.option_name, options) or '; --help lists all'}"
    elif isinstance(error, click.BadOptionUsage):
        text = f"{error.option_name} needs a value; --help shows which"
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
    return max(error.param.opts, key=len)
