"""`fairlane show`: what an experiment file would run."""

from pathlib import Path

import click

from fairlane.cli.containment import trust_option
from fairlane.cli.help import ExampleCommand
from fairlane.cli.options import jobs, repeats_of_file, seed_of_file, store
from fairlane.show.text.terminal import echo

SHOWN = 30


@click.command(
    cls=ExampleCommand,
    examples=["fairlane show buffers.toml", "fairlane show buffers.toml --all", "fairlane show --schema > schema.json"],
)
@click.argument("file", metavar="FILE", required=False, type=click.Path(path_type=Path))
@click.option("--all", "everything", is_flag=True, help=f"Print every point, not only {SHOWN}.")
@jobs
@repeats_of_file
@seed_of_file
@store
@click.option("--schema", is_flag=True, help="Print the JSON Schema of experiment files, for editors.")
@trust_option
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

    Checks the file as `fairlane run` does. Prints the points of its sweep, how many runs are already stored, and an
    estimate of the time and disk space for the rest. Warns about a link whose queue is unbounded because no buffer
    is given, and about a token bucket that is too small for a full packet.
    """
    if schema:
        from fairlane.scenario.schema import text

        echo(text(), nl=False)
        return
    if file is None:
        raise click.MissingParameter(param_type="argument", param_hint="FILE")
    from fairlane.engine.messages import counted, show_duration
    from fairlane.results.store.store import Store
    from fairlane.runs.executors.processes import usable_cpus
    from fairlane.runs.sweep.runner import check, plan, prepare
    from fairlane.runs.sweep.time_estimate import measure
    from fairlane.scenario.cautions import remarks
    from fairlane.scenario.load import load
    from fairlane.scenario.units import show_bytes
    from fairlane.show.text.aligned import LEFT, RIGHT, text_table

    jobs = jobs or usable_cpus()
    experiment = load(file, repeats=repeats, seed=seed)
    stored = Store.at(results or Path("results") / experiment.name)
    planned = plan(experiment)
    missing = prepare(experiment, planned, stored.keys)
    check(experiment, missing, str(file))
    absent = {task.run for task in missing.tasks}
    rows, runs = [], iter(planned.runs)
    for point in experiment.points:
        own = [next(runs) for _ in range(point.repeats)]
        labels = [*point.labels]
        seeds = f"{own[0].seed}" if len(own) == 1 else f"{own[0].seed} to {own[-1].seed}"
        rows.append([*labels, seeds, f"{sum(one.run not in absent for one in own)} of {len(own)}"])
    shown = rows if everything else rows[:SHOWN]
    headings = [*((axis.name, LEFT) for axis in experiment.axes), ("seeds", RIGHT), ("stored", RIGHT)]
    echo(text_table(headings, shown))
    if len(shown) < len(rows):
        echo(f"... and {len(rows) - len(shown)} more; --all prints them")
    echo()
    points = counted(len(rows), "point")
    runs_in_all = counted(len(planned.runs), "run")
    echo(f"{experiment.name}: {points}, {runs_in_all}, {len(missing.tasks)} of them to compute")
    if missing.tasks:
        used = min(jobs, len(missing.tasks))
        speed = measure(list(missing.scenarios.values()), used)
        spent_s = speed.seconds(task.work for task in missing.tasks) / used
        size = show_bytes(missing.disk_bytes)
        echo(f"about {show_duration(spent_s)} with {jobs} jobs, about {size} on disk")
    for line in remarks(experiment):
        echo(f"{file}: {line}", err=True)
