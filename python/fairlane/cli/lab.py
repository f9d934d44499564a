"""`fairlane lab list`, `start`, `grade`: the labs of a course."""

import json
from pathlib import Path

import click

from fairlane.cli.containment import containment_options
from fairlane.cli.help import ExampleCommand, ExampleGroup
from fairlane.cli.options import as_json
from fairlane.show.text.terminal import echo


@click.group(
    cls=ExampleGroup,
    examples=["fairlane lab list", "fairlane lab start buffer", "fairlane lab grade buffer"],
)
def command() -> None:
    """List the labs of a course, start one, and grade the answers.

    The labs are those of Fairlane Live (`fairlane live`), where all but the C files can be done and graded, too.
    """


@command.command("list", cls=ExampleCommand, examples=["fairlane lab list"])
def listing() -> None:
    """List the labs with their titles and times."""
    from fairlane.search.labs import labs

    for one in labs():
        echo(f"{one.number}  {one.name:12} {one.title}, {one.minutes} min")


@command.command(cls=ExampleCommand, examples=["fairlane lab start sawtooth", "fairlane lab start design my-lab"])
@click.argument("name", metavar="NAME")
@click.argument("folder", required=False, type=click.Path(path_type=Path))
def start(name: str, folder: Path | None) -> None:
    """Write a lab's sheet, its files and a form for the answers into a new folder."""
    from fairlane.search import labs

    chosen = labs.lab(name)
    labs.start(chosen, folder or Path(name))
    echo(f"{folder or Path(name)}: read README.md, write answers.json, then: fairlane lab grade {folder or name}")


@command.command(
    cls=ExampleCommand,
    examples=["fairlane lab grade sawtooth", "fairlane lab grade handed-in/anna --seed 7 --json"],
)
@click.argument("folder", type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option(
    "--seed",
    metavar="N",
    type=click.IntRange(0, 2**32),
    default=1,
    show_default=True,
    help="Any but 1 also runs scenes and files in a second network, whose rates and RTTs differ by up to 5 %.",
)
@as_json()
@containment_options
def grade(folder: Path, seed: int, as_json: bool) -> int:
    """Grade a folder with answers.json and, where the lab asks for it, a C file.

    The same folder and seed always give the same grades. The exit status is 1 if an answer is wrong.
    """
    from fairlane.search import labs

    chosen, grades = labs.grade(folder, seed)
    if as_json:
        echo(json.dumps(labs.as_json(chosen, grades)))
    else:
        for one in grades:
            echo(f"{'passed' if one.passed else 'failed'}  {one.question:12} {one.detail}")
        echo(f"{chosen.title}: {sum(one.passed for one in grades)} of {len(grades)}")
    return 0 if all(one.passed for one in grades) else 1
