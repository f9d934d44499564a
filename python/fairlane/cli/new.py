"""`fairlane new`: writes an experiment file from a template."""

from pathlib import Path

import click

from fairlane.cli.errors import write_new
from fairlane.cli.help import ExampleCommand
from fairlane.cli.types import OneOf
from fairlane.scenario.document import TEMPLATES
from fairlane.show.text.terminal import echo

_FIRST_LINES = {name: path.read_text(encoding="utf-8").split("\n", 1)[0] for name, path in TEMPLATES.items()}


@click.command(
    cls=ExampleCommand,
    examples=["fairlane new home-router", "fairlane new rrul -o my-line.toml"],
    lists={"Templates": {name: line.removeprefix("# ") for name, line in _FIRST_LINES.items()}},
)
@click.argument("template", metavar="TEMPLATE", type=OneOf("template", TEMPLATES))
@click.option("-o", "--out", type=click.Path(dir_okay=False, path_type=Path), help="Default: TEMPLATE.toml.")
def command(template: str, out: Path | None) -> None:
    """Write a commented experiment file that already runs."""
    path = out or Path(f"{template}.toml")
    write_new(path, TEMPLATES[template].read_text(encoding="utf-8"), "another file with -o")
    echo(f"{path} written. It already runs:")
    echo(f"  fairlane show {path}                what it would run, and how long that takes")
    echo(f"  fairlane run {path}                 results in results/{path.stem}")
    echo(f"  fairlane table results/{path.stem}")
