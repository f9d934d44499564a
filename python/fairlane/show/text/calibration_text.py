"""A fit of a testbed's unknowns, as text and as JSON."""

import math
import textwrap

from fairlane.show.text.aligned import LEFT, RIGHT, text_table
from fairlane.study.calibration import Calibration, Fit
from fairlane.study.paper.definition import Study, Testbed

SHOWN = 8
"""The combinations that the text shows; --json has all."""


def calibration_text(study: Study, name: str, found: Calibration) -> str:
    """The best combinations, and the best one compared with the defaults."""
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


def _verdict(found: Calibration) -> str:
    if not found.held_out:
        return "The paper prints no other numbers of these experiments, so claims alone can judge the fit."
    training, held_out = found.best.log_errors
    near = f"The error of the other numbers is {held_out / training:.2f} times the training error (as logarithms)"
    near += f", and {held_out / found.default.log_errors[1]:.2f} times that of the defaults"
    return f"{near}: {'the fit is confirmed' if found.is_confirmed else 'no testbed of this family explains them'}."


def calibration_as_json(testbed: Testbed, found: Calibration) -> dict[str, object]:
    """All combinations, best first."""

    def error(factor: float) -> float | None:
        return None if math.isnan(factor) else factor

    def fit(one: Fit) -> dict[str, object]:
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
