"""Runs an experiment into a store: what is there already stays, what is missing is computed."""

import itertools
import json
import time
from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from fairlane import engine
from fairlane.algorithm import program_files
from fairlane.engine import AlgorithmError, ScenarioError, checksum
from fairlane.engine.types import FlowConfig, Scenario
from fairlane.files import write_bytes
from fairlane.results.store import plans
from fairlane.results.store.checksummed_json import holds
from fairlane.results.store.layout import Layout, StoreError, cannot_write
from fairlane.results.store.store import Store
from fairlane.runs.backends import SIMULATOR, Backend, backend, provenance
from fairlane.runs.executors import Executor
from fairlane.runs.sweep.dispatch import Failure, Report, Task, Watcher, compute, processes
from fairlane.runs.sweep.run_size import STORE_BYTES, Work, shortage, work
from fairlane.scenario.diagnostics import ExperimentError
from fairlane.scenario.load import LoadedExperiment, PlannedPoint
from fairlane.scenario.plan import Plan, PlannedRun

CHECK_S = 2.0
"""The time for checking scenarios before the first one runs; the rest are checked when they start."""


@dataclass(frozen=True)
class Preparation:
    """An experiment compared with its store."""

    plan: Plan
    tasks: tuple[Task, ...]
    """Every run that is missing, in the order in which it will be computed."""
    scenarios: Mapping[str, Scenario]
    """Of the missing runs, one for each key."""

    @property
    def sized(self) -> dict[str, tuple[Scenario, Work]]:
        """The missing runs by key, each with its size."""
        return {task.run: (self.scenarios[task.run], task.work) for task in self.tasks}

    @property
    def disk_bytes(self) -> float:
        """About how many bytes all tasks will need."""
        return STORE_BYTES + sum(task.work.disk_bytes for task in self.tasks)


def plan(experiment: LoadedExperiment, study: str = "", *, anew: bool = True, identity: str = "") -> Plan:
    """Works out the keys of all runs; `study` is the one that the experiment belongs to, `identity` the backend's.

    The files of algorithms are read `anew`, or taken to be what they were when they were last read.
    """
    if anew:
        program_files.forget()
    runs = []
    for planned in experiment.points:
        key = provenance.keys(planned.point.repeat(0), identity)
        for number in range(planned.repeats):
            special = planned.point.differences(number)
            runs.append(PlannedRun(key(special), planned.axes, special[0], number, planned.point.groups))
    return Plan(experiment.name, experiment.axes, tuple(runs), experiment.title, experiment.settings, study)


Choice = Callable[[PlannedPoint], bool]
"""Selects points of an experiment."""


def prepare(
    experiment: LoadedExperiment, planned_runs: Plan, done: Container[str], chosen: Choice | None = None
) -> Preparation:
    """Works out what is missing, of the chosen points if a choice is given."""
    tasks: dict[str, Task] = {}
    scenarios: dict[str, Scenario] = {}
    keys = iter(planned_runs.runs)
    for planned in experiment.points:
        for number in range(planned.repeats):
            key = next(keys).run
            if key not in done and key not in tasks and (chosen is None or chosen(planned)):
                scenario = planned.point.repeat(number)
                title = planned.label + (f", repeat {number}" if planned.repeats > 1 else "")
                meta = {"experiment": experiment.name, "algorithms": _versions(scenario)}
                text = json.dumps(scenario, separators=(",", ":"))
                tasks[key] = Task(key, text, meta, work(scenario), title)
                scenarios[key] = scenario
    # Keys are practically random: in this order the first runs represent the rest, which the estimate needs.
    order = sorted(tasks.values(), key=lambda task: task.run)
    return Preparation(planned_runs, tuple(order), scenarios)


def check(experiment: LoadedExperiment, preparation: Preparation, source: str, runner: Backend | None = None) -> None:
    """Has the backend check the missing runs. Raises ExperimentError with one line per error."""
    needed = max((task.work.memory_bytes for task in preparation.tasks), default=0)
    if text := shortage(needed):
        raise ExperimentError([f"{source}: flows: {text}; give fewer flows, or a longer metrics.interval"])
    runner = runner or backend()
    deadline_s = time.monotonic() + CHECK_S
    complaints: dict[str, str] = {}
    missing = {task.run for task in preparation.tasks}
    position = 0
    for planned in experiment.points:
        first = preparation.plan.runs[position]
        position += planned.repeats
        if first.run in missing and time.monotonic() < deadline_s and len(complaints) < 10:
            for problem in runner.problems(_without_watch(preparation.scenarios[first.run])):
                complaints.setdefault(str(problem), planned.label)
    if not complaints and missing:
        complaints = dict.fromkeys(_unwatched(experiment), "metrics.watch")
    if complaints:
        raise ExperimentError([f"{source}: {label}: {text}" for text, label in complaints.items()])


def _without_watch(scenario: Scenario) -> Scenario:
    """A member that this run's algorithms lack may be one of another run's."""
    kept = scenario.copy()
    kept.pop("watch", None)
    return kept


