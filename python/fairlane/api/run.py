"""`import fairlane`: the commands of the command line as functions.

Here are `run`, `duel`, `matrix` and `trace`, which ask the simulator. Reading results is `fairlane.open`.
"""

import json
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Unpack

from fairlane.algorithm import trust
from fairlane.algorithm.kernel import KernelError
from fairlane.api.results import Results
from fairlane.engine.libraries import pl
from fairlane.engine.result_bytes import Result, as_dictionary
from fairlane.engine.types import Scenario
from fairlane.runs.backends import SIMULATOR, Backend, backend
from fairlane.runs.executors.pool import thread_pool
from fairlane.runs.executors.processes import usable_cpus
from fairlane.runs.traced_run import trace_of_run
from fairlane.scenario import units
from fairlane.scenario.diagnostics import ExperimentError
from fairlane.scenario.load import LoadedExperiment, load
from fairlane.scenario.request_settings import Settings, check_names
from fairlane.scenario.requests import Request, allow_flows, competition, point


def run(
    experiment: str | Path | Mapping[str, Any],
    results: str | Path | None = None,
    *,
    jobs: int | None = None,
    repeats: int | None = None,
    seed: int | None = None,
    progress: bool = True,
    on: str = SIMULATOR,
) -> Results:
    """Runs an experiment and returns its results; what the store has already is not run again.

    `experiment` is an experiment file, or a dictionary of the same form. `results` is the folder of the store
    (default: `results/NAME`), `jobs` how many runs go at a time (default: one per CPU). `repeats` and `seed` replace
    what the file says. `progress` draws a bar on a terminal. `on` says what runs them: "simulator", "vm:debian-12",
    "namespaces", or a file with hosts.

    Raises ExperimentError with all errors of the file, StoreError if the store cannot be written, and
    `fairlane.algorithm.kernel.KernelError` if there is no such kernel. Runs that fail are reported in a warning; the
    others are stored.
    """
    from fairlane.engine.forks import check_threads
    from fairlane.runs.sweep.runner import run as compute
    from fairlane.show.text.progress import SweepBars

    check_threads()
    jobs = jobs or usable_cpus()
    if isinstance(experiment, Mapping):
        trust.allow_named(_texts(experiment))
    source = experiment if isinstance(experiment, Mapping) else Path(experiment)
    loaded = load(source, repeats=repeats, seed=seed)
    folder = Path(results) if results is not None else Path("results") / loaded.name
    with SweepBars(jobs) as bars:
        watcher = bars.watch if progress else None
        done = compute(loaded, folder, jobs=jobs, source=str(experiment), watcher=watcher, on=on)
    for complaint in done.complaints:
        warnings.warn(f"{complaint}; set aside; its runs were computed again", RuntimeWarning, stacklevel=2)
    if done.failures:
        listed = "; ".join(f"{failure.title}: {failure.message}" for failure in done.failures[:5])
        warnings.warn(f"{len(done.failures)} of {done.total} runs failed: {listed}", RuntimeWarning, stacklevel=2)
    return Results(folder, loaded.name)


