"""`fairlane claims`: the claims of a published study and their verdicts."""

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fairlane.cli import completion
from fairlane.cli.errors import BadFile, RunFailed, bad_value
from fairlane.cli.help import ExampleCommand
from fairlane.display.terminal import echo

if TYPE_CHECKING:
    from fairlane.paper.study import Study


@click.command(
    cls=ExampleCommand,
    examples=[
        "fairlane claims fiftyshades2019",
        "fairlane claims elephants2023 --quick --json",
        "fairlane claims lin2019 --numbers",
    ],
)
@click.argument("study", metavar="STUDY", shell_complete=completion.studies)
@click.option(
    "--results",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Folder of the results store.  [default: results/STUDY]",
)
@click.option("--quick", is_flag=True, help="Judge by the quick subset.")
@click.option("--numbers", is_flag=True, help="Count the paper's numbers that ours meet, by metric, instead.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON with all values.")
def command(study: str, results: Path | None, quick: bool, numbers: bool, as_json: bool) -> None:
    """List the claims of a published study with their verdicts.

    Runs nothing: the verdicts use what `fairlane reproduce STUDY` has stored. The column "own numbers" tells whether
    the claim holds on the numbers that the paper itself prints; "undecided" means that it prints too few of them.
    """
    from fairlane.claims.text import as_json as claims_as_json
    from fairlane.claims.text import overview, sentence
    from fairlane.display.progress import meanwhile
    from fairlane.locations import data_folder
    from fairlane.paper.study import StudyError, load, names
    from fairlane.store.layout import StoreError
    from fairlane.study.gather import findings
    from fairlane.wording import unknown

    studies = data_folder("studies")
    known = names(studies)
    if study not in known:
        raise bad_value("STUDY", unknown("study", study, known))
    try:
        loaded = load(studies / study)
        if not loaded.has_claims:
            raise BadFile(f"{loaded.folder}: this study has no claims; write claims.py")
        folder = results or Path("results") / study
        if numbers:
            echo(_numbers(loaded, folder, quick=quick, as_json=as_json))
            return
        with meanwhile("checking the paper's claims"):
            verdicts = findings(loaded, [], folder, quick=quick).judge()
    except StudyError as error:
        raise BadFile(str(error)) from None
    except StoreError as error:
        raise RunFailed(str(error)) from None
    if as_json:
        echo(json.dumps(claims_as_json(verdicts), indent=2, ensure_ascii=False))
        return
    echo(overview(verdicts, max(80, shutil.get_terminal_size().columns)))
    echo(f"\n{sentence(verdicts)}")


def _numbers(study: "Study", folder: Path, *, quick: bool, as_json: bool) -> str:
    from dataclasses import asdict

    from fairlane.display.numbers import numbers_text
    from fairlane.display.progress import meanwhile
    from fairlane.paper.numbers import numbers
    from fairlane.study.gather import findings

    with meanwhile("comparing with the paper"):
        comparisons = findings(study, study.file.items, folder, quick=quick).comparisons
    found = numbers(study, comparisons)
    if as_json:
        return json.dumps([asdict(one) for one in found], indent=2, ensure_ascii=False)
    return numbers_text(found, len(numbers(study, comparisons, distinct=False)))
