"""Options of the commands that run C files of others: which of them are trusted, and how long they may take."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from fairlane import units
from fairlane.cli.types import Quantity


def containment_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds `--trust` and `--run-timeout`, which take effect before the command starts."""
    trust = click.option(
        "--trust",
        metavar="FILE",
        multiple=True,
        expose_value=False,
        callback=_trust,
        type=click.Path(exists=True, dir_okay=False, path_type=Path),
        help="Run this C file without a sandbox; repeatable.",
    )
    run_timeout = click.option(
        "--run-timeout",
        metavar="TIME",
        expose_value=False,
        callback=_run_timeout,
        type=Quantity("TIME", units.positive_time_ns),
        help="Real time after which the run of a C file is ended.  [default: by the scenario]",
    )
    return trust(run_timeout(command))


def _trust(_context: click.Context, _option: click.Parameter, paths: tuple[Path, ...]) -> None:
    if paths:
        from fairlane import engine

        engine.contain(paths, engine.containment()["run_timeout_s"])


def _run_timeout(_context: click.Context, _option: click.Parameter, limit_ns: int | None) -> None:
    if limit_ns is not None:
        from fairlane import engine

        engine.contain(engine.containment()["trusted"], limit_ns / 1e9)
