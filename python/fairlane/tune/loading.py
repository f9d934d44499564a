"""Reads and checks a tuning file."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from fairlane.experiment import document
from fairlane.experiment.load import LoadedExperiment, load
from fairlane.experiment.mistakes import ExperimentError, key_text, of_validation
from fairlane.metrics import MetricError, find
from fairlane.metrics.metric import Metric
from fairlane.tune.model import Objective, Tuning
from fairlane.wording import unknown


@dataclass(frozen=True)
class LoadedTuning:
    """A search that can be done."""

    source: str
    """How messages call it."""
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
        flows = [
            {**flow, "parameters": {**flow.get("parameters", {}), **parameters}} if index in self.tuned else flow
            for index, flow in enumerate(self.networks["flows"])
        ]
        try:
            return load({**self.networks, "flows": flows, "name": self.name})
        except ExperimentError as error:
            lines = [line.removeprefix("experiment: ") for line in error.lines]
            raise ExperimentError([f"{self.source}: experiment.{line}" for line in lines]) from None


def read(path: Path) -> LoadedTuning:
    """Reads a file. Raises ExperimentError with a line for each mistake."""
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
    loaded.experiment({})  # its mistakes are named now
    return loaded


def with_trials(tuning: LoadedTuning, trials: int) -> LoadedTuning:
    """The same search with another number of trials."""
    return replace(tuning, form=tuning.form.model_copy(update={"trials": trials}))


def _described(form: Tuning) -> dict[str, dict[str, Any]]:
    from fairlane.engine import AlgorithmError, describe

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
            lines.append(f"objectives[{index}].flows: {metric.name} is no metric of a flow; leave it out")
    if len({_key(objective) for objective in form.objectives}) < len(form.objectives):
        lines.append("objectives: two are the same; leave one out")
    return lines


def _key(objective: Objective) -> tuple[str, str]:
    return objective.metric, objective.flows