def _unwatched(experiment: LoadedExperiment) -> list[str]:
    """An error for each watched member that no algorithm of any point has."""
    watch: dict[str, None] = {}
    flows: dict[str, FlowConfig] = {}
    scenario: Scenario | None = None
    for planned in experiment.points:
        made = planned.point.repeat(0)
        watch |= dict.fromkeys(made.get("watch", ()))
        if watch:
            scenario = scenario or made
            flows |= {json.dumps([flow["algorithm"], flow.get("parameters")]): flow for flow in made["flows"]}
    if scenario is None or not watch:
        return []
    # One run with all algorithms, each once, on the first run's network.
    first = scenario["flows"][0]
    kept: list[FlowConfig] = []
    for flow in flows.values():
        one = first.copy()
        one["algorithm"], one["parameters"] = flow["algorithm"], flow.get("parameters", {})
        kept.append(one)
    try:
        engine.check({**scenario, "flows": kept, "watch": list(watch)})
    except AlgorithmError:
        return []  # as its own run reports
    except ScenarioError as error:
        return [f"{one['what']}; {one['remedy']}" for one in error.problems if one["path"][:1] == ["watch"]]
    return []


@dataclass(frozen=True)
class Done:
    """The outcome of an experiment."""

    report: Report
    total: int
    """Runs of the experiment."""
    present: int
    """Were there before."""
    saved: int
    """Of those, found in what a killed process had left."""
    complaints: list[str]
    """Damaged files that were set aside."""

    @property
    def failures(self) -> list[Failure]:
        """Runs without a result."""
        return self.report.failures


def run(
    experiment: LoadedExperiment,
    folder: Path,
    *,
    jobs: int,
    source: str,
    watcher: Callable[[Preparation], Watcher] | None = None,
    chosen: Choice | None = None,
    study: str = "",
    executor: Executor | None = None,
    anew: bool = True,
    on: str = SIMULATOR,
) -> Done:
    """Computes what is missing, of the chosen points if a choice is given, `jobs` runs at a time.

    `executor` says where, if not in processes of this machine; `on` names the backend. A call that is not `anew` goes
    on with the algorithms of the last one, even if their files have changed.

    Raises ExperimentError, or StoreError when nothing can be stored.
    """
    from fairlane.results import view

    layout = Layout(folder)
    store = Store.at(folder)
    runner = backend(on)
    identity = runner.identity()
    planned = plan(experiment, study, anew=anew, identity=identity)
    wanted = wanted_keys(experiment, planned, chosen)
    complete = not store.damage and not store.journals() and wanted <= store.keys
    saved = 0
    if not complete and layout.is_store():
        layout.create()
        saved = store.recover()
    complaints = store.check(wanted)
    if not complete:
        store.settle()
    missing = prepare(experiment, planned, store.keys, chosen)
    present = len(wanted & store.keys)
    report = Report()
    if missing.tasks:
        check(experiment, missing, source, runner)
        layout.create()  # after the check: an experiment that is refused leaves no folder
        plans.save(planned, layout)
        try:
            common = provenance.common(identity)
            place = executor or processes(store, common, jobs, on)
            place.provide(_kept_programs(layout, missing.scenarios.values()))
            report = compute(store, missing.tasks, common, place, watcher(missing) if watcher else None)
        finally:
            store.own_journals.clear()
            _tidy(store)
    try:
        plans.save(planned, layout)
        view.save(store, plans.load_all(layout))
    except StoreError:
        if missing.tasks:
            raise  # otherwise it is a store that can only be read, and complete
    total = len(planned.runs) if chosen is None else len(wanted)
    return Done(report, total, present, saved, complaints)


def wanted_keys(experiment: LoadedExperiment, planned_runs: Plan, chosen: Choice | None) -> set[str]:
    """The keys of the selected runs."""
    runs = iter(planned_runs.runs)
    return {
        run.run
        for planned in experiment.points
        for run in itertools.islice(runs, planned.repeats)
        if chosen is None or chosen(planned)
    }


def _kept_programs(layout: Layout, scenarios: Iterable[Scenario]) -> dict[str, str]:
    """Keeps the programs of these runs in the store; the file of each by the path of its algorithm."""
    words = {flow["algorithm"] for scenario in scenarios for flow in scenario["flows"]}
    kept = {}
    for path, content in program_files.programs(sorted(words)).items():
        file = layout.programs / f"{checksum(content)}.json"
        try:
            layout.programs.mkdir(exist_ok=True)
            if not holds(file, content):
                write_bytes(file, content)
        except OSError as error:
            raise cannot_write(file, error) from None
        kept[path] = str(file)
    return kept


def _tidy(store: Store) -> None:
    """Makes batches of what killed workers left, if the disk allows; nothing is lost if not."""
    try:
        store.recover()
    except StoreError:
        store.refresh()


def _versions(scenario: Scenario) -> dict[str, str]:
    return {flow["algorithm"]: program_files.version(flow["algorithm"]) for flow in scenario["flows"]}
