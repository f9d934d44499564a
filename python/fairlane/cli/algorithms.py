"""`fairlane algorithms`: lists the congestion controls."""

import json
import shutil
import textwrap

import click

from fairlane.cli.help import ExampleCommand
from fairlane.cli.options import as_json
from fairlane.show.text.terminal import echo


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
    width = min(100, shutil.get_terminal_size().columns)
    for algorithm in found:
        known_as = f" (also {', '.join(algorithm['aliases'])})" if algorithm["aliases"] else ""
        echo(_wrap(f"{algorithm['name']:<12}", algorithm["summary"] + known_as, width))
        for parameter in algorithm["parameters"]:
            unit = f" [{parameter['unit']}]" if parameter.get("unit") else ""
            text = f"= {parameter['default']:g}{unit}  {parameter.get('doc') or ''}"
            echo(_wrap(f"    {parameter['name']} ", text, width, hanging=8))


def _wrap(head: str, text: str, width: int, hanging: int = 12) -> str:
    return textwrap.fill(head + text, width, subsequent_indent=" " * hanging)
