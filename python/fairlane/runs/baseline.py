"""Baselines of flows that share a link: the same network with flows of one algorithm only, and with one flow alone."""

from typing import cast

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
