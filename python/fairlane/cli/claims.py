"""`fairlane claims`: the claims of a published study and their verdicts."""

import json
import shutil
from pathlib import Path

import click

from fairlane.cli import completion
from fairlane.cli.errors import BadFile, RunFailed, bad_value
from fairlane.cli.help import ExampleCommand
from fairlane.display.terminal import echo


@click.command(
    cls=ExampleCommand,
    examples=[
        "fairlane claims fiftyshades2019",
        "fairlane claims elephants2023 --quick --json",
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
@click.option("--json", "as_json", is_flag=True, help="Print JSON with all values.")
def command(study: str, results: Path | None, quick: bool, as_json: bool) -> None:
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
        with meanwhile("checking the paper's claims"):
            verdicts = findings(loaded, [], results or Path("results") / study, quick=quick).judge()
    except StudyError as error:
        raise BadFile(str(error)) from None
    except StoreError as error:
        raise RunFailed(str(error)) from None
    if as_json:
        echo(json.dumps(claims_as_json(verdicts), indent=2, ensure_ascii=False))
        return
    echo(overview(verdicts, max(80, shutil.get_terminal_size().columns)))
    echo(f"\n{sentence(verdicts)}")
