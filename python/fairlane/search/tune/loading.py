"""The tuning file: its form, read and checked."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import Field, ValidationError, model_validator

from fairlane.engine.messages import unknown
from fairlane.results.metrics import MetricError, find
from fairlane.results.metrics.metric import Metric
from fairlane.scenario import document
from fairlane.scenario.base_model import Table
from fairlane.scenario.diagnostics import ExperimentError, key_text, of_validation
from fairlane.scenario.load import LoadedExperiment, load

Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", max_length=100)]


class Parameter(Table):
    """The range of an integer parameter."""

    low: int = Field(description="The smallest value.", examples=[1])
    high: int = Field(description="The largest value.", examples=[100])
    step: int = Field(1, ge=1, description="Only every so manieth value.")
    log: bool = Field(False, description="Search in factors, not in steps.")

    @model_validator(mode="after")
    def _is_a_range(self) -> Self:
        if self.low >= self.high:
            raise ValueError(f"low {self.low} is not below high {self.high}; swap them, or set the parameter in flows")
        if self.log and (self.low < 1 or self.step != 1):
            raise ValueError("log needs low = 1 or more, and no step")
        return self


class Objective(Table):
    """An objective for the parameters."""

    metric: str = Field(description="A name that `fairlane table --list` prints.", examples=["goodput_mbps"])
    goal: Literal["highest", "lowest"] = Field(description="Which end is good.", examples=["highest"])
    flows: Literal["tuned", "others", "all"] = Field(
        "tuned", description="Of metrics of a flow: the mean over the flows with the algorithm, the others, or all."
    )


class Tuning(Table):
    """A search."""

    name: Name | None = Field(None, description="The file's name if absent.")
    title: str = ""
    algorithm: str = Field(description="Which flows are tuned: those with this algorithm.", examples=["modest_bbr"])
    trials: int = Field(50, ge=1, le=100_000, description="How many choices to try, the defaults first.")
    seed: int = Field(1, ge=0, lt=2**63, description="Of the search; the runs have the experiment's own seeds.")
    search: Literal["tpe", "nsga2", "random"] = Field("tpe", description="Optuna's sampler.")
    parameters: dict[str, Parameter] = Field(min_length=1, max_length=50, description="What is chosen.")
    objectives: list[Objective] = Field(min_length=1, max_length=4, description="The objectives.")
    experiment: dict[str, Any] | str = Field(
        description="The networks: an experiment file, or the same as a table.", examples=["networks.toml"]
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
    try:
        form = Tuning.model_validate(found.data)
    except ValidationError as error:
        lines = [
            f"{found.origin(one.place)}: {key_text(one.place)}: {one.text}"
            for one in of_validation(error, Tuning, found.data)
        ]
        raise ExperimentError(list(dict.fromkeys(lines))) from None
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


def with_trials(tuning: LoadedTuning, trials: int) -> LoadedTuning:
    """The same search with another number of trials."""
    return replace(tuning, form=tuning.form.model_copy(update={"trials": trials}))


def _described(form: Tuning) -> dict[str, dict[str, Any]]:
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
        if metric.of != "flow" and "flows" in objective.model_fields_set:
            lines.append(f"objectives[{index}].flows: {metric.name} is not a metric of a flow; remove it")
    if len({_key(objective) for objective in form.objectives}) < len(form.objectives):
        lines.append("objectives: two are the same; leave one out")
    return lines


def _key(objective: Objective) -> tuple[str, str]:
    return objective.metric, objective.flows
