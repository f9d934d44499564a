"""`fairlane show`: what an experiment file would run."""

from pathlib import Path

import click

from fairlane.cli.containment import trust_option
from fairlane.cli.help import ExampleCommand
from fairlane.cli.options import at_a_time, jobs, repeats_of_file, seed_of_file, store
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
    from fairlane.runs.sweep.preview import preview
    from fairlane.scenario.cautions import remarks
    from fairlane.scenario.load import load
    from fairlane.show.text.experiment_text import preview_text

    experiment, parallel = load(file, repeats=repeats, seed=seed), at_a_time(jobs)
    found = preview(experiment, results or Path("results") / experiment.name, parallel, str(file))
    echo(preview_text(experiment, found, parallel, None if everything else SHOWN))
    for line in remarks(experiment):
        echo(f"{file}: {line}", err=True)
