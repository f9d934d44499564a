"""Consent to run Python files of others.

Python cannot be confined, so a Python file runs with the rights of the user (SECURITY.md). It may run if the user named
it: as an argument of a command or of a function, or with `--trust`. A file that only another file names, such as an
experiment file, and the claims of a study that is not Fairlane's are refused, unless `ask` agrees.
"""

from collections.abc import Callable, Iterable
from pathlib import Path

from fairlane import engine
from fairlane.algorithm.name import Algorithm, Kind

ask: Callable[[Path], bool] | None = None
"""Asks the user whether a Python file, or those of a folder, may run. The command line sets it."""


def allow(*paths: Path) -> None:
    """These Python files, and those below these folders, may run in this process and in its workers."""
    known = engine.containment()
    trusted = dict.fromkeys([*known["trusted"], *(str(path.resolve()) for path in paths)])
    engine.contain(trusted, known["run_timeout_s"])


def allow_named(words: Iterable[str]) -> None:
    """The Python files among these names of algorithms may run: the user wrote the names."""
    if named := _python_files(words):
        allow(*named)


def refusals(words: Iterable[str]) -> list[str]:
    """A line for each Python file among these names of algorithms that may not run; they come from a file."""
    return [f"{path}: {reason}" for path in dict.fromkeys(_python_files(words)) if (reason := refusal(path))]


def _python_files(words: Iterable[str]) -> list[Path]:
    return [found.path for found in map(Algorithm, words) if found.kind is Kind.PYTHON and found.path]


def refusal(path: Path) -> str | None:
    """The reason why a Python file, or those of a folder, may not run; None if they may."""
    found = path.resolve()
    if any(found.is_relative_to(one) for one in engine.containment()["trusted"]):
        return None
    if ask is not None and ask(path):
        allow(path)
        return None
    remedy = f"read it, then add --trust {path}, or call fairlane.trust in Python"
    return f"only a file names this Python code, which runs with your rights; {remedy}"
