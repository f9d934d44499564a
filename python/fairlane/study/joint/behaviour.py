"""A digest of the simulator's results in some networks: builds that agree in it may share what was computed there.

Unlike a digest of the sources it stays when they change and no result does. Its runs take a second: from each
experiment the first points that have all values of its axes between them, cut short, and each algorithm for half a
minute over a slow link, with states that short runs do not reach. Programs of others are not run.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator
from typing import Any

from fairlane.engine import algorithms, run
from fairlane.engine.types import Scenario
from fairlane.runs.sweep import run_size
from fairlane.scenario import requests
from fairlane.scenario.load import LoadedExperiment, load
from fairlane.study.paper.definition import Study

MOST_S = run_size.RUN_S + 2.5e-3
"""The most CPU time of a run, estimated: about 10,000 packets."""
MOST_NS = 20_000_000_000
FLOW = (
    *("goodput_mbps", "mean_rtt_ms", "mean_cwnd_packets", "mean_pacing_mbps", "completion_s"),
    *("retransmits", "timeouts", "spurious_losses", "data_packets_sent"),
)
"""The metrics that count; new ones change no digest."""
LINK = ("transmitted_bytes", "dropped_packets", "marked_packets", "lost_packets", "mean_queue_delay_ms")
MOST_FLOWS = 50
SLOW = {"duration": "30s", "network": {"rate": "2mbit", "rtt": "40ms", "buffer": "20p", "loss": "0.1%"}}


def digest(study: Study, *, quick: bool) -> str:
    """The digest for a study. Raises ExperimentError if an experiment cannot be loaded."""
    return digest_of(load(study.source(name, quick=quick)[0]) for name in study.file.experiments)


def digest_of(experiments: Iterable[LoadedExperiment], also: Iterable[str] = ()) -> str:
    """The digest for these experiments: 16 hexadecimal digits. `also` are algorithms that are in none of them."""
    found = hashlib.blake2b(digest_size=8)
    for scenario in _scenarios(experiments, also):
        result = run(scenario)
        values = [[one[name] for name in FLOW] for one in result["flows"]]
        found.update(json.dumps([*values, *([one[name] for name in LINK] for one in result["links"])]).encode())
    return found.hexdigest()


def _scenarios(experiments: Iterable[LoadedExperiment], also: Iterable[str]) -> Iterator[Scenario]:
    bundled = {one["name"] for one in algorithms()}
    every = bundled.intersection(also)
    for experiment in experiments:
        seen: set[tuple[str, Any]] = set()
        for planned in experiment.points:
            values: set[tuple[str, Any]] = {(axis, str(value)) for axis, value in planned.axes.items()}
            flows: int = sum(group["count"] for group in planned.point.groups)  # type: ignore[misc]
            if (seen and values <= seen) or flows > MOST_FLOWS:
                continue
            scenario = planned.point.repeat(0)
            if (programs := {flow["algorithm"] for flow in scenario["flows"]}) <= bundled:
                seen |= values
                every |= programs
                yield _shortened(scenario)
    for name in sorted(every):
        yield requests.scenario({**SLOW, "flows": [{"algorithm": name}, {"algorithm": name, "start": "5s"}]})


def _shortened(scenario: Scenario) -> Scenario:
    """The scenario with its times halved until it takes `MOST_S` at most."""
    while run_size.work(scenario).seconds > MOST_S or scenario["duration_ns"] > MOST_NS:
        flows = [_halved(flow, "start_ns", "stop_ns") for flow in scenario["flows"]]
        scenario = _halved({**scenario, "flows": flows}, "duration_ns", "warm_up_ns")
    return scenario


def _halved(table: Any, *names: str) -> Any:
    return {**table, **{name: table[name] // 2 for name in names if name in table}}
