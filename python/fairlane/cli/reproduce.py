"""`fairlane reproduce`: reruns a published study."""

import re
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fairlane.cli import completion
from fairlane.cli.backends import anywhere_option, executor_of, is_cluster, place_of
from fairlane.cli.containment import trust_option
from fairlane.cli.errors import blamed_on, report_failures, resumable, writing
from fairlane.cli.help import ExampleCommand
from fairlane.cli.options import at_a_time, folder_of_results, jobs
from fairlane.cli.studies import study_named
from fairlane.cli.types import WholeNumber
from fairlane.runs.backends import SIMULATOR
from fairlane.show.text.terminal import echo

if TYPE_CHECKING:
    from fairlane.runs.executors import Place
    from fairlane.study.paper.definition import Item, Study
    from fairlane.study.rerun import Cost, Job

ESTIMATE_FROM_S = 10.0
"""Less work than this needs no estimate."""


@click.command(
    cls=ExampleCommand,
    examples=[
        "fairlane reproduce fiftyshades2019",
        "fairlane reproduce elephants2023 --quick",
        "fairlane reproduce elephants2023 --only figure-2 --repeats 1",
        "fairlane reproduce elephants2023 --only fifo --where rate=100mbit --where buffer=2bdp",
        "fairlane reproduce modestbbr --only figure-4 --repeats 1 --on vm:debian-13",
    ],
)
@click.argument("study", metavar="STUDY", shell_complete=completion.studies)
@click.option(
    "--only",
    metavar="NAME",
    multiple=True,
    shell_complete=completion.parts_of_study,
    help="Only this table, figure or experiment of the study; repeatable.",
)
@click.option(
    "--where",
    metavar="AXIS=VALUE[,VALUE]",
    multiple=True,
    shell_complete=completion.axes,
    help="Only the points of its sweeps with these values of an axis; repeatable.",
)
@click.option("--quick", is_flag=True, help="Run a subset that takes minutes; the study defines it.")
@click.option("--repeats", type=WholeNumber(1, 1_000_000, 1), help="Number of runs per point, instead of the study's.")
@click.option("--seed", type=WholeNumber(0, 2**63 - 1, 1), help="Seed of the first repeat, instead of the study's.")
@jobs
@folder_of_results("Folder of the results store, tables and plots.  [default: results/STUDY]")
@click.option(
    "--estimate", "only_estimate", is_flag=True, help="Print an estimate of time and disk space, and run nothing."
)
@anywhere_option
@trust_option
def command(
    study: str,
    only: tuple[str, ...],
    where: tuple[str, ...],
    quick: bool,
    repeats: int | None,
    seed: int | None,
    jobs: int | None,
    results: Path | None,
    only_estimate: bool,
    on: str,
) -> None:
    """Rerun a published study and compare the results with the paper.

    Estimates the time and disk space, then computes the runs that are not stored: after an interruption, the same
    command resumes. Prints each table and the data of each figure with our values next to the paper's, and writes them
    and plots to the folder.
    """
    from fairlane.results.filters import FilterError
    from fairlane.runs.executors import Place
    from fairlane.show.comparison.comparison_text import unsupported_text
    from fairlane.study import claims
    from fairlane.study.paper.definition import StudyError
    from fairlane.study.rerun import jobs_for, narrowed

    loaded = study_named(study)
    if loaded.has_claims and not (only_estimate or only or where):
        claims.load(loaded.folder)  # what is wrong with them is said before the runs
    backend = place_of(SIMULATOR if is_cluster(on) else on).backend
    folder = results or Path("results") / (study if backend == SIMULATOR else f"{study}-on-{_file_name(on)}")
    work, shown = [], []
    for one in only or [None]:
        with blamed_on("--only", StudyError):
            items, experiments = loaded.chosen(one)
        whole = one is None or one in loaded.file.experiments
        work += jobs_for(loaded, items, experiments, quick=quick, whole=whole, repeats=repeats, seed=seed)
        shown += [item for item in items if item not in shown]
    with blamed_on("--where", FilterError):
        work = narrowed(work, where)
    with executor_of("" if only_estimate else on, jobs) as executor:
        place = Place(executor.jobs if executor else at_a_time(jobs), executor, backend)
        run_jobs(study, work, folder, place, items=shown, quick=quick, only_estimate=only_estimate)
    if not only_estimate:
        echo(f"{loaded.file.paper}\n")
        place_words = "" if backend == SIMULATOR else f" --on {on}"
        _show(loaded, shown, folder, quick, work, place_words, judge=not (only or where))
    elif not only and loaded.file.unsupported:
        echo(f"\n{unsupported_text(loaded)}")


