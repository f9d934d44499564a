"""`fairlane algorithm check`: checks an algorithm."""

import json
import shlex
import shutil
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fairlane.cli import completion
from fairlane.cli.containment import containment_options
from fairlane.cli.errors import bad_value, blamed_on
from fairlane.cli.help import ExampleCommand
from fairlane.cli.options import algorithm_named, as_json, parameters
from fairlane.show.text.terminal import echo

if TYPE_CHECKING:
    from fairlane.algorithm.name import Algorithm

_WIDTH = 27


def _names() -> list[str]:
    from fairlane.search.check_networks import networks

    return [network.short_name for network in networks("reno", {})]


@click.command(
    cls=ExampleCommand,
    examples=[
        "fairlane algorithm check ./mine.c",
        "sudo $(command -v fairlane) algorithm check ./mine.c",
        "fairlane algorithm check cubic --set beta=800",
    ],
)
@click.argument("algorithm", metavar="FILE.c|NAME", shell_complete=completion.algorithms)
@parameters
@click.option(
    "--network",
    metavar="NAME",
    shell_complete=completion.one_of(_names),
    help="Check nothing; print this network as an experiment file.",
)
@click.option(
    "--witnesses",
    metavar="FOLDER",
    type=click.Path(exists=True, path_type=Path),
    help="Also run the networks that `fairlane break` kept here, and fail where a score got worse.",
)
@as_json("a JSON list")
@containment_options
def check(algorithm: str, settings: tuple[str, ...], network: str | None, witnesses: Path | None, as_json: bool) -> int:
    """Check an algorithm: both compilers, the kernel's verifier, and eleven networks.

    The verifier needs root. The networks detect broken algorithms, not slow ones. Warnings of the compilers are
    failures, too, except about unused names. Exit status 1 if a check fails.
    """
    from fairlane.search.check import check as verdicts

    named = algorithm_named(algorithm, settings)
    _check_parameters(named, "--set" if settings else "ALGORITHM")
    if network is not None:
        echo(_experiment(network, named))
        return 0
    found = []
    for verdict in verdicts(named.source, named.parameters, witnesses):
        found.append(verdict)
        if not as_json:
            echo(_line(verdict.check, verdict.outcome, verdict.detail))
            if verdict.network:
                echo(f"    replay: {_replay(verdict.network, algorithm, settings)}")
    failed = sum(verdict.outcome == "fails" for verdict in found)
    if as_json:
        echo(json.dumps([verdict.as_json() for verdict in found]))
    elif failed:
        echo(f"\n{failed} of {len(found)} checks failed.")
    else:
        echo(f"\n{algorithm} passed all checks." if all(v.outcome == "passes" for v in found) else "\nNo check failed.")
    return 1 if failed else 0


def _check_parameters(algorithm: "Algorithm", option: str) -> None:
    """Raises an error of `option` for values that a sound program does not take."""
    from fairlane.algorithm import describe
    from fairlane.engine import AlgorithmError

    if not algorithm.parameters:
        return
    try:
        describe(algorithm.source)
    except AlgorithmError:
        return  # the first check reports it
    with blamed_on(option, AlgorithmError):
        describe(algorithm.source, algorithm.parameters)


def _experiment(network: str, algorithm: "Algorithm") -> str:
    from fairlane.engine.messages import unknown
    from fairlane.search.check_networks import networks
    from fairlane.show.report.experiments import toml_text

    known = {one.short_name: one for one in networks(algorithm.source, algorithm.parameters)}
    if network not in known:
        raise bad_value("--network", unknown("network", network, known))
    found = known[network]
    return f"# {found.name}: at least {found.least:g} % {found.what}\n{toml_text(found.experiment)}"


def _replay(network: str, algorithm: str, settings: tuple[str, ...]) -> str:
    """The command that runs a network again."""
    words = ["fairlane", "algorithm", "check", algorithm, *(word for one in settings for word in ("--set", one))]
    file = f"{network}.toml"
    return f"{shlex.join([*words, '--network', network])} > {file} && fairlane run {file}"


def _line(check: str, outcome: str, detail: str) -> str:
    width = max(60, min(120, shutil.get_terminal_size().columns))
    first, *rest = detail.splitlines() or [""]
    text = textwrap.fill(
        first, width, initial_indent=f"{check:<{_WIDTH}}{outcome:<10}", subsequent_indent=" " * (_WIDTH + 10)
    )
    return "\n".join([text, *(" " * 4 + line for line in rest)])
