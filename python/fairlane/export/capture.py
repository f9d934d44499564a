"""Packet captures (pcapng): the run is simulated again, which gives the same packets, and this time they are kept."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fairlane.engine import AlgorithmError, ScenarioError, run_with_capture
from fairlane.export.places import (
    ExportError,
    Tell,
    announce,
    file_name,
    ignore,
    make_folder,
    places,
    refused,
    title_of,
)
from fairlane.metrics.source import runs
from fairlane.prototype.words import file_and_class, means_c, means_python
from fairlane.wording import unknown
from fairlane.writing import replacing

if TYPE_CHECKING:
    from fairlane.results.tables import ResultTables

SUFFIX = ".pcapng"
ENDS = ("sender", "receiver")


def export(
    results: "ResultTables",
    out: Path,
    filters: Mapping[str, Any],
    tell: Tell = ignore,
    at: str = "sender",
    payload_bytes: int = 0,
    algorithms: Sequence[str] = (),
) -> list[Path]:
    """Writes a capture for each run, with the flows that pass the filters.

    `at` is the host at which packets are seen, `payload_bytes` how much of each payload is kept; payload is zeros.
    Stored results name algorithms of their own but do not start any: files need to be given in `algorithms`.
    """
    if at not in ENDS:
        raise ExportError(unknown("end", at, ENDS))
    found = list(runs(results, filters))
    given = {Path(name).resolve() for name in algorithms}
    paths = places((file_name(results, run) for run in found), out, SUFFIX)
    announce(paths, out, tell)
    for path, run in zip(paths, found, strict=True):
        check_algorithms(run["scenario"], given)
        make_folder(path)
        flows = [int(flow["flow"]) for flow in run.flows]
        try:
            with replacing(path) as temporary:
                again = run_with_capture(run["scenario"], temporary, flows, at=at, payload_bytes=payload_bytes)
        except OSError as error:
            raise refused(path, error) from None
        except (AlgorithmError, ScenarioError) as error:
            raise ExportError(f"{title_of(results, run)} cannot be simulated again: {error}") from None
        if any(again["flows"][flow["flow"]]["data_packets_sent"] != flow["data_packets_sent"] for flow in run.flows):
            path.unlink()
            raise ExportError(
                f"{title_of(results, run)} came out otherwise than it is stored: simulator or algorithm have changed "
                f"since; run the experiment again, and then export"
            )
    return paths


def check_algorithms(scenario: str, given: set[Path]) -> None:
    """Refuses to run files that only the results name: the names come from the author of the results."""
    for flow in json.loads(scenario)["flows"]:
        word = flow["algorithm"]
        if not (means_c(word) or means_python(word)):
            continue
        path, _ = file_and_class(word)
        if path is None or path.resolve() not in given:
            raise ExportError(f"the results were computed with {word}, which only they name; give --algorithm {word}")
