"""`fairlane studies`: lists the published studies that can be rerun."""

import json
import shutil
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from fairlane.cli.errors import BadFile, RunFailed, bad_value
from fairlane.cli.help import ExampleCommand
from fairlane.cli.options import as_json
from fairlane.show.text.terminal import echo

if TYPE_CHECKING:
    from fairlane.study.paper.definition import Study


@contextmanager
def study_named(name: str) -> "Iterator[Study]":
    """The study; errors of studies, experiments and stores become those of a command."""
    from fairlane.engine.messages import unknown
    from fairlane.files import data_folder
    from fairlane.results.store.layout import StoreError
    from fairlane.scenario.diagnostics import ExperimentError
    from fairlane.study.paper.definition import StudyError, load, names

    studies = data_folder("studies")
    known = names(studies)
    if name not in known:
        raise bad_value("STUDY", unknown("study", name, known))
    try:
        yield load(studies / name)
    except (ExperimentError, StudyError) as error:
        raise BadFile(str(error)) from None
    except StoreError as error:
        raise RunFailed(str(error)) from None


@click.command(cls=ExampleCommand, examples=["fairlane studies", "fairlane studies --json"])
@as_json("a JSON list")
def command(as_json: bool) -> None:
    """List the published studies that can be rerun, and what each needs.

    `fairlane reproduce STUDY --estimate` says how long a study takes on this machine.
    """
    from fairlane.files import data_folder
    from fairlane.study.paper.definition import load, names

    folder = data_folder("studies")
    studies = [load(folder / name) for name in names(folder)]
    if as_json:
        found = [
            {
                "name": study.name,
                "paper": study.file.paper,
                "experiments": len(study.file.experiments),
                "tables_and_figures": len(study.file.items),
                "has_claims": study.has_claims,
                "quick": study.file.quick or None,
                "needs_what_is_missing": {name: one.needs for name, one in study.file.unsupported.items()},
            }
            for study in studies
        ]
        echo(json.dumps(found))
        return
    width = min(100, shutil.get_terminal_size().columns)
    for study in studies:
        file, claims = study.file, ", its claims" if study.has_claims else ""
        echo(study.name)
        parts = [
            file.paper,
            f"{len(file.experiments)} experiments, {len(file.items)} tables and figures{claims}",
            f"Quick: {file.quick}" if file.quick else "Minutes; no quick subset is needed.",
        ]
        needs = [one.needs for one in file.unsupported.values()]
        if needs:
            parts.append(f"Not yet: {len(needs)} experiments that need {', '.join(dict.fromkeys(needs))}")
        for part in parts:
            echo(textwrap.fill(part, width, initial_indent="    ", subsequent_indent="      "))
        quick = " --quick" if file.quick else ""
        echo(f"    fairlane reproduce {study.name}{quick} --estimate\n")
