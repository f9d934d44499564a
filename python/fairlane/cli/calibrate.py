"""`fairlane calibrate`: fits the unknown settings of a study's testbeds."""

import json
import math
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fairlane.cli import completion
from fairlane.cli.containment import trust_option
from fairlane.cli.errors import BadFile
from fairlane.cli.help import ExampleCommand
from fairlane.cli.options import as_json, folder_of_results, jobs
from fairlane.cli.studies import study_named
from fairlane.cli.types import WholeNumber
from fairlane.show.text.terminal import echo

if TYPE_CHECKING:
    from fairlane.study.calibration import Calibration, Fit
    from fairlane.study.paper.definition import Study, Testbed

SHOWN = 8
"""The combinations that the text shows; --json has all."""


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
    from fairlane.runs.executors.processes import usable_cpus
    from fairlane.study.calibration import Calibrating

    folder = results or Path("results") / f"{study}-calibration"
    found = {}
    with study_named(study) as loaded:
        trained = [name for name, one in loaded.file.testbeds.items() if one.training]
        if not trained:
            raise BadFile(
                f"{loaded.folder / 'study.toml'}: no testbed has unknowns to fit; add [testbeds.NAME] with `training`"
            )
        for name in testbed or trained:
            calibrating = Calibrating(loaded, name, folder, repeats)
            place = Place(jobs or usable_cpus())
            run_jobs(study, calibrating.training_jobs(), folder, place)
            errors = calibrating.errors()
            run_jobs(study, calibrating.other_jobs(errors[0][1]), folder, place)
            found[name] = calibrating.result(errors)
            if not as_json:
                echo(_text(loaded, name, found[name]) + "\n")
    if as_json:
        echo(json.dumps({name: _as_dict(loaded.file.testbeds[name], one) for name, one in found.items()}, indent=2))


def _text(study: "Study", name: str, found: "Calibration") -> str:
    from fairlane.show.text.aligned import LEFT, RIGHT, text_table

    testbed = study.file.testbeds[name]
    lines = [f"{study.name}, {name}: {testbed.title}", ""]
    for unknown, one in testbed.unknowns.items():
        lines.append(textwrap.fill(f"{unknown} ({', '.join(one.keys)}): {one.reason}", 100, subsequent_indent="  "))
    columns = [(unknown, RIGHT) for unknown in testbed.unknowns]
    rows = [[*map(str, fit.values.values()), f"{fit.training:.3f}"] for fit in found.fits[:SHOWN]]
    lines += ["", text_table([*columns, ("training error", RIGHT)], rows)]
    if len(found.fits) > SHOWN:
        lines.append(f"and {len(found.fits) - SHOWN} more")
    compared = [
        (title, *map(str, fit.values.values()), f"{fit.training:.3f}", f"{fit.held_out:.3f}")
        for title, fit in (("best fit", found.best), ("defaults", found.default))
    ]
    head = [("", LEFT), *columns, (f"error, {found.trained}\ntraining numbers", RIGHT)]
    head.append((f"error, {found.held_out}\nother numbers", RIGHT))
    head = [(title if "\n" in title else f"\n{title}", side) for title, side in head]
    lines += ["", text_table(head, [list(row) for row in compared]), "", _verdict(found)]
    shipped = ", ".join(f"{unknown} {value}" for unknown, value in found.shipped.items())
    same = found.shipped == dict(found.best.values)
    lines.append(f"The experiment files have {'the best fit' if same else shipped + ', not the best fit'}.")
    return "\n".join(lines)


def _verdict(found: "Calibration") -> str:
    if not found.held_out:
        return "The paper prints no other numbers of these experiments, so claims alone can judge the fit."
    training, held_out = found.best.log_errors
    near = f"The error of the other numbers is {held_out / training:.2f} times the training error (as logarithms)"
    near += f", and {held_out / found.default.log_errors[1]:.2f} times that of the defaults"
    return f"{near}: {'the fit is confirmed' if found.is_confirmed else 'no testbed of this family explains them'}."


def _as_dict(testbed: "Testbed", found: "Calibration") -> dict[str, Any]:
    def error(factor: float) -> float | None:
        return None if math.isnan(factor) else factor

    def fit(one: "Fit") -> dict[str, Any]:
        return {
            "values": dict(one.values),
            "training_error": error(one.training),
            "held_out_error": error(one.held_out),
        }

    return {
        "title": testbed.title,
        "training_numbers": found.trained,
        "held_out_numbers": found.held_out,
        "best": fit(found.best),
        "defaults": fit(found.default),
        "confirmed": found.is_confirmed,
        "files": dict(found.shipped),
        "combinations": [fit(one) for one in found.fits],
    }
