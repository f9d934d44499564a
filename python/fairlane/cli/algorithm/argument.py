"""The algorithm argument of a command, with its parameters."""

from collections.abc import Callable, Sequence
from typing import Any

import click

from fairlane.algorithm.name import Algorithm, AlgorithmNameError, parse
from fairlane.cli.errors import RunFailed, algorithm_failed, bad_value

settings = click.option(
    "--set",
    "settings",
    metavar="PARAMETER=VALUE",
    multiple=True,
    help="Set a parameter; repeatable.",
)


def algorithm_argument(word: str, settings: Sequence[str] = ()) -> Algorithm:
    """The algorithm that `word` names, with its parameters and those of `--set`."""
    from fairlane.algorithm import trust
    from fairlane.engine import algorithms

    trust.allow_named([word])
    try:
        return parse(word, algorithms(), settings)
    except AlgorithmNameError as error:
        raise bad_value("ALGORITHM", str(error)) from None


def guarded(work: Callable[[], Any]) -> Any:
    """Runs `work`; errors of the algorithm, the kernel or this machine become the command's error message."""
    from fairlane.algorithm.kernel import KernelError
    from fairlane.engine import AlgorithmError

    try:
        return work()
    except AlgorithmError as error:
        raise algorithm_failed(error) from None
    except KernelError as error:
        raise RunFailed(str(error)) from None
