"""Options of the commands that run files of others: which of them are trusted, and how long C files may take."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from fairlane.cli.types import Quantity
from fairlane.scenario import units
from fairlane.show.text.terminal import echo


def containment_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds `--trust` and `--run-timeout`, which take effect before the command starts."""
    run_timeout = click.option(
        "--run-timeout",
        metavar="TIME",
        expose_value=False,
        callback=_run_timeout,
        type=Quantity("TIME", units.positive_time_ns),
        help="Real time after which the run of a C file is ended.  [default: by the scenario]",
    )
    return trust_option(run_timeout(command))


def trust_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds `--trust`, which takes effect before the command starts."""
    return click.option(
        "--trust",
        metavar="FILE",
        multiple=True,
        expose_value=False,
        callback=_trust,
        type=click.Path(exists=True, path_type=Path),
        help="Run this C file, Python file or study without a sandbox; repeatable.",
    )(command)


def show_notices(context: click.Context) -> None:
    """Prints, when the command ends, what the user should know about the C files that it compiled."""
    from fairlane import engine

    engine.take_warnings()  # those of what was compiled before are none of this command's
    context.call_on_close(_print_notices)


def _print_notices() -> None:
    from fairlane import engine

    warnings = engine.take_warnings()
    if warnings is None:
        return
    for line in warnings:
        echo(line, err=True)
    missing = " and ".join(engine.missing_protections())
    if missing and missing not in _told:
        _told.add(missing)
        rest = "C files run in a process of their own, with the other protections alone"
        echo(f"this kernel lacks {missing}; {rest}", err=True)


_told: set[str] = set()
"""Missing protections that this process has reported."""


def _trust(context: click.Context, _option: click.Parameter, paths: tuple[Path, ...]) -> None:
    from fairlane.algorithm import trust

    show_notices(context)
    trust.ask = _ask
    trust.allow(*paths)


def _ask(path: Path) -> bool:
    """Asks on a terminal, unless the user agreed before."""
    from fairlane.algorithm.consent import has_consent

    question = f"{path} is Python, which runs with your rights. Have you read it, and may it run?"
    return has_consent(path, lambda: _on_a_terminal() and click.confirm(question, err=True))


def _on_a_terminal() -> bool:
    return bool(sys.stdin and sys.stdin.isatty() and sys.stderr.isatty())


def _run_timeout(_context: click.Context, _option: click.Parameter, limit_ns: int | None) -> None:
    if limit_ns is not None:
        from fairlane import engine

        engine.contain(engine.containment()["trusted"], limit_ns / 1e9)
