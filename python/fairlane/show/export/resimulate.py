"""Packet captures (pcapng) and logs of QUIC endpoints (qlog), from runs that are simulated again.

The same scenario gives the same packets; what is simulated must agree with what is stored.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
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
Simulate = Callable[..., Mapping[str, Any]]
"""Runs a scenario, writes the file, and returns the run's result."""


SUFFIXES = {"pcapng": ".pcapng", "qlog": ".sqlog"}
"""That of qlog is the name of JSON text sequences in its schema."""


def export(
    results: ResultTables,
    out: Path,
    filters: Mapping[str, Any],
    tell: Tell,
    *,
    form: str,
    at: str = "sender",
    algorithms: Sequence[str] = (),
    payload_bytes: int = 0,
) -> list[Path]:
    """Writes a capture for each run, with the flows that pass the filters, or a log for each of these that uses QUIC.

    `at` is the end of a connection at which packets are seen, and `payload_bytes` how much of each payload, which is
    zeros, a capture keeps. Stored results name algorithms of their own but do not start any: files need to be given in
    `algorithms`.
    """
    if at not in ENDS:
        raise ExportError(unknown("end", at, ENDS))
    chosen = list(runs(results, filters))
    files: list[tuple[Run, Sequence[Flow], Sequence[str], Simulate]] = []
    for run in chosen:
        if form == "pcapng":
            numbers = [int(flow["flow"]) for flow in run.flows]
            capture = partial(run_with_capture, flows=numbers, at=at, payload_bytes=payload_bytes)
            files.append((run, run.flows, (), capture))
        for flow in _quic_flows(run) if form == "qlog" else ():
            number = int(flow["flow"])
            files.append((run, [flow], [f"flow{number}"], partial(run_with_qlog, flow=number, at=at)))
    count = sum(len(run.flows) for run in chosen) if form == "qlog" else len(files)
    if count and not files:
        raise ExportError('no flow in the results uses QUIC; run flows with transport = "quic", or widen --where')
    if len(files) < count:
        tell(f"{counted(count - len(files), 'flow')} over TCP left out")
    paths = places((file_name(results, run, *name) for run, _, name, _ in files), out, SUFFIXES[form], tell)
    for path, (run, flows, _, simulate) in zip(paths, files, strict=True):
        _write(path, title_of(results, run), run, flows, simulate, algorithms)
    return paths


def _write(
    path: Path, title: str, run: Run, flows: Sequence[Flow], simulate: Simulate, algorithms: Sequence[str]
) -> None:
    """Writes a file; what is simulated must agree with what is stored."""
    origin = str(run["simulator"])
    if not is_simulators(origin):
        raise ExportError(
            f"{title} was run by {origin.split(',')[0]}, which keeps no packets; run it in the simulator (without --on)"
            " and export that"
        )
    trust.allow_named(algorithms)
    _check_algorithms(run["scenario"], {Path(name).resolve() for name in algorithms})
    make_folder(path)
    try:
        with replacing(path) as temporary:
            again = simulate(run["scenario"], temporary)
    except OSError as error:
        raise refused(path, error) from None
    except (AlgorithmError, ScenarioError) as error:
        raise ExportError(f"{title} cannot be simulated again: {error}") from None
    if any(again["flows"][int(flow["flow"])]["data_packets_sent"] != flow["data_packets_sent"] for flow in flows):
        path.unlink()
        raise ExportError(
            f"{title} came out otherwise than it is stored: simulator or algorithm have changed since; run the "
            "experiment again, and then export"
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


def _quic_flows(run: Run) -> Iterator[Flow]:
    """The flows of a run that use QUIC; a flow belongs to the group of flows that the scenario lists."""
    scenario = stored_scenario(run["scenario"])
    return (flow for flow in run.flows if group_of(scenario, flow["group"]).get("transport") == "quic")
