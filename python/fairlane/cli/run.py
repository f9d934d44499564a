"""`fairlane run`: an experiment file, all its runs."""

from pathlib import Path

import click

from fairlane.cli.errors import BadFile, RunFailed
from fairlane.cli.help import ExampleCommand
from fairlane.cli.types import WholeNumber

SHOWN_FAILURES = 5


@click.command(
    cls=ExampleCommand,
    examples=[
        "fairlane run buffers.toml",
        "fairlane run buffers.toml --repeats 20 --jobs 8 --results /data/buffers",
    ],
)
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path))
@click.option("--jobs", type=WholeNumber(1, 1024, 2), help="Runs at a time.  [default: one per CPU]")
@click.option("--repeats", type=WholeNumber(1, 1_000_000, 10), help="Runs of each point, in place of the file's.")
@click.option("--seed", type=WholeNumber(0, 2**63 - 1, 1), help="Seed of the first repeat, in place of the file's.")
@click.option(
    "--results",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Folder of the result store.  [default: results/NAME]",
)
def command(file: Path, jobs: int | None, repeats: int | None, seed: int | None, results: Path | None) -> None:
    """Run an experiment file and store the results.

    What is stored already is not run again: stopped or killed, the same command goes on where it was. Runs that
    fail are named at the end, and the others go on.
    """
    from fairlane.experiment.load import load
    from fairlane.experiment.mistakes import ExperimentError
    from fairlane.store.layout import StoreError
    from fairlane.sweep.progress import ProgressBar, show_duration
    from fairlane.sweep.run import Preparation, run
    from fairlane.workers import usable_cpus

    jobs = jobs or usable_cpus()
    bars: list[ProgressBar] = []

    def watch(missing: Preparation) -> ProgressBar:
        bars.append(ProgressBar(len(missing.tasks), missing.estimated_s, min(jobs, len(missing.tasks))))
        return bars[0]

    try:
        experiment = load(file, repeats=repeats, seed=seed)
        folder = results or Path("results") / experiment.name
        done = run(experiment, folder, jobs=jobs, source=str(file), watcher=watch)
    except ExperimentError as error:
        raise BadFile(str(error)) from None
    except StoreError as error:
        raise RunFailed(str(error)) from None
    except KeyboardInterrupt:
        for bar in bars:
            bar.finish()
        click.echo("what is finished is stored; the same command goes on from here", err=True)
        raise
    for bar in bars:
        bar.finish()
    for complaint in done.complaints:
        click.echo(f"fairlane: {complaint}; set aside, its runs were computed again", err=True)
    if done.saved:
        click.echo(f"{done.saved} runs of an earlier, unfinished call were saved", err=True)
    counts = [f"{done.report.computed} computed"] if done.report.computed else []
    counts += [f"{done.present} there already"] if done.present else []
    counts += [f"{done.report.elsewhere} by another process"] if done.report.elsewhere else []
    counts += [f"{len(done.failures)} failed"] if done.failures else []
    spent = f" in {show_duration(bars[0].elapsed_s)}" if bars else ""
    click.echo(f"{experiment.name}: {done.total} runs ({', '.join(counts) or 'none'}){spent}, in {folder}")
    if done.failures:
        lines = [f"  {failure.title}: {failure.message}" for failure in done.failures[:SHOWN_FAILURES]]
        more = len(done.failures) - SHOWN_FAILURES
        lines += [f"  and {more} more"] if more > 0 else []
        raise RunFailed("\n".join(["these runs failed; the same command tries them again:", *lines]))
