"""`fairlane compare`: what changed between two results."""

import contextlib
import sys
from pathlib import Path

import click

from fairlane.cli.backends import anywhere_option
from fairlane.cli.errors import bad_value, blamed_on
from fairlane.cli.help import ExampleCommand
from fairlane.cli.options import jobs, where
from fairlane.cli.results import filters, metric_names, metrics, metrics_from, open_results, output_format, per
from fairlane.cli.types import Quantity
from fairlane.results.metrics.catalogue import USUAL
from fairlane.runs.backends import SIMULATOR
from fairlane.scenario.units import probability
from fairlane.show.text.changes import FORMATS, render
from fairlane.show.text.terminal import echo


@click.command(
    cls=ExampleCommand,
    examples=[
        "fairlane compare results/before results/after",
        "fairlane compare before after --format junit > fairlane.xml",
        "fairlane compare before after --per group --metrics goodput_mbps --tolerance 5%",
        "fairlane compare before.toml after.toml --on dask://cluster.example.org:8786",
    ],
)
@click.argument("before", metavar="BEFORE", type=click.Path(path_type=Path))
@click.argument("after", metavar="AFTER", type=click.Path(path_type=Path))
@metric_names("The metrics to compare; `fairlane table --list` lists all.")
@per("The subject of the comparison: groups of flows, flows, runs or links.", default="run")
@click.option(
    "--tolerance",
    type=Quantity("SHARE", probability),
    default="1%",
    show_default=True,
    help="Ignore differences up to this share of the value before.",
)
@where("Only points with these values of an axis.")
@output_format(FORMATS, "Output format; json and junit contain all metrics, and junit is for CI systems.")
@click.option("--all", "everything", is_flag=True, help="Also show metrics that did not change.")
@jobs
@anywhere_option
@metrics_from
def command(
    before: Path,
    after: Path,
    metric_names: list[str] | None,
    per: str,
    tolerance: float,
    where: tuple[str, ...],
    form: str,
    everything: bool,
    jobs: int | None,
    on: str,
    metric_files: tuple[Path, ...],
) -> int:
    """Compare two results, with confidence intervals.

    BEFORE and AFTER are results folders of the same experiment, with different versions, algorithm files or settings;
    or experiment files, whose missing runs are computed first and stored in results/FILE without its ending.
    Intervals are 95 % BCa bootstrap intervals of the difference of the means; they need at least three repeats on each
    side, and ten are better. The exit status is 1 if a metric became worse by more than the tolerance and more than
    random variation; 0 otherwise.
    """
    files = [path for path in (before, after) if path.suffix == ".toml" and not path.is_dir()]
    if not files and (on != SIMULATOR or jobs is not None):
        raise bad_value("--on" if on != SIMULATOR else "--jobs", "needs an experiment file as BEFORE or AFTER")
    for file in files:
        _compute(file, jobs, on)
    first, second = (
        open_results(_results(path) if path in files else path, None, name)
        for path, name in ((before, "BEFORE"), (after, "AFTER"))
    )
    chosen = metrics("--metrics", metric_names or USUAL[per], metric_files)
    if metric_names is None:
        chosen = [metric for metric in chosen if metric.better]
    from fairlane.results.compare import CompareError, compare
    from fairlane.results.metrics import MetricError

    with blamed_on("--metrics", MetricError), blamed_on("AFTER", CompareError):
        found = compare(first, second, chosen, per=per, tolerance=tolerance, filters=filters(first, where))
    echo(render(found, first.axes, everything, form))
    return 1 if found.regressed else 0


def _results(file: Path) -> Path:
    """The folder of an experiment file's results; two files of one experiment have the same name inside."""
    return Path("results") / file.stem


def _compute(file: Path, jobs: int | None, on: str) -> None:
    """Computes what is missing, as `fairlane run` does; its output goes to standard error."""
    from fairlane.cli.run import command as run

    with contextlib.redirect_stdout(sys.stderr):
        click.get_current_context().invoke(run, file=file, jobs=jobs, results=_results(file), on=on)
