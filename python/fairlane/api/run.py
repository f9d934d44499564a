"""`import fairlane`: the commands of the command line as functions.

What belongs here: `run` and `duel`, which ask the simulator and give `Results`. Reading results is `fairlane.open`.
"""

import json
import warnings
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from fairlane.api.results import Results
from fairlane.executors.processes import usable_cpus
from fairlane.experiment.load import LoadedExperiment, load
from fairlane.experiment.single import dumbbell

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

    Raises ExperimentError with all errors of the file, and StoreError if the store cannot be written. Runs that fail
    are reported in a warning; the others are stored.
    """
    from fairlane.display.progress import SweepBar
    from fairlane.sweep.run import Preparation
    from fairlane.sweep.run import run as compute

    jobs = jobs or usable_cpus()
    source = experiment if isinstance(experiment, Mapping) else Path(experiment)
    loaded = load(source, repeats=repeats, seed=seed)
    folder = Path(results) if results is not None else Path("results") / loaded.name
    bars: list[SweepBar] = []

    def watch(missing: Preparation) -> SweepBar:
        bars.append(SweepBar(missing.tasks, jobs))
        return bars[0]

    try:
        done = compute(loaded, folder, jobs=jobs, source=str(experiment), watcher=watch if progress else None)
    finally:
        for bar in bars:
            bar.finish()
    for complaint in done.complaints:
        warnings.warn(f"{complaint}; set aside; its runs were computed again", RuntimeWarning, stacklevel=2)
    if done.failures:
        listed = "; ".join(f"{failure.title}: {failure.message}" for failure in done.failures[:5])
        warnings.warn(f"{len(done.failures)} of {done.total} runs failed: {listed}", RuntimeWarning, stacklevel=2)
    return Results(folder, loaded.name)


def duel(
    *algorithms: str | type,
    rate: str = "100mbit",
    rtt: str | Sequence[str] = "20ms",
    buffer: str | None = None,
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

    Each algorithm is one bulk flow: a bundled name or the path of a C or Python file, with optional parameters after a
    colon; or a Python class with the callbacks of a congestion control.
    Without a `buffer` the queue has the limit that tc gives it; fifo and red, for which tc has none, have 1 BDP.
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
    experiment = dumbbell(
        flows,
        name="duel",
        title=" against ".join(dict.fromkeys(words)),
        rate=rate,
        buffer=buffer,
        queue=queue,
        duration=duration,
        loss=loss,
        ecn=ecn,
        offload=offload,
        mtu=mtu,
        seed=seed,
        repeats=repeats,
        start_jitter=start_jitter,
        metrics={"interval": interval},
    )
    return simulated(load(experiment))


def simulated(experiment: LoadedExperiment) -> Results:
    """Runs an experiment in this process and keeps the results in memory: for a few short runs."""
    from fairlane.backends import provenance
    from fairlane.engine import run_packed
    from fairlane.sweep.run import check, plan, prepare

    planned = plan(experiment)
    check(experiment, prepare(experiment, planned, ()), experiment.name)
    scenarios = [
        json.dumps(point.point.repeat(number)) for point in experiment.points for number in range(point.repeats)
    ]
    with ThreadPoolExecutor(usable_cpus()) as pool:  # the engine works without the interpreter's lock
        packed = list(pool.map(run_packed, scenarios))
    common = {**provenance.common(), "experiment": experiment.name}
    records = [
        ({"run": one.run, **common, "scenario": scenario}, result)
        for one, scenario, result in zip(planned.runs, scenarios, packed, strict=True)
    ]
    return Results.in_memory(planned, records)


def _word(algorithm: str | type) -> str:
    if isinstance(algorithm, str):
        return algorithm
    if not isinstance(algorithm, type):
        raise TypeError(f"duel() takes names, paths and classes, not {algorithm!r}")
    from fairlane.prototype.loading import register

    return register(algorithm)


def _of_flow(key: str, values: Sequence[str], index: int, count: int) -> str:
    from fairlane.experiment.diagnostics import ExperimentError

    if len(values) != count:
        flows = f"{count} flow{'s' if count > 1 else ''}"
        raise ExperimentError([f"{key}: {len(values)} values for {flows}; give one for all, or one for each"])
    return values[index]
