"""Logs of QUIC endpoints (qlog): the run is simulated again, which gives the same packets, and they are logged."""

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from fairlane.engine import run_with_qlog
from fairlane.engine.messages import counted
from fairlane.results.metrics.source import runs
from fairlane.results.metrics.subject import Flow, Run
from fairlane.show.export.file_names import ExportError
from fairlane.show.export.resimulate import File, Request

SUFFIX = ".sqlog"
"""The name of JSON text sequences in qlog's schema."""


def export(request: Request) -> list[Path]:
    """Writes a log for each QUIC flow that passes the filters; TCP flows are left out."""
    chosen, files = 0, []
    for run in runs(request.results, request.filters):
        chosen += len(run.flows)
        for flow in _quic_flows(run):
            number = int(flow["flow"])
            simulate = partial(run_with_qlog, flow=number, at=request.at)
            files.append(File(run, [flow], simulate, [f"flow{number}"]))
    if chosen and not files:
        raise ExportError('no flow in the results uses QUIC; run flows with transport = "quic", or widen --where')
    if len(files) < chosen:
        request.tell(f"{counted(chosen - len(files), 'flow')} over TCP left out")
    return request.write(files, SUFFIX)


def _quic_flows(run: Run) -> Iterator[Flow]:
    """The flows of a run that use QUIC; a flow belongs to the group of flows that the scenario lists."""
    groups = json.loads(run["scenario"])["flows"]
    return (flow for flow in run.flows if groups[int(flow["group"])].get("transport") == "quic")
