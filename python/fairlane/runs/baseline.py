"""Baselines of flows that share a link: the same network with flows of one algorithm only, and with one flow alone."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from fairlane.engine.types import FlowConfig, Scenario

OF_ALGORITHM = ("algorithm", "parameters", "transport", "quic")
"""Keys of a flow that say what it is, and not where or when it runs."""


def own_kind(scenario: Scenario, number: int) -> Scenario:
    """The scenario in which every flow is of the kind of that one: its algorithm, parameters and transport."""
    kind = {key: value for key, value in scenario["flows"][number].items() if key in OF_ALGORITHM}
    flows = [{**{k: v for k, v in one.items() if k not in OF_ALGORITHM}, **kind} for one in scenario["flows"]]
    return cast(Scenario, {**scenario, "flows": cast("list[FlowConfig]", flows)})


def alone(scenario: Scenario, number: int) -> Scenario:
    """The scenario with that flow only."""
    return cast(Scenario, {**scenario, "flows": [scenario["flows"][number]]})


@dataclass(frozen=True)
class Baselines:
    """Results of each repeat by flow: with flows of its kind only, and alone."""

    own_kind: Sequence[Mapping[int, Mapping[str, Any]]]
    alone: Sequence[Mapping[int, Mapping[str, Any]]]


def baselines(
    repeats: Sequence[Scenario], run_all: Callable[[Sequence[Scenario]], Sequence[Mapping[str, Any]]]
) -> Baselines:
    """Runs each flow of each repeat with flows of its kind only, and alone; equal scenarios once."""
    made = [
        [{at: form(scenario, at) for at in range(len(scenario["flows"]))} for scenario in repeats]
        for form in (own_kind, alone)
    ]
    wanted = {json.dumps(one): one for side in made for by_flow in side for one in by_flow.values()}
    results = dict(zip(wanted, run_all(list(wanted.values())), strict=True))
    own, solo = ([{at: results[json.dumps(one)] for at, one in by_flow.items()} for by_flow in side] for side in made)
    return Baselines(own, solo)
