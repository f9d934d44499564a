"""The tuning file: its form, read and checked."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from fairlane.engine import Parameter as AlgorithmParameter
from fairlane.engine.messages import unknown
from fairlane.results.metrics import MetricError, find
from fairlane.results.metrics.metric import Metric
from fairlane.scenario import document
from fairlane.scenario.diagnostics import ExperimentError
from fairlane.scenario.forms import FLAG, NAME, Number, Range, Reader, Text, Unread, Words
from fairlane.scenario.load import LoadedExperiment, load
from fairlane.scenario.table_classes import own, read_document, table_of
from fairlane.scenario.table_forms import ListOf, MapOf


@dataclass(frozen=True)
class Parameter:
    """The range of an integer parameter."""

    low: int = own(Number(), "The smallest value.", ..., 1)
    high: int = own(Number(), "The largest value.", ..., 100)
    step: int = own(Number(Range(1)), "Distance between two values.", 1)
    log: bool = own(FLAG, "Search in factors, not in steps.", False)


@dataclass(frozen=True)
class Objective:
    """An objective for the parameters."""

    metric: str = own(Text(1), "A name that `fairlane table --list` prints.", ..., "goodput_mbps")
    goal: str = own(Words(("highest", "lowest")), "The better end.", ..., "highest")
    flows: str | None = own(
        Words(("tuned", "others", "all")),
        "Of metrics of a flow: the mean over the flows with the algorithm (the default), the others, or all.",
    )

    @property
    def group(self) -> str:
        """The flows of the mean."""
        return self.flows or "tuned"


@dataclass(frozen=True)
class Tuning:
    """A search."""

    name: str | None = own(NAME, "The file's name if absent.")
    title: str = own(Text(), "A title.", "")
    algorithm: str = own(Text(1), "The flows with this algorithm are tuned.", ..., "modest_bbr")
    trials: int = own(Number(Range(1, 100_000)), "Number of choices to try, the defaults first.", 50)
    seed: int = own(Number(Range(0, 2**63 - 1)), "Of the search; the runs have the experiment's own seeds.", 1)
    search: str = own(Words(("tpe", "nsga2", "random")), "Optuna's sampler.", "tpe")
    parameters: dict[str, Parameter] = own(lambda: MapOf(table_of(Parameter), 1, 50), "The parameters to choose.", ...)
    objectives: list[Objective] = own(lambda: ListOf(table_of(Objective), 1, 4), "The objectives.", ...)
    experiment: dict[str, Any] | str = own(
        Unread((str, dict), "the path of a file or a table", ""),
        "The networks: an experiment file, or the same as a table.",
        ...,
        "networks.toml",
    )


@dataclass(frozen=True)
class LoadedTuning:
    """A search that can be done."""

    source: str
    """Its name in messages."""
    name: str
    form: Tuning
    networks: dict[str, Any]
    """The experiment, inheritance resolved."""
    tuned: tuple[int, ...]
    """Which entries of its flows have the algorithm."""
    defaults: dict[str, int]
    """Of the parameters that are chosen."""

    @cached_property
    def metrics(self) -> list[Metric]:
        """One for each objective."""
        return [find(objective.metric) for objective in self.form.objectives]

    def experiment(self, parameters: Mapping[str, int]) -> LoadedExperiment:
        """The networks, with these parameters in the flows that are tuned. Raises ExperimentError."""
        if not isinstance(self.networks.get("flows"), list):
            return self._loaded(self.networks)
        flows = [
            {**flow, "parameters": {**flow.get("parameters", {}), **parameters}} if index in self.tuned else flow
            for index, flow in enumerate(self.networks["flows"])
        ]
        return self._loaded({**self.networks, "flows": flows})

    def _loaded(self, networks: Mapping[str, Any]) -> LoadedExperiment:
        try:
            return load({**networks, "name": self.name})
        except ExperimentError as error:
            lines = [line.removeprefix("experiment: ") for line in error.lines]
            raise ExperimentError([f"{self.source}: experiment.{line}" for line in lines]) from None


def read(path: Path) -> LoadedTuning:
    """Reads a file. Raises ExperimentError with one line per error."""
    found = document.read(path, remedy="name a tuning file")
    if "network" in found.data and "objectives" not in found.data:
        text = "is an experiment, which a tuning file names: experiment ="
        raise ExperimentError([f'{path}: {text} "{path.name}", with algorithm, parameters and objectives'])
    form = read_document(Tuning, found, _check_ranges)
    networks = form.experiment
    if not isinstance(networks, dict):
        remedy = f"{path} names it as its experiment"
        networks = document.read(path.parent / networks, remedy=remedy).data
    tuned = tuple(
        index
        for index, flow in enumerate(networks.get("flows") or [])
        if isinstance(flow, dict) and flow.get("algorithm") == form.algorithm
    )
    lines = [*_parameter_mistakes(form), *_objective_mistakes(form)]
    if not tuned and isinstance(networks.get("flows"), list):
        lines.append(f'algorithm: no flow of the experiment has algorithm = "{form.algorithm}"; name it in one')
    if lines:
        raise ExperimentError([f"{path}: {line}" for line in lines])
    loaded = LoadedTuning(str(path), form.name or path.stem, form, dict(networks), tuned, _defaults(form))
    loaded.experiment({})  # reports its errors now
    return loaded


def _check_ranges(form: Tuning, reader: Reader) -> None:
    for name, one in form.parameters.items():
        if one.low >= one.high:
            text = f"low {one.low} is not below high {one.high}; swap them, or set the parameter in flows"
            reader.report(("parameters", name), text)
        elif one.log and (one.low < 1 or one.step != 1):
            reader.report(("parameters", name), "log needs low = 1 or more, and no step")


def with_trials(tuning: LoadedTuning, trials: int) -> LoadedTuning:
    """The same search with another number of trials."""
    return replace(tuning, form=replace(tuning.form, trials=trials))


def _described(form: Tuning) -> dict[str, AlgorithmParameter]:
    from fairlane.algorithm import describe
    from fairlane.engine import AlgorithmError

    try:
        return {one["name"]: one for one in describe(form.algorithm)["parameters"]}
    except AlgorithmError as error:
        raise ExperimentError([f"algorithm: {error}"]) from None


def _defaults(form: Tuning) -> dict[str, int]:
    known = _described(form)
    return {name: int(known[name]["default"]) for name in form.parameters}


def _parameter_mistakes(form: Tuning) -> list[str]:
    try:
        known = _described(form)
    except ExperimentError as error:
        return error.lines
    return [
        f"parameters.{name}: {unknown(f'parameter of {form.algorithm}', name, known)}"
        for name in form.parameters
        if name not in known
    ]


def _objective_mistakes(form: Tuning) -> list[str]:
    lines = []
    for index, objective in enumerate(form.objectives):
        try:
            metric = find(objective.metric)
        except MetricError as error:
            lines.append(f"objectives[{index}].metric: {error}")
            continue
        if metric.of != "flow" and objective.flows:
            lines.append(f"objectives[{index}].flows: {metric.name} is not a metric of a flow; remove it")
    if len({_key(objective) for objective in form.objectives}) < len(form.objectives):
        lines.append("objectives: two are the same; leave one out")
    return lines


def _key(objective: Objective) -> tuple[str, str]:
    return objective.metric, objective.group
