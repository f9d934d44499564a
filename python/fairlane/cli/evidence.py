"""`fairlane evidence`: judges an algorithm by the criteria of RFC 9743."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fairlane.cli import completion
from fairlane.cli.backends import place_of
from fairlane.cli.containment import containment_options
from fairlane.cli.errors import bad_value, resumable
from fairlane.cli.help import ExampleCommand
from fairlane.cli.options import algorithm_named, as_json, at_a_time, folder_of_results, jobs
from fairlane.cli.process import typed
from fairlane.cli.types import NameList
from fairlane.search.evidence import KEYWORDS
from fairlane.show.text.terminal import echo

if TYPE_CHECKING:
    from fairlane.search.evidence.confirm import Cell
    from fairlane.search.evidence.evidence import Evidence

LEVELS = KEYWORDS[:-1]
RFC = "rfc9743"


def _cases() -> list[str]:
    from fairlane.files import data_folder

    return sorted(
        path.parent.name for path in data_folder("studies").glob("*/criteria.toml") if path.parent.name != RFC
    )


@click.command(
    cls=ExampleCommand,
    examples=[
        "fairlane evidence ./mine.c",
        "fairlane evidence bbr3 --only 5.1,7.1 --quick",
        "fairlane evidence ./mine.c --quick --fail-on MUST",
        "fairlane evidence cubic --against vegas --only 5.1.2",
        "fairlane evidence --cases bbr-draft bbr3",
        "fairlane evidence --cases bbr-draft --qlog policer=first.sqlog --qlog policer=second.sqlog",
    ],
)
@click.argument("algorithm", metavar="FILE.c|NAME", required=False, shell_complete=completion.algorithms)
@click.option("--only", type=NameList(), help="Sections; 5.1 means 5.1.1 and the rest of it.  [default: all]")
@click.option("--quick", is_flag=True, help="Fewer networks and repeats.")
@click.option("--against", metavar="ALGORITHM", help="The baseline.  [default: that of the criteria, CUBIC]")
@click.option(
    "--criteria",
    metavar="FILE",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Criteria of your own, such as an edited copy of studies/rfc9743.",
)
@click.option(
    "--cases",
    metavar="NAME",
    shell_complete=completion.one_of(_cases),
    help="The test cases of a draft in place of RFC 9743: bbr-draft or c4-tests.",
)
@click.option(
    "--qlog",
    metavar="EXPERIMENT=FILE",
    multiple=True,
    help="Judge logs of a QUIC sender in the network of this experiment, three of each, in place of an algorithm.",
)
@click.option(
    "--fail-on",
    metavar="|".join(LEVELS),
    help="Exit status 1 if a criterion with this keyword, or a stronger one, is not met or could not be tested.",
)
@click.option(
    "--confirm", metavar="vm[:KERNEL]", help="Run a dozen of the networks on this kernel in virtual time, too."
)
@jobs
@folder_of_results("Folder of values and reports.  [default: results/evidence]")
@as_json()
@containment_options
def command(
    algorithm: str | None,
    only: list[str] | None,
    quick: bool,
    against: str | None,
    criteria: Path | None,
    cases: str | None,
    qlog: tuple[str, ...],
    fail_on: str | None,
    confirm: str | None,
    jobs: int | None,
    results: Path | None,
    as_json: bool,
) -> int:
    """Judge an algorithm by the criteria of RFC 9743, by experiments relative to CUBIC.

    Prints a line for each criterion, and writes report.html, evidence.json and evidence.tex. Repeats are added until
    the intervals decide. After an interruption, the same command resumes.
    """
    from fairlane.engine.messages import unknown
    from fairlane.search.breaks.evaluate import threads
    from fairlane.search.breaks.witness import with_network
    from fairlane.search.evidence.confirm import CELLS
    from fairlane.search.evidence.confirm import confirm as on_kernel
    from fairlane.search.evidence.criteria import read, shipped
    from fairlane.search.evidence.evidence import Question, gather
    from fairlane.search.evidence.logged import LOGS
    from fairlane.search.evidence.logged import gather as gather_logged
    from fairlane.search.evidence.measures import Measures
    from fairlane.show.text.progress import Bar

    if fail_on is not None and fail_on not in LEVELS:
        raise bad_value("--fail-on", f"must be one of {', '.join(LEVELS)}, not {fail_on}")
    if confirm is not None:
        place_of(confirm := with_network(confirm))
    if criteria and cases:
        raise bad_value("--cases", "is another file of criteria than --criteria; leave one out")
    if cases and cases not in _cases():
        raise bad_value("--cases", unknown("cases", cases, _cases()))
    form = read(criteria or shipped(cases or RFC))
    if against is not None:  # the criteria's own is not named by the user
        algorithm_named(against, option="--against")
    against = against or form.baseline
    folder = results or Path("results") / "evidence"
    cells: list[Cell] = []
    document = [cases] if cases else [criteria.stem] if criteria else []
    if qlog or algorithm is None:
        if algorithm is not None or not qlog:
            raise bad_value("ALGORITHM", "name either an algorithm or logs (--qlog EXPERIMENT=FILE)")
        evidence = gather_logged(Question(LOGS, form, against, only, quick), _logs(qlog))
        return _finish(evidence, cells, folder / "-".join([LOGS, *document]), fail_on, confirm, as_json)
    named = algorithm_named(algorithm)
    question = Question(algorithm, form, against, only, quick)
    with resumable(), Measures(folder / "runs.jsonl") as measures:
        with threads(at_a_time(jobs)) as compute, Bar(1, "runs") as bar:
            evidence = gather(question, measures, compute, bar.reach)
        if confirm:
            with Bar(CELLS, f"networks on {confirm}") as bar:
                cells = on_kernel(evidence, measures, confirm, at_a_time(jobs), bar.step)
    words = [named.name, *document, *([f"against-{against}"] if against != form.baseline else [])]
    return _finish(evidence, cells, folder / "-".join(words), fail_on, confirm, as_json)


def _logs(words: Sequence[str]) -> dict[str, list[Path]]:
    """The logs by experiment."""
    found: dict[str, list[Path]] = {}
    for word in words:
        name, is_pair, path = word.partition("=")
        if not is_pair:
            raise bad_value("--qlog", f"{word}: write EXPERIMENT=FILE, for example policer={word}")
        found.setdefault(name, []).append(Path(path))
    return found


def _finish(
    evidence: "Evidence", cells: "list[Cell]", place: Path, fail_on: str | None, confirm: str | None, as_json: bool
) -> int:
    """Writes and prints the verdicts; the exit status."""
    from fairlane.search.evidence.report import as_json as everything
    from fairlane.search.evidence.report import as_text
    from fairlane.show.text.terminal import width

    _keep(evidence, cells, place)
    if as_json:
        echo(json.dumps(everything(evidence, cells)))
    else:
        echo(as_text(evidence, width(most=200) if sys.stdout.isatty() else sys.maxsize))
        for cell in cells:
            echo(f"{confirm}: {cell.section} {cell.title}: {cell.verdict}")
        echo(f"\nreport: {place / 'report.html'}")
    stronger = LEVELS[: LEVELS.index(fail_on) + 1] if fail_on else ()
    bad = [one for keyword in stronger for one in evidence.not_met(keyword)]
    for one in bad:
        echo(f"{one.criterion.section} {one.criterion.keyword}: {one.outcome}: {one.criterion.title}", err=True)
    return 1 if bad else 0


def _keep(evidence: "Evidence", cells: "list[Cell]", place: Path) -> None:
    """Writes the page, the values and the table."""
    from fairlane.files import make_folder, write_text
    from fairlane.search.evidence.report import as_json, latex, page

    make_folder(place, inside=place.parent)
    write_text(place / "report.html", page(evidence, typed(), cells))
    write_text(place / "evidence.json", json.dumps(as_json(evidence, cells), indent=1) + "\n")
    write_text(place / "evidence.tex", latex(evidence))
