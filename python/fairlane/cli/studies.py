"""`fairlane studies`: lists the published studies that can be rerun."""

import json
from typing import TYPE_CHECKING

import click

from fairlane.cli.errors import bad_value
from fairlane.cli.help import ExampleCommand
from fairlane.cli.options import as_json
from fairlane.show.text.terminal import echo, width

if TYPE_CHECKING:
    from fairlane.study.paper.definition import Study


def study_named(name: str) -> "Study":
    """The study. Raises StudyError, and a usage error if there is none of that name."""
    from fairlane.engine.messages import unknown
    from fairlane.files import data_folder
    from fairlane.study.paper.definition import load, names

    studies = data_folder("studies")
    known = names(studies)
    if name not in known:
        raise bad_value("STUDY", unknown("study", name, known))
    return load(studies / name)


@click.command(cls=ExampleCommand, examples=["fairlane studies", "fairlane studies --json"])
@as_json("a JSON list")
def command(as_json: bool) -> None:
    """List the published studies that can be rerun, and what each needs.

    `fairlane reproduce STUDY --estimate` says how long a study takes on this machine.
    """
    from fairlane.files import data_folder
    from fairlane.show.text.study_text import study_as_json, study_text
    from fairlane.study.paper.definition import load, names

    folder = data_folder("studies")
    studies = [load(folder / name) for name in names(folder)]
    if as_json:
        echo(json.dumps([study_as_json(study) for study in studies]))
        return
    for study in studies:
        echo(study_text(study, width()))
