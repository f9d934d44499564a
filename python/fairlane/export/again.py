"""Simulates stored runs again, for files that need more than was stored: the same scenario gives the same packets."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fairlane.engine import AlgorithmError, ScenarioError
from fairlane.export.places import ExportError, make_folder, refused, title_of
from fairlane.metrics.subject import Flow, Run
from fairlane.prototype.words import file_and_class, means_c, means_python
from fairlane.wording import unknown
from fairlane.writing import replacing

if TYPE_CHECKING:
    from fairlane.results.tables import ResultTables

ENDS = ("sender", "receiver")


def check_end(at: str) -> None:
    """Refuses what is not an end of a connection."""
    if at not in ENDS:
        raise ExportError(unknown("end", at, ENDS))


def write(
    path: Path,
    results: "ResultTables",
    run: Run,
    flows: Sequence[Flow],
    simulate: Callable[[Path], dict[str, Any]],
    algorithms: Sequence[str],
) -> None:
    """Writes a file by `simulate`, which returns the run's result; it must agree with the stored `flows`.

    Stored results name algorithms of their own but do not start any: files need to be given in `algorithms`.
    """
    _check_algorithms(run["scenario"], {Path(name).resolve() for name in algorithms})
    make_folder(path)
    try:
        with replacing(path) as temporary:
            again = simulate(temporary)
    except OSError as error:
        raise refused(path, error) from None
    except (AlgorithmError, ScenarioError) as error:
        raise ExportError(f"{title_of(results, run)} cannot be simulated again: {error}") from None
    if any(again["flows"][int(flow["flow"])]["data_packets_sent"] != flow["data_packets_sent"] for flow in flows):
        path.unlink()
        raise ExportError(
            f"{title_of(results, run)} came out otherwise than it is stored: simulator or algorithm have changed "
            f"since; run the experiment again, and then export"
        )


def _check_algorithms(scenario: str, given: set[Path]) -> None:
    """Refuses to run files that only the results name: the names come from the author of the results."""
    for flow in json.loads(scenario)["flows"]:
        word = flow["algorithm"]
        if not (means_c(word) or means_python(word)):
            continue
        path, _ = file_and_class(word)
        if path is None or path.resolve() not in given:
            raise ExportError(f"the results were computed with {word}, which only they name; give --algorithm {word}")
