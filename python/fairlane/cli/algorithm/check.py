"""`fairlane algorithm check`: checks an algorithm."""

import json
import shutil
import textwrap

import click

from fairlane.cli import completion
from fairlane.cli.containment import containment_options
from fairlane.cli.help import ExampleCommand
from fairlane.cli.options import algorithm_named, as_json, parameters
from fairlane.show.text.terminal import echo

_WIDTH = 27


@click.command(
    cls=ExampleCommand,
    examples=[
        "fairlane algorithm check ./mine.c",
        "sudo fairlane algorithm check ./mine.c",
        "fairlane algorithm check cubic --set beta=800",
    ],
)
@click.argument("algorithm", metavar="FILE.c|NAME", shell_complete=completion.algorithms)
@parameters
@as_json("a JSON list")
@containment_options
def check(algorithm: str, settings: tuple[str, ...], as_json: bool) -> int:
    """Check an algorithm: both compilers, the kernel's verifier, and eleven networks.

    The verifier needs root. The networks detect broken algorithms, not slow ones. Exit status 1 if a check fails.
    """
    from fairlane.search.check import check as verdicts

    named = algorithm_named(algorithm, settings)
    found = []
    for verdict in verdicts(named.source, named.parameters):
        found.append(verdict)
        if not as_json:
            echo(_line(verdict.check, verdict.outcome, verdict.detail))
    failed = sum(verdict.outcome == "fails" for verdict in found)
    if as_json:
        echo(json.dumps([verdict.as_json() for verdict in found]))
    elif failed:
        echo(f"\n{failed} of {len(found)} checks failed.")
    else:
        echo(f"\n{algorithm} passed all checks." if all(v.outcome == "passes" for v in found) else "\nNo check failed.")
    return 1 if failed else 0


def _line(check: str, outcome: str, detail: str) -> str:
    width = max(60, min(120, shutil.get_terminal_size().columns))
    first, *rest = detail.splitlines() or [""]
    text = textwrap.fill(
        first, width, initial_indent=f"{check:<{_WIDTH}}{outcome:<10}", subsequent_indent=" " * (_WIDTH + 10)
    )
    return "\n".join([text, *(" " * 4 + line for line in rest)])