def run_jobs(
    study: str,
    work: "list[Job]",
    folder: Path,
    place: "Place",
    *,
    items: "Sequence[Item]" = (),
    quick: bool = False,
    only_estimate: bool = False,
) -> None:
    """Prints the estimate, with the time that `items` take to show, and computes the missing runs."""
    from fairlane.results.store.layout import Layout
    from fairlane.results.store.plans import load_all
    from fairlane.show.text.progress import meanwhile
    from fairlane.show.text.study_text import cost_text, kernel_cost_text
    from fairlane.study.rerun import showing_s

    with meanwhile("checking which runs are missing"):
        costs = _costs(work, folder, place.backend)
    expected_s = sum(size.seconds for cost in costs for _, size in cost.missing.values())
    if only_estimate or expected_s > ESTIMATE_FROM_S:
        form = ", quick subset" if quick else ""
        show_s = showing_s(items, work, sum(cost.runs for cost in costs))
        with meanwhile("measuring the speed of this machine"):
            simulated = place.backend == SIMULATOR
            text = cost_text(costs, place.jobs, show_s) if simulated else kernel_cost_text(costs, place.backend)
        echo(f"{study}{form}: {text}", err=not only_estimate)
    if only_estimate:
        return
    planned = {plan.experiment: {run.run for run in plan.runs} for plan in load_all(Layout(folder))}
    for job, cost in zip(work, costs, strict=True):
        # Equal runs may be stored for another experiment: then only the plan is missing, or that of a former version.
        if cost.missing or not cost.different <= planned.get(job.experiment.name, set()):
            _run_job(job, folder, place)


def _costs(work: "list[Job]", folder: Path, backend: str) -> "list[Cost]":
    """The cost of each job. Raises ExperimentError with everything that the backend refuses."""
    from fairlane.scenario.diagnostics import ExperimentError

    costs: list[Cost] = []
    problems: list[str] = []
    for job in work:
        try:
            costs.append(job.cost(folder, backend))
        except ExperimentError as error:
            problems += error.lines
    if problems:
        raise ExperimentError(problems)
    return costs


def _file_name(place: str) -> str:
    """A place as a part of a folder's name."""
    return re.sub(r"[^A-Za-z0-9.]+", "-", place).strip("-")


def _run_job(job: "Job", folder: Path, place: "Place") -> None:
    from fairlane.engine.messages import counted, show_duration
    from fairlane.show.text.progress import SweepBars

    with resumable(), SweepBars(place.jobs, place.executor.where if place.executor else lambda: "") as bars:
        done = job.run(folder, place.jobs, bars.watch, place.executor, place.backend)
    for complaint in done.complaints:
        echo(f"fairlane: {complaint}; set aside; its runs were computed again", err=True)
    if bars.elapsed_s > ESTIMATE_FROM_S:
        echo(f"{job.name}: {counted(done.report.computed, 'run')} in {show_duration(bars.elapsed_s)}", err=True)
    report_failures(done.failures)


def _show(
    study: "Study", items: "list[Item]", folder: Path, quick: bool, work: "list[Job]", on: str, *, judge: bool
) -> None:
    """Prints and writes each table and figure, and the verdicts on the paper's claims."""
    from fairlane.results.identical_algorithms import sentences_of_study
    from fairlane.show.comparison.comparison_text import comparison_text, unsupported_text, write_comparison
    from fairlane.show.comparison.study_summary import summary
    from fairlane.show.text.aligned import FEW_REPEATS
    from fairlane.show.text.progress import meanwhile
    from fairlane.show.text.study_text import study_remarks
    from fairlane.show.text.terminal import width
    from fairlane.show.text.verdicts import verdicts_text
    from fairlane.show.text.verdicts import write_csv as write_verdicts
    from fairlane.study.claims import Status
    from fairlane.study.findings import findings

    with meanwhile("comparing with the paper"):
        found = findings(study, items, folder, quick=quick)
    for comparison in found.comparisons:
        item = comparison.item
        echo(comparison_text(comparison))
        if item.note:
            echo("\n" + textwrap.fill(item.note, width()))
        echo("")
        if comparison.rows:
            with writing("folder"):
                write_comparison(folder / item.name, comparison, found.results)
    few = [FEW_REPEATS] if any(comparison.has_few_repeats for comparison in found.comparisons) else []
    for text in [*few, *study_remarks(study, work, quick), *sentences_of_study(found.results)]:
        echo(textwrap.fill(text, width(), subsequent_indent="  "))
    with meanwhile("checking the paper's claims"):
        verdicts = found.judge()
    if judge and study.file.unsupported:
        echo(f"\n{unsupported_text(study)}")
    if judge and study.has_claims:
        echo(f"\n{verdicts_text(verdicts, width(), study.file.variants)}")
        with writing("folder"):
            write_verdicts(folder / "claims.csv", verdicts)
    again = None if judge and not quick else f"fairlane reproduce {study.name}{on}"
    judged = [one for one in verdicts if one.status is not Status.NOT_RUN] if study.has_claims else None
    echo(f"\n{summary(judged, found.comparisons, folder, again, width())}")