def _texts(value: Any) -> Iterator[str]:
    """All texts in a value of an experiment, but those in tables that name no algorithms: a trace is a file, too."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for name, inner in value.items():
            if name not in ("network", "inherits"):
                yield from _texts(inner)
    elif isinstance(value, Sequence):
        for inner in value:
            yield from _texts(inner)


def duel(
    *algorithms: str | type,
    baseline: bool = False,
    watch: Sequence[str] = (),
    log: str | Path | None = None,
    on: str = SIMULATOR,
    **settings: Unpack[Settings],
) -> Results:
    """Lets flows share one bottleneck and returns what came of it; nothing is written to disk.

    Each algorithm is one bulk flow, or several ("cubic*5"): a bundled name or the path of a C or Python file, with
    optional parameters after a colon; or a Python class with the callbacks of a congestion control.
    Settings are those of the command line: `link` is a typical link (docs/reference/links.md) whose values other
    settings replace. Quantities have a unit (rate="20mbit"), or a name with the unit (rate_mbps=20). A `queue` has
    options after a colon ("codel:ecn=true,target=8ms"), or is a table. `rtt`, `start` and `transport` are one value for
    all flows, or one for each algorithm or flow.

    `baseline` runs each flow next to flows of its own kind and alone, too: `results.harm` has the harm that the flows
    do to each other.

    `watch` names members of `tcp_sock` and of the algorithm's own memory (["snd_ssthresh", "state.mode"]) that become
    columns of `series`; `plot("watched")` draws them. `log` is a file for what C algorithms print (bpf_printk), with
    time, flow and callback; it is for one run of the simulator.

    `on` says what runs the flows, as for `run`.

    Raises ExperimentError that names every impossible value.

    >>> results = duel("cubic*2", "bbr", rate_mbps=10, duration="2s")
    >>> results.flows["algorithm"].to_list()
    ['cubic', 'cubic', 'bbr']
    """
    if not algorithms:
        raise TypeError('duel() needs at least one algorithm, for example fairlane.duel("cubic", "bbr")')
    check_names("duel", settings, "baseline", "watch", "log", "on")
    words = [_word(algorithm) for algorithm in algorithms]
    title = " against ".join(dict.fromkeys(words))
    allow_flows(words)
    experiment = Request(words, settings).experiment(name="duel", title=title, metrics={"watch": list(watch)})
    loaded = load(experiment)
    results = _duel(loaded, on, log)
    if baseline:
        results._harm = _harm(loaded, on)
    return results


def _harm(experiment: LoadedExperiment, on: str) -> "pl.DataFrame":
    """A row for each flow, metric and repeat."""
    from fairlane.runs.baseline import baselines
    from fairlane.show.duel.harm import harm_summary

    (planned,) = experiment.points
    scenarios = [planned.point.repeat(number) for number in range(planned.repeats)]
    if len(scenarios[0]["flows"]) == 1:
        raise ExperimentError(["baseline: compares flows that share a link; name at least two algorithms"])

    def run_all(wanted: Sequence[Scenario]) -> list[Result]:
        return [as_dictionary(one) for one in _packed(map(json.dumps, wanted), on)]

    found = harm_summary(planned.point, run_all(scenarios), baselines(scenarios, run_all))
    return pl.DataFrame(
        {"flow": flow, "metric": metric, "repeat": repeat} | {name: each[repeat] for name, each in values.items()}
        for flow, metrics in enumerate(found)
        for metric, values in metrics.items()
        for repeat in range(planned.repeats)
    )


def _duel(experiment: LoadedExperiment, on: str, log: str | Path | None) -> Results:
    """The results; what algorithms print goes to `log`, by a second run with the same outcome."""
    if log is None:
        return simulated(experiment, on)
    from fairlane.files import write_text
    from fairlane.show.text.callbacks import printed_lines

    (point,) = experiment.points
    if on != SIMULATOR or point.repeats > 1:
        raise ExperimentError(["log: is for one run of the simulator; leave out `on` and `repeats`"])
    with trace_of_run(printed=True) as traced:
        traced.run(point.point.repeat(0))
        lines = list(printed_lines(traced.lines()))
    write_text(Path(log), "".join(f"{line}\n" for line in lines))
    return simulated(experiment, on)


def simulated(experiment: LoadedExperiment, on: str = SIMULATOR) -> Results:
    """Runs an experiment in this process and keeps the results in memory: for a few short runs."""
    from fairlane.runs.backends import provenance
    from fairlane.runs.sweep.runner import check, plan, prepare

    runner = backend(on)
    identity = runner.identity()
    planned = plan(experiment, identity=identity)
    check(experiment, prepare(experiment, planned, ()), experiment.name, runner)
    scenarios = [
        json.dumps(point.point.repeat(number)) for point in experiment.points for number in range(point.repeats)
    ]
    packed = _packed(scenarios, on)
    common = {**provenance.common(identity), "experiment": experiment.name}
    records = [
        ({"run": one.run, **common, "scenario": scenario}, result)
        for one, scenario, result in zip(planned.runs, scenarios, packed, strict=True)
    ]
    return Results.in_memory(planned, records)


def _packed(scenarios: Iterable[str], on: str) -> list[bytes]:
    """The packed results of scenarios."""
    from fairlane.engine import run_packed

    with thread_pool(usable_cpus()) as pool:  # the engine works without the interpreter's lock
        return list(pool.map(run_packed if on == SIMULATOR else partial(_run_on, backend(on)), scenarios))


def _run_on(runner: Backend, scenario: str) -> bytes:
    outcome = runner.run(scenario)
    if outcome.pieces is None:
        raise KernelError(outcome.message)
    return b"".join(outcome.pieces)


def _word(algorithm: str | type) -> str:
    if isinstance(algorithm, str):
        return algorithm
    if not isinstance(algorithm, type):
        raise TypeError(f"duel() takes names, paths and classes, not {algorithm!r}")
    from fairlane.algorithm.prototype.loading import register

    return register(algorithm)


def matrix(
    *algorithms: str,
    against: str | Sequence[str] | None = None,
    results: str | Path | None = None,
    jobs: int | None = None,
    progress: bool = True,
    **settings: Unpack[Settings],
) -> Results:
    """Lets algorithms share one bottleneck in pairs, each with each, and returns the results.

    `against` names the rivals, "all" for every bundled algorithm; without it, the algorithms meet each other and
    themselves. Settings are those of `duel`, with three repeats. `results.matrix("share_pct")` has the matrix of a
    metric. `results`, `jobs` and `progress` are those of `run`; runs that are stored are not run again.

    Raises what `run` raises.
    """
    if not algorithms:
        raise TypeError('matrix() needs at least one algorithm, for example fairlane.matrix("cubic", "bbr")')
    check_names("matrix", settings, "against", "results", "jobs", "progress")
    rivals = [against] if isinstance(against, str) else against
    return run(competition(algorithms, rivals, dict(settings)), results, jobs=jobs, progress=progress)


MOST = 100_000
"""Callbacks that are kept unless more are asked for."""


def trace(
    *algorithms: str,
    begin: str = "0s",
    end: str | None = None,
    flow: int | None = None,
    most: int = MOST,
    **settings: Unpack[Settings],
) -> list[dict[str, Any]]:
    """The callbacks of algorithms: a dictionary for each, in the order of the run.

    Flows and settings are those of `duel`. `begin` and `end` are times since the start of the run, `flow` is the number
    of the only flow to trace, from 0. A dictionary has `t_ns`, `flow`, `call`, and what there is of `arguments`, `tcp`
    (what TCP had changed), `sent`, `set` (what the algorithm changed: old and new value), `answer` and `printed`; see
    `fairlane.engine.run_with_trace`.

    Raises ExperimentError, and AlgorithmFault if an algorithm misbehaves.

    >>> first, *_ = trace("reno", rate="5mbit", duration="100ms")
    >>> first["flow"], first["call"]
    (0, 'init')
    """

    if not algorithms:
        raise TypeError('trace() needs at least one algorithm, for example fairlane.trace("cubic")')
    check_names("trace", settings, "begin", "end", "flow", "most")
    allow_flows(algorithms)
    scenario = point(Request(list(algorithms), settings).experiment()).repeat(0)
    what: dict[str, Any] = {"calls": True, "from_ns": units.time_ns(begin), "most_lines": most}
    if end is not None:
        what["until_ns"] = scenario["duration_ns"] = min(units.positive_time_ns(end), scenario["duration_ns"])
    if flow is not None:
        what["flows"] = [flow]
    with trace_of_run(**what) as traced:
        traced.run(scenario)
        return list(traced.lines())
