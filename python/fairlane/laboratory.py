"""`import fairlane`: the commands of the command line as functions.

What belongs here: `run` and `duel`, which ask the simulator and give `Results`. Reading results is `fairlane.open`.
"""

import json
import warnings
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from fairlane.experiment.load import LoadedExperiment, load
from fairlane.store.results import Results
from fairlane.workers import usable_cpus

Setting = str | Mapping[str, Any]
"""A value with a unit or a kind (`"1%"`, `"codel"`), or a table of an experiment file."""


def run(
    experiment: str | Path | Mapping[str, Any],
    results: str | Path | None = None,
    *,
    jobs: int | None = None,
    repeats: int | None = None,
    seed: int | None = None,
    progress: bool = True,
) -> Results:
    """Runs an experiment and returns its results; what the store has already is not run again.

    `experiment` is an experiment file, or a dictionary of the same form. `results` is the folder of the store
    (default: `results/NAME`), `jobs` how many runs go at a time (default: one per CPU). `repeats` and `seed` replace
    what the file says. `progress` draws a bar on a terminal.

    Raises ExperimentError with every mistake of the file, and StoreError when nothing can be stored. Runs that fail
    are named in a warning; the others are there.
    """
    from fairlane.sweep.progress import ProgressBar
    from fairlane.sweep.run import Preparation
    from fairlane.sweep.run import run as compute

    jobs = jobs or usable_cpus()
    source = experiment if isinstance(experiment, Mapping) else Path(experiment)
    loaded = load(source, repeats=repeats, seed=seed)
    folder = Path(results) if results is not None else Path("results") / loaded.name
    bars: list[ProgressBar] = []

    def watch(missing: Preparation) -> ProgressBar:
        bars.append(ProgressBar(missing.tasks, jobs))
        return bars[0]

    try:
        done = compute(loaded, folder, jobs=jobs, source=str(experiment), watcher=watch if progress else None)
    finally:
        for bar in bars:
            bar.finish()
    for complaint in done.complaints:
        warnings.warn(f"{complaint}; set aside, its runs were computed again", RuntimeWarning, stacklevel=2)
    if done.failures:
        listed = "; ".join(f"{failure.title}: {failure.message}" for failure in done.failures[:5])
        warnings.warn(f"{len(done.failures)} of {done.total} runs failed: {listed}", RuntimeWarning, stacklevel=2)
    return Results(folder, loaded.name)


def duel(
    *algorithms: str | type,
    rate: str = "100mbit",
    rtt: str | Sequence[str] = "20ms",
    buffer: str = "1bdp",
    queue: Setting = "fifo",
    duration: str = "30s",
    start: str | Sequence[str] = "0s",
    loss: Setting | None = None,
    ecn: bool = False,
    offload: bool = False,
    mtu: int = 1500,
    interval: str = "100ms",
    seed: int = 1,
    repeats: int = 1,
    start_jitter: str | None = None,
) -> Results:
    """Lets flows share one bottleneck and returns what came of it; nothing is written to disk.

    Each algorithm is one bulk flow: a built-in name or the path of a C or Python file, either with parameters behind a
    colon; or a Python class with the callbacks of a congestion control.
    `rtt` and `start` are one value for all flows, or one for each. With `repeats` the seed counts up, and
    starts and delays vary by a little, as in an experiment file; `start_jitter` says how much later a flow may start.

    Raises ExperimentError that names every impossible value.

    >>> results = duel("cubic", "bbr", rate="10mbit", duration="2s")
    >>> results.flows["algorithm"].to_list()
    ['cubic', 'bbr']
    """
    if not algorithms:
        raise TypeError('duel() needs at least one algorithm, for example fairlane.duel("cubic", "bbr")')
    words = [_word(algorithm) for algorithm in algorithms]
    flows: list[dict[str, Any]] = []
    for index, name in enumerate(words):
        flow: dict[str, Any] = {"algorithm": name}
        for key, given in (("rtt", rtt), ("start", start)):
            flow[key] = given if isinstance(given, str) else _of_flow(key, given, index, len(words))
        flows.append(flow)
    network: dict[str, Any] = {"rate": rate, "rtt": _smallest(rtt), "buffer": buffer, "queue": queue, "mtu": mtu}
    if loss is not None:
        network["loss"] = loss
    experiment: dict[str, Any] = {
        "name": "duel",
        "title": " against ".join(dict.fromkeys(words)),
        "duration": duration,
        "seed": seed,
        "repeats": repeats,
        "network": network,
        "flows": flows,
        "hosts": {"ecn": ecn, "offload": offload},
        "metrics": {"interval": interval},
    }
    if start_jitter is not None:
        experiment["start_jitter"] = start_jitter
    return simulated(load(experiment))


def simulated(experiment: LoadedExperiment) -> Results:
    """Runs an experiment in this process and keeps the results in memory: for a few short runs."""
    from fairlane.engine import run_json
    from fairlane.sweep import origin
    from fairlane.sweep.run import check, plan, prepare

    planned = plan(experiment)
    check(experiment, prepare(experiment, planned, ()), experiment.name)
    scenarios = [
        json.dumps(point.point.repeat(number)) for point in experiment.points for number in range(point.repeats)
    ]
    with ThreadPoolExecutor(usable_cpus()) as pool:  # the engine works without the interpreter's lock
        texts = list(pool.map(run_json, scenarios))
    common = {**origin.common(), "experiment": experiment.name}
    records = [
        ({"run": one.run, **common, "scenario": scenario}, text)
        for one, scenario, text in zip(planned.runs, scenarios, texts, strict=True)
    ]
    return Results.in_memory(planned, records)


def _word(algorithm: str | type) -> str:
    if isinstance(algorithm, str):
        return algorithm
    if not isinstance(algorithm, type):
        raise TypeError(f"duel() takes names, paths and classes, not {algorithm!r}")
    from fairlane.prototype.loading import register

    return register(algorithm)


def _smallest(rtt: str | Sequence[str]) -> str:
    """The smallest of some times, as it was written; the first where one cannot be read."""
    from fairlane.units import QuantityError, time_ns

    if isinstance(rtt, str):
        return rtt
    try:
        return min(rtt, key=time_ns, default="20ms")
    except QuantityError:
        return rtt[0]


def _of_flow(key: str, values: Sequence[str], index: int, count: int) -> str:
    from fairlane.experiment.mistakes import ExperimentError

    if len(values) != count:
        flows = f"{count} flow{'s' if count > 1 else ''}"
        raise ExperimentError([f"{key}: {len(values)} values for {flows}; give one for all, or one for each"])
    return values[index]
