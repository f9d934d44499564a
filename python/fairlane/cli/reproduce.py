"""`fairlane reproduce`: a published study, run again."""

import shutil
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fairlane.cli.errors import BadFile, RunFailed, bad_value
from fairlane.cli.help import ExampleCommand
from fairlane.cli.types import WholeNumber

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fairlane.store.results import Results
    from fairlane.study.compare import Comparison
    from fairlane.study.rerun import Cost, Job
    from fairlane.study.study import Item, Study

ESTIMATE_FROM_S = 10.0
"""Less work than this needs no estimate."""
SHOWN_FAILURES = 5


@click.command(
    cls=ExampleCommand,
    examples=[
        "fairlane reproduce fiftyshades2019",
        "fairlane reproduce elephants2023 --quick",
        "fairlane reproduce elephants2023 --only figure-2 --repeats 1",
    ],
)
@click.argument("study", metavar="STUDY")
@click.option(
    "--only", metavar="NAME", multiple=True, help="Only this table, figure or experiment of the study; may be repeated."
)
@click.option("--quick", is_flag=True, help="A subset that takes minutes; the study says which.")
@click.option("--repeats", type=WholeNumber(1, 1_000_000, 1), help="Runs of each point, in place of the study's.")
@click.option("--seed", type=WholeNumber(0, 2**63 - 1, 1), help="Seed of the first repeat, in place of the study's.")
@click.option("--jobs", type=WholeNumber(1, 1024, 2), help="Runs at a time.  [default: one per CPU]")
@click.option(
    "--results",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Folder of the result store, tables and pictures.  [default: results/STUDY]",
)
@click.option("--estimate", "only_estimate", is_flag=True, help="Say what it would cost, and run nothing.")
def command(
    study: str,
    only: tuple[str, ...],
    quick: bool,
    repeats: int | None,
    seed: int | None,
    jobs: int | None,
    results: Path | None,
    only_estimate: bool,
) -> None:
    """Run a published study and show ours beside theirs.

    Says first what it will cost, then runs what the folder does not have yet: stopped or killed, the same command goes
    on where it was. Prints each table and the data of each figure with our numbers beside the paper's, and writes them
    and pictures to the folder.
    """
    from fairlane.experiment.mistakes import ExperimentError
    from fairlane.locations import data_folder
    from fairlane.present.waiting import waiting_text
    from fairlane.store.layout import StoreError
    from fairlane.study.rerun import jobs_for
    from fairlane.study.study import StudyError, load, names
    from fairlane.wording import unknown
    from fairlane.workers import usable_cpus

    studies = data_folder("studies")
    known = names(studies)
    if study not in known:
        raise bad_value("STUDY", unknown("study", study, known))
    folder = results or Path("results") / study
    try:
        loaded = load(studies / study)
        work, shown = [], []
        for one in only or [None]:
            try:
                items, experiments = loaded.chosen(one)
            except StudyError as error:
                raise bad_value("--only", str(error)) from None
            whole = one is None or one in loaded.file.experiments
            work += jobs_for(loaded, items, experiments, quick=quick, whole=whole, repeats=repeats, seed=seed)
            shown += [item for item in items if item not in shown]
        _run(study, work, shown, folder, jobs or usable_cpus(), quick, only_estimate)
        if not only_estimate:
            click.echo(f"{loaded.file.paper}\n")
            _show(loaded, shown, folder, quick, work, judge=not only)
        elif not only and loaded.file.waiting:
            click.echo(f"\n{waiting_text(loaded)}")
    except (ExperimentError, StudyError) as error:
        raise BadFile(str(error)) from None
    except StoreError as error:
        raise RunFailed(str(error)) from None


def _run(
    study: str, work: "list[Job]", items: "list[Item]", folder: Path, jobs: int, quick: bool, only_estimate: bool
) -> None:
    """Says what it costs, and runs what is missing."""
    from fairlane.study.showing import showing_s
    from fairlane.sweep.progress import meanwhile

    with meanwhile("looking which runs are missing"):
        costs = [job.cost(folder) for job in work]
    if only_estimate or sum(cost.estimated_s for cost in costs) > ESTIMATE_FROM_S:
        form = " in its quick form" if quick else ""
        show_s = showing_s(items, work, sum(cost.runs for cost in costs))
        with meanwhile("testing how fast this machine is"):
            text = _cost_text(costs, jobs, show_s)
        click.echo(f"{study}{form}: {text}", err=not only_estimate)
    if only_estimate:
        return
    for job, cost in zip(work, costs, strict=True):
        if cost.missing:
            _run_job(job, folder, jobs)


