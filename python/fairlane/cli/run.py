"""`fairlane run`: all runs of an experiment file."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fairlane.cli.backends import anywhere_option, executor_of, is_cluster, place_of
from fairlane.cli.containment import containment_options
from fairlane.cli.errors import bad_value, blamed_on, report_failures, resumable
from fairlane.cli.help import ExampleCommand
from fairlane.cli.options import at_a_time, jobs, repeats_of_file, seed_of_file, store, threads
from fairlane.cli.results import metrics
from fairlane.cli.types import NameList, Quantity, WholeNumber
from fairlane.runs.backends import SIMULATOR
from fairlane.scenario.units import probability
from fairlane.show.text.terminal import echo

if TYPE_CHECKING:
    from fairlane.runs.sweep.adaptive import Outcome


@click.command(
    cls=ExampleCommand,
    examples=[
        "fairlane run buffers.toml",
        "fairlane run buffers.toml --repeats 20 --jobs 8 --results /data/buffers",
        "fairlane run rrul",
        "fairlane run buffers.toml --until-ci 2% --max-repeats 200",
        "fairlane run buffers.toml --on vm:debian-12",
        "fairlane run buffers.toml --on dask://cluster.example.org:8786",
    ],
)
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path))
@jobs
@threads
@repeats_of_file
@seed_of_file
@click.option(
    "--until-ci",
    type=Quantity("SHARE", probability),
    help="Repeat each point until the 95 % confidence intervals are within ± this share of the means.",
)
@click.option(
    "--ci-metrics",
    type=NameList(),
    help="The flow metrics that `--until-ci` checks, for each group of flows.  [default: goodput_mbps]",
)
@click.option(
    "--max-repeats", type=WholeNumber(3, 100_000, 200), default=100, show_default=True, help="The limit of --until-ci."
)
@store
@anywhere_option
@containment_options
def command(
    file: Path,
    jobs: int | None,
    repeats: int | None,
    seed: int | None,
    until_ci: float | None,
    ci_metrics: list[str] | None,
    max_repeats: int,
    results: Path | None,
    on: str,
) -> None:
    """Run an experiment file and store the results.

    FILE can be the name of a template of `fairlane new`, which is run as it stands: `fairlane run rrul`.

    Runs that are already stored are not repeated: after an interruption, the same command resumes. Runs that fail
    are reported at the end and do not stop the others. Prints the same warnings as `fairlane show`.
    """
    from fairlane import engine
    from fairlane.runs.sweep.adaptive import FIRST, Outcome, Precision
    from fairlane.runs.sweep.runner import run
    from fairlane.scenario.cautions import remarks
    from fairlane.scenario.document import TEMPLATES
    from fairlane.scenario.load import load
    from fairlane.show.text.experiment_text import outcome_line, precision_text, repair_lines
    from fairlane.show.text.progress import SweepBars

    place = place_of(SIMULATOR if is_cluster(on) else on)
    precision = None
    if until_ci is not None:
        if until_ci == 0:
            raise bad_value("--until-ci", "no number of repeats gives an interval of zero width; write for example 2%")
        precision = Precision(until_ci, tuple(metrics("--ci-metrics", ci_metrics or ["goodput_mbps"], [])), max_repeats)
        repeats = max(repeats or FIRST, FIRST)
    elif ci_metrics:
        raise bad_value("--ci-metrics", "needs --until-ci, for example --until-ci 2%")

    if not file.suffix and not file.exists() and file.name in TEMPLATES and file == Path(file.name):
        file = TEMPLATES[file.name]
    experiment = load(file, repeats=repeats, seed=seed)
    folder = results or Path("results") / experiment.name
    for line in (*remarks(experiment), *place.notes(point.point.repeat(0) for point in experiment.points)):
        echo(f"{file}: {line}", err=True)
    with executor_of(on, jobs) as executor, resumable():
        parallel = executor.jobs if executor else jobs or max(1, at_a_time(None) // engine.threads())
        with SweepBars(parallel, executor.where if executor else lambda: "") as bars:
            options: dict[str, Any] = {
                "jobs": parallel, "source": str(file), "watcher": bars.watch, "executor": executor, "on": place.backend
            }  # fmt: skip
            if precision:
                outcome = _until(experiment, folder, precision, **options)
            else:
                outcome = Outcome((run(experiment, folder, **options),), (), (0, 0))
    for line in repair_lines(outcome):
        echo(line, err=True)
    echo(outcome_line(experiment.name, folder, outcome, bars.elapsed_s))
    for line in _checks(folder, experiment.name):
        echo(line)
    report_failures(outcome.rounds[-1].failures)
    if precision:
        echo(precision_text(outcome, precision))


def _checks(folder: Path, name: str) -> list[str]:
    """Limits other than congestion control that held the flows, and algorithms that behave alike."""
    from fairlane.results.identical_algorithms import sentences
    from fairlane.results.limits import limits_text, warnings_of
    from fairlane.results.tables import ResultTables

    results = ResultTables(folder, name, light=True)
    if results.is_empty:
        return []
    checks = (limits_text(results), *(f"check: {text}" for text in sentences(results)), *warnings_of(results))
    return [line for line in checks if line]


def _until(*arguments: Any, **options: Any) -> "Outcome":
    from fairlane.results.metrics import MetricError  # with numpy, which takes 0.1 s to load
    from fairlane.runs.sweep.adaptive import run_until

    with blamed_on("--ci-metrics", MetricError):
        return run_until(*arguments, **options)
