"""`fairlane algorithm explain`: description and parameters of an algorithm."""

import shutil
import textwrap
from typing import TYPE_CHECKING

import click

from fairlane.algorithm.name import Kind
from fairlane.cli import completion
from fairlane.cli.containment import show_notices
from fairlane.cli.help import ExampleCommand
from fairlane.cli.options import algorithm_named
from fairlane.show.text.terminal import echo, echo_exactly

if TYPE_CHECKING:
    from fairlane.engine import Parameter


@click.command(
    cls=ExampleCommand,
    examples=[
        "fairlane algorithm explain cubic",
        "fairlane algorithm explain ./mine.c",
        "fairlane algorithm explain bbr --source",
    ],
)
@click.argument("algorithm", metavar="NAME|FILE", shell_complete=completion.algorithms)
@click.option("--source", is_flag=True, help="Print the source code instead.")
def explain(algorithm: str, source: bool) -> None:
    """Explain an algorithm: idea, source, deviations, parameters."""
    from fairlane.algorithm import describe

    show_notices(click.get_current_context())
    named = algorithm_named(algorithm)
    found = describe(named.source)
    if source:
        echo_exactly(found["source"])
        return
    echo(found["header"] or f"{found['name']}: its file has no opening comment")
    if found["aliases"]:
        echo(f"\nAlso known as {', '.join(found['aliases'])}.")
    if named.kind is Kind.PYTHON:
        echo("\nA Python class, for the simulator only.")
    else:
        echo(f"\nIn the kernel: {found['kernel_name'] or 'no name'}")
    if not found["parameters"]:
        echo("\nNo parameters.")
        return
    echo("\nParameters (default, unit, meaning and source):")
    width = min(100, shutil.get_terminal_size().columns)
    for parameter in found["parameters"]:
        echo(_parameter(parameter, width))
    name = found["parameters"][0]["name"]
    echo(f"\nExample: fairlane duel {algorithm}:{name}={found['parameters'][0]['default']}")


def _parameter(parameter: "Parameter", width: int) -> str:
    unit = f" {parameter['unit']}" if parameter["unit"] else ""
    text = f"  {parameter['name']} = {parameter['default']}{unit}"
    meaning = parameter["doc"] or "(not documented in its file)"
    return text + "\n" + textwrap.fill(meaning, width, initial_indent=" " * 6, subsequent_indent=" " * 6)
