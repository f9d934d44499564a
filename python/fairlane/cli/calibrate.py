"""`fairlane calibrate`: fits the unknown settings of a study's testbeds."""

import json
from pathlib import Path

import click

from fairlane.cli import completion
from fairlane.cli.containment import trust_option
from fairlane.cli.errors import BadFile
from fairlane.cli.help import ExampleCommand
from fairlane.cli.options import as_json, at_a_time, folder_of_results, jobs
from fairlane.cli.studies import study_named
from fairlane.cli.types import WholeNumber
from fairlane.show.text.terminal import echo


@click.command(
    cls=ExampleCommand,
    examples=[
        "fairlane calibrate fiftyshades2019",
        "fairlane calibrate fiftyshades2019 one-flow --repeats 3",
    ],
)
@click.argument("study", metavar="STUDY", shell_complete=completion.studies)
@click.argument("testbed", metavar="[TESTBED]...", nargs=-1)
@folder_of_results("Folder of the results store.  [default: results/STUDY-calibration]")
@click.option("--repeats", type=WholeNumber(1, 1000, 1), default=1, help="Number of runs per point.  [default: 1]")
@jobs
@as_json("JSON with all combinations")
@trust_option
def command(
    study: str, testbed: tuple[str, ...], results: Path | None, repeats: int, jobs: int | None, as_json: bool
) -> None:
    """Fit testbed parameters that a paper omits.

    Runs each combination of the values that study.toml gives for the unknowns of a testbed, compares with the
    published numbers that it names for training, and validates the best combination, and the defaults, on the other
    published numbers of the same experiments. An error of 1.2 means that ours differ by a factor of 1.2, up or down, in
    the geometric mean.
    """
    from fairlane.cli.reproduce import run_jobs
    from fairlane.runs.executors import Place
    from fairlane.show.text.calibration_text import calibration_as_json, calibration_text
    from fairlane.study.calibration import Calibrating

    folder = results or Path("results") / f"{study}-calibration"
    found = {}
    loaded = study_named(study)
    trained = [name for name, one in loaded.file.testbeds.items() if one.training]
    if not trained:
        raise BadFile(
            f"{loaded.folder / 'study.toml'}: no testbed has unknowns to fit; add [testbeds.NAME] with `training`"
        )
    for name in testbed or trained:
        calibrating = Calibrating(loaded, name, folder, repeats)
        place = Place(at_a_time(jobs))
        run_jobs(study, calibrating.training_jobs(), folder, place)
        errors = calibrating.errors()
        run_jobs(study, calibrating.other_jobs(errors[0][1]), folder, place)
        found[name] = calibrating.result(errors)
        if not as_json:
            echo(calibration_text(loaded, name, found[name]) + "\n")
    if as_json:
        echo(
            json.dumps(
                {name: calibration_as_json(loaded.file.testbeds[name], one) for name, one in found.items()}, indent=2
            )
        )
