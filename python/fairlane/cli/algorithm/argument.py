"""The algorithm argument of a command, with its parameters."""

from collections.abc import Callable, Sequence
from typing import Any

import click

from fairlane.algorithms.prototype.names import split
from fairlane.cli.errors import RunFailed, algorithm_failed, bad_value

settings = click.option(
    "--set",
    "settings",
    metavar="PARAMETER=VALUE",
    multiple=True,
    help="Set a parameter; repeatable.",
)


def asked(word: str, settings: Sequence[str]) -> tuple[str, dict[str, int]]:
    """The name or path that `word` gives, and the parameters of `word` and `--set` together."""
    from fairlane.algorithms.naming import AlgorithmNameError, parse
    from fairlane.engine import algorithms

    text = word if not settings else f"{word}{',' if _has_settings(word) else ':'}{','.join(settings)}"
    try:
        found = parse(text, algorithms())
    except AlgorithmNameError as error:
        raise bad_value("ALGORITHM", str(error)) from None
    return found.source, dict(found.parameters)


def guarded(work: Callable[[], Any]) -> Any:
    """Runs `work`; errors of the algorithm, the kernel or this machine become the command's error message."""
    from fairlane.algorithms.kernel import KernelError
    from fairlane.engine import AlgorithmError

    try:
        return work()
    except AlgorithmError as error:
        raise algorithm_failed(error) from None
    except KernelError as error:
        raise RunFailed(str(error)) from None


def _has_settings(word: str) -> bool:
    return bool(split(word)[1])
