"""Outcomes of hostile input: accepted, refused in clear words, or a finding."""

import contextlib
import io
import re
from collections.abc import Callable

from fairlane.cli import main


class Finding(AssertionError):
    """A mutation that was not survived."""


def command(*arguments: str, but: str = "\n") -> str:
    """Runs a command; "accepted" or "refused". Lines in which the expression `but` is found do not count."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = main(arguments)
    said = err.getvalue()
    if status == 0:
        return "accepted"
    lines = [line for line in said.splitlines() if not re.search(but, line)]
    several = bool(lines) and lines[0].endswith(" errors") and all(line.startswith("  ") for line in lines[1:])
    if status not in (1, 2) or not lines or not (several or len(lines) == 1) or max(map(len, lines)) > 3000:
        raise Finding(f"status {status}: {said[:2000]}")
    return "refused"


def reading(read: Callable[[], object], *refusals: type[Exception]) -> str:
    """Reads something; "accepted" or "refused"."""
    try:
        read()
    except refusals as error:
        if not all(": " in line for line in str(error).splitlines()):
            raise Finding(f"unclear: {error}") from None
        return "refused"
    return "accepted"
