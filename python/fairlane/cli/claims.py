"""`fairlane claims`: the claims of a published study and their verdicts."""

import json
import shutil
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fairlane.cli import completion
from fairlane.cli.containment import trust_option
from fairlane.cli.errors import BadFile, RunFailed, bad_value
from fairlane.cli.help import ExampleCommand
from fairlane.cli.options import as_json, folder_of_results
from fairlane.cli.studies import study_named
from fairlane.show.text.terminal import echo

if TYPE_CHECKING:
    from fairlane.study.paper.definition import Study


@click.command(
    cls=ExampleCommand,
    examples=[
        "fairlane claims fiftyshades2019",
        "fairlane claims elephants2023 --quick --json",
        "fairlane claims lin2019 --numbers",
        "fairlane claims",
    ],
)
@click.argument("study", metavar="[STUDY]", required=False, shell_complete=completion.studies)
@folder_of_results("Folder of the results store; without STUDY, of all stores.  [default: results/STUDY, or results]")
@click.option("--quick", is_flag=True, help="Judge by the quick subset.")
@click.option("--numbers", is_flag=True, help="Count the paper's numbers that ours meet, by metric, instead.")
@as_json("JSON with all values")
@trust_option
def command(study: str | None, results: Path | None, quick: bool, numbers: bool, as_json: bool) -> None:
    """List the claims of a published study with their verdicts; without STUDY, count those of all studies.

    Runs nothing: the verdicts use the stored runs of `fairlane reproduce STUDY`. The column "own numbers" tells whether
    the claim holds on the numbers that the paper itself prints; "undecided" means that it prints too few of them.

    Without STUDY: how many claims hold, of those that the papers' own numbers do not contradict, and the causes of the
    others. A study counts by its quick subset if only that is stored.
    """
    if study is None:
        if numbers:
            raise bad_value("--numbers", "needs a study; write for example: fairlane claims lin2019 --numbers")
        echo(_all(results or Path("results"), quick, as_json=as_json))
        return
    loaded = study_named(study)
    if not loaded.has_claims:
        raise BadFile(f"{loaded.folder}: this study has no claims; write claims.py")
    shown = _numbers if numbers else _verdicts
    echo(shown(loaded, results or Path("results") / study, quick=quick, as_json=as_json))


def _verdicts(study: "Study", folder: Path, *, quick: bool, as_json: bool) -> str:
    from fairlane.results.identical_algorithms import sentences_of_study
    from fairlane.show.text.joint import origin_text
    from fairlane.show.text.progress import meanwhile
    from fairlane.show.text.tally import sentence
    from fairlane.show.text.verdicts import as_json as claims_as_json
    from fairlane.show.text.verdicts import overview
    from fairlane.study.findings import findings

    with meanwhile("checking the paper's claims"):
        found = findings(study, [], folder, quick=quick)
        verdicts = found.judge()
        origin = "" if as_json else origin_text(study, found.joint)
    if as_json:
        return json.dumps(claims_as_json(verdicts), indent=2, ensure_ascii=False)
    width = max(80, shutil.get_terminal_size().columns)
    sentences = [sentence(verdicts), origin, *sentences_of_study(found.results)]
    return "\n".join([overview(verdicts, width), "", *(textwrap.fill(one, width) if one else "" for one in sentences)])


def _all(folder: Path, quick: bool, *, as_json: bool) -> str:
    from fairlane.files import data_folder
    from fairlane.show.text.progress import meanwhile
    from fairlane.show.text.tally import tally_text
    from fairlane.study.claims.tally import Tally
    from fairlane.study.findings import findings, only_quick
    from fairlane.study.paper.definition import names
    from fairlane.study.rerun import stored_experiments

    found, missing = {}, []
    for name in names(data_folder("studies")):
        study = study_named(name)
        stored = stored_experiments(folder / name)
        if not study.has_claims or not stored:
            missing.append(name)
            continue
        short = quick or only_quick(study, stored)
        with meanwhile(f"checking the claims of {name}"):
            verdicts = findings(study, [], folder / name, quick=short).judge()
        found[f"{name}, quick" if short else name] = Tally(verdicts)
    if not found:
        raise RunFailed(f"'{folder}' has no results of a study; run one with: fairlane reproduce {missing[0]}")
    if as_json:
        counts = {name: one.as_json() for name, one in found.items()}
        together = Tally([verdict for one in found.values() for verdict in one.verdicts])
        return json.dumps({"studies": counts, "together": together.as_json()}, indent=2)
    text = tally_text(found)
    return f"{text}\nNot run: {', '.join(missing)}." if missing else text


def _numbers(study: "Study", folder: Path, *, quick: bool, as_json: bool) -> str:
    from dataclasses import asdict

    from fairlane.show.comparison.comparison_text import numbers_text
    from fairlane.show.text.progress import meanwhile
    from fairlane.study.findings import findings
    from fairlane.study.paper.numbers_met import numbers

    with meanwhile("comparing with the paper"):
        comparisons = findings(study, study.file.items, folder, quick=quick).comparisons
    found = numbers(study, comparisons)
    if as_json:
        return json.dumps([asdict(one) for one in found], indent=2, ensure_ascii=False)
    return numbers_text(found, len(numbers(study, comparisons, distinct=False)))
