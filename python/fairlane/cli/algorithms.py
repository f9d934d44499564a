"""`fairlane algorithms`: lists the congestion controls."""

import json

import click

from fairlane.cli.help import ExampleCommand
from fairlane.cli.options import as_json
from fairlane.show.text.terminal import echo, width


@click.command(cls=ExampleCommand, examples=["fairlane algorithms", "fairlane algorithms --json"])
@as_json("a JSON list")
def command(as_json: bool) -> None:
    """List the congestion controls and their parameters.

    Any other struct_ops congestion control can be used through the path of its C file.
    """
    from fairlane.engine import algorithms

    found = algorithms()
    if as_json:
        echo(json.dumps(found))
        return
    from fairlane.show.text.algorithm_text import list_text

    echo(list_text(found, width()))
