"""`fairlane algorithms`: lists the congestion controls."""

import json

import click

from fairlane.cli.help import ExampleCommand
from fairlane.cli.options import as_json
from fairlane.show.text.terminal import echo, width


@click.command(
    cls=ExampleCommand,
    examples=["fairlane algorithms", "fairlane algorithms --parameters", "fairlane algorithms --json"],
)
@click.option("--parameters", is_flag=True, help="With all parameters, their defaults and units.")
@as_json("a JSON list")
def command(parameters: bool, as_json: bool) -> None:
    """List the congestion controls.

    `fairlane algorithm explain NAME` tells everything about one. Any other struct_ops congestion control can be used
    through the path of its C file.
    """
    from fairlane.engine import algorithms

    found = algorithms()
    if as_json:
        echo(json.dumps(found))
        return
    from fairlane.show.text.algorithm_text import lines_text, list_text

    if parameters:
        echo(list_text(found, width()))
        return
    echo(lines_text(found, width()))
    echo("\nWith parameters: --parameters; everything about one: fairlane algorithm explain NAME")
