"""`fairlane reproduce`: a published study, run again."""

import shutil
from pathlib import Path

import click

from fairlane.cli.errors import RunFailed, bad_value
from fairlane.cli.help import ExampleCommand
from fairlane.cli.running import Progress
from fairlane.cli.types import WholeNumber


@click.command(
    cls=ExampleCommand,
    examples=["fairlane reproduce fiftyshades2019", "fairlane reproduce fiftyshades2019 --only baseline --out tables"],
)
@click.argument("study", metavar="STUDY")
@click.option("--only", metavar="NAME", help="Run this experiment of the study, not all.")
@click.option(
    "--out",
    default=Path("results"),
    show_default=True,
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Folder for tables and plots.",
)
@click.option("--jobs", type=WholeNumber(1, 1024, 2), help="Runs at a time.  [default: one per CPU]")
def command(study: str, only: str | None, out: Path, jobs: int | None) -> None:
    """Run a published study and show ours beside theirs.

    Prints each published table with our figures beside the paper's, and writes the figures and plots to a folder.
    """
    from fairlane.engine import algorithms
    from fairlane.locations import data_folder
    from fairlane.present import rerun as present
    from fairlane.study.experiment import StudyError, load, names
    from fairlane.study.rerun import RerunFailed, rerun
    from fairlane.wording import unknown

    studies = data_folder("studies")
    known = sorted(path.name for path in studies.iterdir() if path.is_dir())
    if study not in known:
        raise bad_value("STUDY", unknown("study", study, known))
    experiments = names(studies / study)
    if only is not None and only not in experiments:
        raise bad_value(
            "--only",
            unknown(f"experiment of {study}", only, experiments),
        )
    existing = {algorithm["name"] for algorithm in algorithms()}
    for name in [only] if only else experiments:
        folder = out / study / name
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise bad_value("--out", f"cannot make the folder '{folder}' ({error.strerror}); name another") from None
        try:
            experiment = load(studies / study / f"{name}.toml")
            progress = Progress(len(existing & set(experiment.networks)), "runs")
            done = rerun(experiment, existing, jobs=jobs, on_done=progress.step)
            progress.finish()
        except (StudyError, RerunFailed) as error:
            raise RunFailed(str(error)) from None
        click.echo(present.rerun_text(done, min(100, shutil.get_terminal_size().columns)))
        click.echo("\nWritten:")
        for file, write in (
            ("table.csv", present.write_table),
            ("over-time.png", present.draw_timeline),
            ("ours-and-paper.png", present.draw_bars),
        ):
            write(folder / file, done)
            click.echo(f"  {folder / file}")
