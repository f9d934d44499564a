"""`fairlane tune`: searches an algorithm's parameters."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fairlane.cli.backends import cluster_option, executor_of
from fairlane.cli.containment import containment_options
from fairlane.cli.errors import RunFailed, resumable
from fairlane.cli.help import ExampleCommand
from fairlane.cli.options import as_json, at_a_time, jobs, store
from fairlane.cli.types import OutputFile, WholeNumber
from fairlane.show.plots.figure import SUFFIXES
from fairlane.show.text.terminal import echo

if TYPE_CHECKING:
    from fairlane.runs.executors import Place
    from fairlane.search.tune.loading import LoadedTuning
    from fairlane.search.tune.search import Trial


@click.command(
    cls=ExampleCommand,
    examples=[
        "fairlane tune modest-bbr.toml",
        "fairlane tune modest-bbr.toml --trials 200 --plot pareto.png",
        "fairlane tune modest-bbr.toml --json",
    ],
)
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path))
@click.option("--trials", type=WholeNumber(1, 100_000, 50), help="Number of trials, instead of the file's.")
@jobs
@store
@click.option("--plot", type=OutputFile(SUFFIXES), help="Plot the trials: .png, .svg or .pdf.")
@as_json()
@cluster_option
@containment_options
def command(
    file: Path,
    trials: int | None,
    jobs: int | None,
    results: Path | None,
    plot: Path | None,
    as_json: bool,
    on: str,
) -> None:
    """Find Pareto-optimal parameters of an algorithm over a set of networks, for several objectives.

    After an interruption, the same command resumes: runs are stored, and each trial follows from the previous ones.
    With more trials it continues.
    """
    from fairlane.runs.executors import Place
    from fairlane.search.tune import loading

    tuning = loading.read(file)
    if trials is not None:
        tuning = loading.with_trials(tuning, trials)
    folder = results or Path("results") / tuning.name
    with executor_of(on, jobs) as executor, resumable():
        found = _search(tuning, folder, Place(executor.jobs if executor else at_a_time(jobs), executor))
    _show(tuning, found, folder, plot, as_json)


def _search(tuning: "LoadedTuning", folder: Path, place: "Place") -> "list[Trial]":
    from fairlane.search.tune.search import keep, search
    from fairlane.show.text.progress import Bar

    found: list[Trial] = []
    with Bar(tuning.form.trials, "trials") as bar:
        for trial in search(tuning, folder, place):
            found.append(trial)
            bar.step()
        keep(tuning, found, folder)
    return found


def _show(tuning: "LoadedTuning", found: "list[Trial]", folder: Path, plot: Path | None, as_json: bool) -> None:
    from fairlane.search.tune import report
    from fairlane.search.tune.search import front

    best = front(found, [objective.goal for objective in tuning.form.objectives])
    if not best:
        raise RunFailed(f"every trial failed; the first: {found[0].failure}")
    if plot:
        report.draw(plot, tuning, found, best)
    if as_json:
        echo(json.dumps(report.as_json(tuning, found, best)))
        return
    echo(report.report(tuning, found, best))
    echo(f"\n{report.summary(tuning, found, best, folder)}")
    if plot:
        echo(f"plot: {plot}")
