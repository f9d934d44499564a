"""Packet captures (pcapng): the run is simulated again, which gives the same packets, and this time they are kept."""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fairlane.engine import run_with_capture
from fairlane.export import again
from fairlane.export.places import Tell, announce, file_name, ignore, places
from fairlane.metrics.source import runs

if TYPE_CHECKING:
    from fairlane.results.tables import ResultTables

SUFFIX = ".pcapng"


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
    again.check_end(at)
    found = list(runs(results, filters))
    paths = places((file_name(results, run) for run in found), out, SUFFIX)
    announce(paths, out, tell)
    for path, run in zip(paths, found, strict=True):
        flows = [int(flow["flow"]) for flow in run.flows]
        simulate = partial(run_with_capture, run["scenario"], flows=flows, at=at, payload_bytes=payload_bytes)
        again.write(path, results, run, run.flows, simulate, algorithms)
    return paths