def _cost_text(costs: "list[Cost]", jobs: int, show_s: float) -> str:
    """What is to come, for people. `show_s` is how long it takes to show the results of the runs."""
    from fairlane.sweep.estimate import Work
    from fairlane.sweep.machine import AS_FITTED, slowness
    from fairlane.sweep.progress import show_duration
    from fairlane.units import show_bytes

    total = sum(cost.runs for cost in costs)
    different = len(set[str]().union(*(cost.different for cost in costs)))
    missing: dict[str, Work] = {}
    for cost in costs:
        missing |= cost.missing
    parts = [f"{total} runs"]
    parts += [f"{total - different} the same as others"] if different < total else []
    parts += [f"{different - len(missing)} there already"] if len(missing) < different else []
    if missing:
        used = min(jobs, len(missing))
        here = slowness(used, AS_FITTED.seconds(missing.values()) / used + show_s)
        cpu_s = here.seconds(missing.values())
        wall_s = cpu_s / used + here.few * show_s
        cpu = f"{cpu_s / 3600:.2g} CPU hours" if cpu_s > 360 else f"{max(1, round(cpu_s))} CPU seconds"
        processors = f"{used} processors" if used > 1 else "one processor"
        size = show_bytes(sum(cost.missing_bytes for cost in costs))
        parts.append(f"about {cpu}, that is {show_duration(wall_s)} on {processors}, and {size} on disk")
    return "; ".join(parts)


def _run_job(job: "Job", folder: Path, jobs: int) -> None:
    from fairlane.sweep.progress import ProgressBar, show_duration
    from fairlane.sweep.run import Preparation

    bars: list[ProgressBar] = []

    def watch(missing: Preparation) -> ProgressBar:
        bars.append(ProgressBar(missing.tasks, jobs))
        return bars[0]

    try:
        done = job.run(folder, jobs, watch)
    except KeyboardInterrupt:
        click.echo("what is finished is stored; the same command goes on from here", err=True)
        raise
    finally:
        for bar in bars:
            bar.finish()
    for complaint in done.complaints:
        click.echo(f"fairlane: {complaint}; set aside, its runs were computed again", err=True)
    if bars and bars[0].elapsed_s > ESTIMATE_FROM_S:
        click.echo(f"{job.name}: {done.report.computed} runs in {show_duration(bars[0].elapsed_s)}", err=True)
    if done.failures:
        lines = [f"  {failure.title}: {failure.message}" for failure in done.failures[:SHOWN_FAILURES]]
        more = len(done.failures) - SHOWN_FAILURES
        lines += [f"  and {more} more"] if more > 0 else []
        raise RunFailed("\n".join(["these runs failed; the same command tries them again:", *lines]))


def _show(study: "Study", items: "list[Item]", folder: Path, quick: bool, work: "list[Job]", *, judge: bool) -> None:
    """Prints and writes each table and figure, and the verdicts on the paper's claims."""
    from fairlane.present import comparison as present
    from fairlane.present.claims import rulings_text
    from fairlane.present.claims import write_csv as write_rulings
    from fairlane.present.table import FEW_REPEATS
    from fairlane.present.waiting import waiting_text
    from fairlane.study.findings import findings
    from fairlane.sweep.progress import meanwhile

    width = min(100, shutil.get_terminal_size().columns)
    with meanwhile("comparing with the paper"):
        found = findings(study, items, folder, quick=quick)
    written = []
    for comparison in found.comparisons:
        item = comparison.item
        click.echo(present.comparison_text(comparison))
        if item.note:
            click.echo("\n" + textwrap.fill(item.note, width))
        click.echo("")
        if comparison.rows:
            written += _write(folder / item.name, comparison, found.results)
    few = [FEW_REPEATS] if any(comparison.has_few_repeats for comparison in found.comparisons) else []
    for text in [*few, *_remarks(study, work, quick)]:
        click.echo(textwrap.fill(text, width, subsequent_indent="  "))
    if judge and study.file.waiting:
        click.echo(f"\n{waiting_text(study)}")
    if judge and study.has_claims:
        with meanwhile("judging the paper's claims"):
            rulings = found.judge()
        click.echo(f"\n{rulings_text(rulings, width)}")
        written.append(folder / "claims.csv")
        write_rulings(written[-1], rulings)
    click.echo("\nWritten:")
    for path in written:
        click.echo(f"  {path}")


def _remarks(study: "Study", work: "list[Job]", quick: bool) -> list[str]:
    parts = {job.name: study.file.experiments[job.name] for job in work}
    remarks = [f"Quick form: {study.file.quick}"] if quick and study.file.quick else []
    differences = {text: name for part in parts.values() for name, text in part.differences.items()}
    remarks += [f"Differs, {name}: {text}" for text, name in differences.items()]
    assumed = dict.fromkeys(name for part in parts.values() for name in part.assumptions)
    if assumed:
        words = ", ".join(assumed)
        remarks.append(f"Assumed, because the paper does not say: {words}. Reasons: studies/{study.name}/study.toml")
    return remarks


def _write(folder: Path, comparison: "Comparison", results: "Mapping[str, Results]") -> list[Path]:
    from fairlane.present import comparison as present
    from fairlane.present import comparison_pictures as pictures
    from fairlane.present.comparison_timelines import draw_timelines

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RunFailed(f"cannot make the folder '{folder}' ({error.strerror}); name another") from None
    table, picture = folder / "table.csv", folder / "ours-and-paper.png"
    present.write_csv(table, comparison)
    pictures.draw_comparison(picture, comparison)
    written = [table, picture]
    if comparison.item.timeline:
        written += draw_timelines(folder, comparison, results)
    return written
