"""`fairlane explain`: runs the changes that show why claims do not hold."""

import inspect
import shutil
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fairlane.cli.containment import trust_option
from fairlane.cli.errors import bad_value
from fairlane.cli.help import ExampleCommand
from fairlane.cli.options import at_a_time, folder_of_results, jobs
from fairlane.cli.studies import study_named
from fairlane.cli.types import WholeNumber
from fairlane.show.text.terminal import echo
from fairlane.show.text.verdicts import effect_text, over_lines

if TYPE_CHECKING:
    from fairlane.runs.executors import Place
    from fairlane.study.claims import ClaimVerdict
    from fairlane.study.joint.settings import Settings
    from fairlane.study.paper.definition import Study


@click.command(
    cls=ExampleCommand,
    examples=[
        "fairlane explain modestbbr s2a-3",
        "fairlane explain fiftyshades2019",
        "fairlane explain lin2019 s53-3 --quick",
        "fairlane explain elephants2023 s51-6 --quick --repeats 5",
        "fairlane explain modestbbr --joint --quick",
        "fairlane explain lin2019 --joint --quick --only campus --repeats 3",
    ],
)
@click.argument("study", metavar="STUDY")
@click.argument("claim", metavar="[CLAIM]...", nargs=-1)
@folder_of_results("Folder of the results store.  [default: results/STUDY]")
@click.option("--quick", is_flag=True, help="Run the quick subset.")
@click.option("--joint", is_flag=True, help="Judge every variant and every testbed setting over all claims.")
@click.option("--only", metavar="NAME", multiple=True, help="With --joint: only this variant or testbed; repeatable.")
@click.option("--without", metavar="NAME", multiple=True, help="With --joint: not this experiment; repeatable.")
@click.option("--save", is_flag=True, help="With --joint: write the result into the study's folder, too.")
@click.option("--repeats", type=WholeNumber(1, 1_000_000, 1), help="Number of runs per point, instead of the study's.")
@jobs
@trust_option
def command(
    study: str,
    claim: tuple[str, ...],
    results: Path | None,
    quick: bool,
    joint: bool,
    only: tuple[str, ...],
    without: tuple[str, ...],
    save: bool,
    repeats: int | None,
    jobs: int | None,
) -> None:
    """Run the change that shows why a claim does not hold.

    Runs the experiments that the claim needs, unchanged and with the one change that the study names, unless they are
    stored. Prints the verdict and the values before and after, and the paper's. Without CLAIM: all claims that have a
    change.

    With --joint, every variant of the study is run over all claims and published numbers, and so is every setting of
    the unknowns of its testbeds: the ends, the middle and the default of each range in study.toml. The table tells the
    claims that each gains and loses. A variant shows the testbed as a cause only if it turns the claim and does not
    lose more claims than it gains. With CLAIM, only the verdicts on these claims are run and printed. With --only and
    --save, the result has the claims that no other testbed concerns; with --without, no claim that needs the
    experiment, and no change of that experiment shows a cause.
    """
    from fairlane.cli.reproduce import run_jobs
    from fairlane.runs.executors import Place
    from fairlane.study.explain import explanation_plan
    from fairlane.study.findings import findings
    from fairlane.study.joint.settings import Settings

    folder = results or Path("results") / study
    place = Place(at_a_time(jobs))
    for option, given in (("--only", only), ("--without", without), ("--save", save)):
        if given and not joint:
            raise bad_value(option, "needs --joint")
    if save and claim:
        raise bad_value("--save", "needs all claims; leave out CLAIM")
    loaded = study_named(study)
    if joint:
        settings = Settings(loaded, quick, repeats, only, without=without)
        echo(_joint(settings, claim, folder, place, save=save))
        return
    plan = explanation_plan(loaded, claim, quick=quick, repeats=repeats)
    run_jobs(study, list(plan.jobs), folder, place, quick=quick)
    wanted = {one.published.id for one in plan.claims}
    for verdict in findings(loaded, [], folder, quick=quick).judge(wanted):
        echo(_text(loaded, verdict, _width()) + "\n")


def _joint(settings: "Settings", ids: tuple[str, ...], folder: Path, place: "Place", *, save: bool) -> str:
    """Runs everything that is missing, judges it, and writes the result unless it is of a part."""
    from fairlane.cli.reproduce import run_jobs
    from fairlane.show.text.joint import claim_text, joint_text
    from fairlane.show.text.progress import Bar
    from fairlane.study.explain import claims_named
    from fairlane.study.joint import behaviour, saved
    from fairlane.study.joint.inputs import digest
    from fairlane.study.joint.judging import Judging, concerned, decidable
    from fairlane.study.rerun import StoredResults

    study, quick, part = settings.study, settings.quick, bool(settings.only or settings.without)
    inputs = digest(study)  # now: the files may change during the runs
    items = [] if ids else study.chosen(None)[0]
    claims = claims_named(study, ids)
    if part and not ids:
        claims, items = concerned(settings, claims, items)
    needs = Judging(settings, claims, items, StoredResults(study, folder, quick=quick)).all_needs
    run_jobs(study.name, settings.jobs(needs, items), folder, place, quick=quick)
    judging = Judging(settings, claims, items, StoredResults(study, folder, quick=quick))
    with Bar(len(list(settings.effects())), "settings judged") as bar:
        found = judging.judge(bar.step)
    if part and not ids:
        found = found.of(decidable(settings, claims))
    simulator = behaviour.digest(study, quick=quick)
    made = saved.Saved.of_judgement(found, inputs=inputs, behaviour=simulator, settings=settings)
    if ids:
        return "\n\n".join(claim_text(one.published, made.of(one.published.id), _width()) for one in claims)
    if save or not part:
        for target in (folder, study.folder) if save else (folder,):
            saved.write(target, made)
    text = joint_text(study.name, made, _width())
    return f"{text}\nNot judged, for want of runs: {', '.join(found.missing)}." if found.missing else text


def _width() -> int:
    return min(100, shutil.get_terminal_size().columns)


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
        lines.append(f"cause: {verdict.cause}{f' ({verdict.cause_remark})' if verdict.cause_remark else ''}")
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
        known = None if verdict.over is None else verdict.over.under(claim.variant)
        if known is not None:
            lines.append(f"this change {effect_text(known[0])}")
    settings = [] if verdict.over is None or not verdict.cause else over_lines(verdict.over)
    lines += settings
    if not settings and variant is None and verdict.cause and verdict.otherwise is None:
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
