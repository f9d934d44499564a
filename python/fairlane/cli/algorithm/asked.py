"""Which algorithm a command was asked for, and with which parameters."""

from collections.abc import Callable, Sequence
from typing import Any

import click

from fairlane.cli.errors import RunFailed, algorithm_failed, bad_value

settings = click.option(
    "--set",
    "settings",
    metavar="PARAMETER=VALUE",
    multiple=True,
    help="Change a parameter; may be given several times.",
)


def asked(word: str, settings: Sequence[str]) -> tuple[str, dict[str, int]]:
    """The name or path that `word` gives, and the parameters of `word` and `--set` together."""
    from fairlane.algorithm import AlgorithmNameError, parse
    from fairlane.engine import algorithms

    text = word if not settings else f"{word}{',' if _has_settings(word) else ':'}{','.join(settings)}"
    try:
        found = parse(text, algorithms())
    except AlgorithmNameError as error:
        raise bad_value("ALGORITHM", str(error)) from None
    return found.source, dict(found.parameters)


def guarded(work: Callable[[], Any]) -> Any:
    """Does the work; what is wrong with the algorithm, the kernel or this machine becomes the command's message."""
    from fairlane.engine import AlgorithmError
    from fairlane.kernel import KernelError

    try:
        return work()
    except AlgorithmError as error:
        raise algorithm_failed(error) from None
    except KernelError as error:
        raise RunFailed(str(error)) from None


def _has_settings(word: str) -> bool:
    return ":" in word.rsplit("/", 1)[-1]
