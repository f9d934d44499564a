"""Packet captures (pcapng): the run is simulated again, which gives the same packets, and this time they are kept."""

from functools import partial
from pathlib import Path

from fairlane.engine import run_with_capture
from fairlane.results.metrics.source import runs
from fairlane.show.export.resimulate import File, Request

SUFFIX = ".pcapng"


def export(request: Request, payload_bytes: int = 0) -> list[Path]:
    """Writes a capture for each run, with the flows that pass the filters.

    `payload_bytes` is how much of each payload is kept; payload is zeros.
    """
    files = []
    for run in runs(request.results, request.filters):
        flows = [int(flow["flow"]) for flow in run.flows]
        simulate = partial(run_with_capture, flows=flows, at=request.at, payload_bytes=payload_bytes)
        files.append(File(run, run.flows, simulate))
    return request.write(files, SUFFIX)
