"""The simulator as Python functions: dictionaries in, dictionaries out.

The only module that imports `fairlane._engine`. A scenario is described in docs/reference/scenario.md;
times in it are integer nanoseconds and rates bits per second.
"""

import json
from collections.abc import Mapping
from functools import cache
from typing import Any

from fairlane import _engine
from fairlane._engine import AlgorithmError, ScenarioError, __version__

__all__ = ["AlgorithmError", "ScenarioError", "__version__", "algorithms", "build", "check", "run", "run_text"]


def run(scenario: Mapping[str, Any]) -> dict[str, Any]:
    """Runs a scenario and returns its result.

    Raises ScenarioError if the scenario cannot be run, AlgorithmError if a congestion control misbehaves.
    Other Python threads go on meanwhile.
    """
    result: dict[str, Any] = json.loads(_engine.run(json.dumps(scenario)))
    return result


def run_text(scenario: str) -> str:
    """`run` for callers who have JSON and want JSON."""
    return _engine.run(scenario)


def check(scenario: Mapping[str, Any]) -> None:
    """Raises what `run` would raise at once, without running the scenario."""
    _engine.check(json.dumps(scenario))


def algorithms() -> list[dict[str, Any]]:
    """The built-in congestion controls: `name`, `aliases`, `summary` and `parameters` (`name`, `default`, ...)."""
    found: list[dict[str, Any]] = json.loads(_engine.algorithms())
    return found


@cache
def build() -> dict[str, Any]:
    """What this simulator was built from: `simulator`, a hash of its sources, and one per built-in algorithm."""
    found: dict[str, Any] = json.loads(_engine.build())
    return found
