"""`fairlane explain`: runs the change that shows why a claim does not hold."""

import inspect
import shutil
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fairlane.cli.containment import trust_option
from fairlane.cli.help import ExampleCommand
from fairlane.cli.options import folder_of_results, jobs
from fairlane.cli.studies import study_named
from fairlane.cli.types import WholeNumber
from fairlane.show.text.terminal import echo
from fairlane.show.text.verdicts import family_lines

if TYPE_CHECKING:
    from fairlane.study.claims import ClaimVerdict
    from fairlane.study.paper.definition import Study


@click.command(
    cls=ExampleCommand,
    examples=[
        "fairlane explain modestbbr s2a-3",
        "fairlane explain fiftyshades2019",
        "fairlane explain lin2019 s53-3 --quick",
        "fairlane explain elephants2023 s51-6 --quick --repeats 5",
    ],
)
@click.argument("study", metavar="STUDY")
@click.argument("claim", metavar="[CLAIM]...", nargs=-1)
@folder_of_results("Folder of the results store.  [default: results/STUDY]")
@click.option("--quick", is_flag=True, help="Run the quick subset.")
@click.option("--unexplained", is_flag=True, help="Without CLAIM: those declared unexplained, not those with a change.")
@click.option("--repeats", type=WholeNumber(1, 1_000_000, 1), help="Number of runs per point, instead of the study's.")
@jobs
@trust_option
def command(
    study: str,
    claim: tuple[str, ...],
    results: Path | None,
    quick: bool,
    unexplained: bool,
    repeats: int | None,
    jobs: int | None,
) -> None:
    """Run the change that shows why a claim does not hold.

    Runs the experiments that the claim needs, unchanged and with the one change that the study names, unless they are
    stored. Prints the verdict and the values before and after, and the paper's. Without CLAIM: all claims that have a
    change.

    A claim that is declared unexplained is also run at the values that the unknowns of its testbeds may have had: the
    ends, the middle and the default of each range in study.toml. Either one of them turns it, or no testbed as
    described gives it.
    """
    from fairlane.cli.reproduce import run_jobs
    from fairlane.runs.executors import Place
    from fairlane.runs.executors.processes import usable_cpus
    from fairlane.study.explain import explanation_plan
    from fairlane.study.findings import findings

    folder = results or Path("results") / study
    with study_named(study) as loaded:
        plan = explanation_plan(loaded, claim, quick=quick, unexplained=unexplained, repeats=repeats)
        run_jobs(study, list(plan.jobs), folder, Place(jobs or usable_cpus()), quick=quick)
        wanted = {one.published.id for one in plan.claims}
        for verdict in findings(loaded, [], folder, quick=quick).judge(wanted):
            echo(_text(loaded, verdict, min(100, shutil.get_terminal_size().columns)) + "\n")


def _text(study: "Study", verdict: "ClaimVerdict", width: int) -> str:
    """The claim, its cause, the change, and the verdicts before and after it."""
    claim, published = verdict.claim, verdict.claim.published
    lines = [f"{published.id}, {published.section}: {published.claim}"]
    lines.append(f"paper: {published.threshold or 'gives no number'}")
    if verdict.on_own_numbers is not None:
        lines.append(
            f"the paper's own numbers: {_shown(verdict.on_own_numbers.verdict, verdict.on_own_numbers.summary)}"
        )
    if claim.contradicted:
        lines.append(f"the paper elsewhere: {claim.contradicted}")
    if verdict.calibrated:
        lines.append(f"no evidence: {verdict.calibrated}")
    lines.append(f"ours: {_shown(verdict.status, verdict.summary)}")
    if verdict.cause:
        lines.append(f"cause: {verdict.cause}")
    if verdict.explanation:
        lines.append(f"why: {verdict.explanation}")
    if claim.other_reading is not None and verdict.otherwise is not None:
        lines.append(f"in another way: {inspect.getdoc(claim.other_reading)}")
        lines.append(f"read so: {_shown(verdict.otherwise.verdict, verdict.otherwise.summary)}")
    variant = study.file.variants.get(claim.variant)
    if variant is not None:
        changed = ", ".join(_change(key, value) for key, value in variant.changes.items())
        lines.append(f"change: {variant.title} ({changed})")
        lines.append(f"reason: {variant.reason}")
        found = verdict.varied
        lines.append(f"with the change: {'not measured' if found is None else _shown(found.verdict, found.summary)}")
    if verdict.family is not None:
        lines += family_lines(verdict.family)
    elif variant is None and verdict.cause and verdict.otherwise is None:
        lines.append("change: none is known that shows it")
    return "\n".join(textwrap.fill(line, width, subsequent_indent="  ") for line in lines)


def _change(key: str, value: object) -> str:
    """A changed key as a reader would write it."""
    return f"without {key}" if value == {"remove": True} else f"{key} = {value!r}".replace("'", '"')


MOST_COMPARISONS = 4
"""The most comparisons that a verdict shows; `fairlane claims STUDY --json` has all of them."""


def _shown(verdict: str, summary: str) -> str:
    comparisons = summary.split("; ")
    if len(comparisons) > MOST_COMPARISONS:
        left_out = len(comparisons) - MOST_COMPARISONS
        comparisons = [*comparisons[:MOST_COMPARISONS], f"and {left_out} more (fairlane claims --json)"]
    return f"{verdict}: {'; '.join(comparisons)}"
