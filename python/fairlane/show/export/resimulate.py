"""Packet captures (pcapng) and logs of QUIC endpoints (qlog), from runs that are simulated again.

The same scenario gives the same packets; what is simulated must agree with what is stored.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from fairlane.algorithm import trust
from fairlane.algorithm.name import Algorithm, Kind
from fairlane.engine import AlgorithmError, ScenarioError, run_with_capture, run_with_qlog
from fairlane.engine.messages import counted, unknown
from fairlane.files import replacing
from fairlane.results.metrics.source import runs
from fairlane.results.metrics.subject import Flow, Run
from fairlane.results.store.scenario_form import group_of
from fairlane.results.store.scenario_form import scenario as stored_scenario
from fairlane.results.tables import ResultTables
from fairlane.runs.backends.provenance import is_simulators
from fairlane.show.export.file_names import (
    ExportError,
    Tell,
    file_name,
    make_folder,
    places,
    refused,
    title_of,
)

ENDS = ("sender", "receiver")


@dataclass(frozen=True)
class File:
    """A file to write: the run that is simulated again, the flows in it, what its name adds to the run's."""

    run: Run
    flows: Sequence[Flow]
    simulate: Callable[[str, Path], Mapping[str, Any]]
    """Runs the scenario, writes the file, and returns the run's result."""
    name: Sequence[str] = ()


@dataclass(frozen=True)
class Request:
    """Which results are exported, where to, and at which end of a connection packets are seen.

    Stored results name algorithms of their own but do not start any: files need to be given in `algorithms`.
    """

    results: ResultTables
    out: Path
    filters: Mapping[str, Any]
    tell: Tell
    at: str = "sender"
    algorithms: Sequence[str] = ()

    def __post_init__(self) -> None:
        if self.at not in ENDS:
            raise ExportError(unknown("end", self.at, ENDS))

    def write(self, files: Sequence[File], suffix: str) -> list[Path]:
        """Writes the files; returns their paths."""
        paths = places((file_name(self.results, file.run, *file.name) for file in files), self.out, suffix, self.tell)
        for path, file in zip(paths, files, strict=True):
            _write(path, self.results, file, self.algorithms)
        return paths


def _write(path: Path, results: ResultTables, file: File, algorithms: Sequence[str]) -> None:
    """Writes a file; what is simulated must agree with what is stored."""
    run = file.run
    origin = str(run["simulator"])
    if not is_simulators(origin):
        raise ExportError(
            f"{title_of(results, run)} was run by {origin.split(',')[0]}, which keeps no packets; run it in the "
            "simulator (without --on) and export that"
        )
    trust.allow_named(algorithms)
    _check_algorithms(run["scenario"], {Path(name).resolve() for name in algorithms})
    make_folder(path)
    try:
        with replacing(path) as temporary:
            again = file.simulate(run["scenario"], temporary)
    except OSError as error:
        raise refused(path, error) from None
    except (AlgorithmError, ScenarioError) as error:
        raise ExportError(f"{title_of(results, run)} cannot be simulated again: {error}") from None
    if any(again["flows"][int(flow["flow"])]["data_packets_sent"] != flow["data_packets_sent"] for flow in file.flows):
        path.unlink()
        raise ExportError(
            f"{title_of(results, run)} came out otherwise than it is stored: simulator or algorithm have changed "
            f"since; run the experiment again, and then export"
        )


def _check_algorithms(scenario: str, given: set[Path]) -> None:
    """Refuses to run files that only the results name: the names come from the author of the results."""
    for flow in stored_scenario(scenario)["flows"]:
        word = flow["algorithm"]
        algorithm = Algorithm(word)
        if algorithm.kind is Kind.BUNDLED:
            continue
        if algorithm.path is None or algorithm.path.resolve() not in given:
            raise ExportError(f"the results were computed with {word}, which only they name; give --algorithm {word}")


PCAPNG = ".pcapng"


def export_pcapng(request: Request, payload_bytes: int = 0) -> list[Path]:
    """Writes a capture for each run, with the flows that pass the filters.

    `payload_bytes` is how much of each payload is kept; payload is zeros.
    """
    files = []
    for run in runs(request.results, request.filters):
        flows = [int(flow["flow"]) for flow in run.flows]
        simulate = partial(run_with_capture, flows=flows, at=request.at, payload_bytes=payload_bytes)
        files.append(File(run, run.flows, simulate))
    return request.write(files, PCAPNG)


QLOG = ".sqlog"
"""The name of JSON text sequences in qlog's schema."""


def export_qlog(request: Request) -> list[Path]:
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
    return request.write(files, QLOG)


def _quic_flows(run: Run) -> Iterator[Flow]:
    """The flows of a run that use QUIC; a flow belongs to the group of flows that the scenario lists."""
    scenario = stored_scenario(run["scenario"])
    return (flow for flow in run.flows if group_of(scenario, flow["group"]).get("transport") == "quic")
