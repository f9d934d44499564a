"""`fairlane show`: what an experiment file would run."""

from pathlib import Path

import click

from fairlane.cli.errors import BadFile, RunFailed
from fairlane.cli.help import ExampleCommand
from fairlane.cli.types import WholeNumber

SHOWN = 30


@click.command(
    cls=ExampleCommand,
    examples=["fairlane show buffers.toml", "fairlane show buffers.toml --all", "fairlane show --schema > schema.json"],
)
@click.argument("file", metavar="FILE", required=False, type=click.Path(path_type=Path))
@click.option("--all", "everything", is_flag=True, help=f"Print every point, not only {SHOWN}.")
@click.option("--jobs", type=WholeNumber(1, 1024, 2), help="Runs at a time.  [default: one per CPU]")
@click.option("--repeats", type=WholeNumber(1, 1_000_000, 10), help="Runs of each point, in place of the file's.")
@click.option("--seed", type=WholeNumber(0, 2**63 - 1, 1), help="Seed of the first repeat, in place of the file's.")
@click.option(
    "--results",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Folder of the result store.  [default: results/NAME]",
)
@click.option("--schema", is_flag=True, help="Print the JSON Schema of experiment files, for editors.")
def command(
    file: Path | None,
    everything: bool,
    jobs: int | None,
    repeats: int | None,
    seed: int | None,
    results: Path | None,
    schema: bool,
) -> None:
    """Print what an experiment file would run.

    Checks the file as `fairlane run` does, and prints the points of its sweep, how many runs are stored already, and
    about how long the rest takes and how much disk it needs. Warns of a link whose queue never ends because no buffer
    is given, and of a bucket too small for a full packet.
    """
    if schema:
        from fairlane.experiment.schema import FILE

        click.echo(FILE.read_text(encoding="utf-8"), nl=False)
        return
    if file is None:
        raise click.MissingParameter(param_type="argument", param_hint="FILE")
    from fairlane.experiment.load import load
    from fairlane.experiment.mistakes import ExperimentError
    from fairlane.experiment.remarks import remarks
    from fairlane.present.table import LEFT, RIGHT, text_table
    from fairlane.store.layout import StoreError
    from fairlane.store.store import Store
    from fairlane.sweep.machine import AS_FITTED, slowness
    from fairlane.sweep.progress import show_duration
    from fairlane.sweep.run import check, plan, prepare
    from fairlane.units import show_bytes
    from fairlane.workers import usable_cpus

    jobs = jobs or usable_cpus()
    try:
        experiment = load(file, repeats=repeats, seed=seed)
        store = Store.at(results or Path("results") / experiment.name)
        planned = plan(experiment)
        missing = prepare(experiment, planned, store.keys)
        check(experiment, missing, str(file))
    except ExperimentError as error:
        raise BadFile(str(error)) from None
    except StoreError as error:
        raise RunFailed(str(error)) from None
    absent = {task.run for task in missing.tasks}
    rows, runs = [], iter(planned.runs)
    for point in experiment.points:
        own = [next(runs) for _ in range(point.repeats)]
        labels = [*point.labels]
        seeds = f"{own[0].seed}" if len(own) == 1 else f"{own[0].seed} to {own[-1].seed}"
        rows.append([*labels, seeds, f"{sum(one.run not in absent for one in own)} of {len(own)}"])
    shown = rows if everything else rows[:SHOWN]
    headings = [*((axis.name, LEFT) for axis in experiment.axes), ("seeds", RIGHT), ("stored", RIGHT)]
    click.echo(text_table(headings, shown))
    if len(shown) < len(rows):
        click.echo(f"... and {len(rows) - len(shown)} more; --all prints them")
    click.echo()
    points = f"{len(rows)} point{'s' if len(rows) > 1 else ''}"
    runs_in_all = f"{len(planned.runs)} run{'s' if len(planned.runs) > 1 else ''}"
    click.echo(f"{experiment.name}: {points}, {runs_in_all}, {len(missing.tasks)} of them to compute")
    if missing.tasks:
        used = min(jobs, len(missing.tasks))
        spent_s = slowness(used, AS_FITTED.seconds(missing.work) / used).seconds(missing.work) / used
        size = show_bytes(missing.estimated_bytes)
        click.echo(f"about {show_duration(spent_s)} with {jobs} jobs, about {size} on disk")
    for line in remarks(experiment):
        click.echo(f"{file}: {line}", err=True)
