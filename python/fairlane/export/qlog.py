"""Logs of QUIC endpoints (qlog): the run is simulated again, which gives the same packets, and they are logged."""

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fairlane.engine import run_with_qlog
from fairlane.export import again
from fairlane.export.places import ExportError, Tell, announce, file_name, ignore, places
from fairlane.metrics.source import runs
from fairlane.metrics.subject import Flow, Run
from fairlane.wording import counted

if TYPE_CHECKING:
    from fairlane.results.tables import ResultTables

SUFFIX = ".sqlog"
"""The name of JSON text sequences in qlog's schema."""


def export(
    results: "ResultTables",
    out: Path,
    filters: Mapping[str, Any],
    tell: Tell = ignore,
    at: str = "sender",
    algorithms: Sequence[str] = (),
) -> list[Path]:
    """Writes a log for each QUIC flow that passes the filters; TCP flows are left out.

    `at` is the endpoint that logs. Stored results name algorithms of their own but do not start any: files need to be
    given in `algorithms`.
    """
    again.check_end(at)
    chosen = [(run, flow) for run in runs(results, filters) for flow in run.flows]
    found = [(run, flow) for run, flow in chosen if flow in set(_quic_flows(run))]
    if chosen and not found:
        raise ExportError('no flow in the results uses QUIC; run flows with transport = "quic", or widen --where')
    if len(found) < len(chosen):
        tell(f"{counted(len(chosen) - len(found), 'flow')} over TCP left out")
    paths = places((file_name(results, run, f"flow{flow['flow']}") for run, flow in found), out, SUFFIX)
    announce(paths, out, tell)
    for path, (run, flow) in zip(paths, found, strict=True):
        simulate = partial(run_with_qlog, run["scenario"], flow=int(flow["flow"]), at=at)
        again.write(path, results, run, [flow], simulate, algorithms)
    return paths


def _quic_flows(run: Run) -> Iterator[Flow]:
    """The flows of a run that use QUIC; a flow belongs to the group of flows that the scenario lists."""
    groups = json.loads(run["scenario"])["flows"]
    return (flow for flow in run.flows if groups[int(flow["group"])].get("transport") == "quic")
