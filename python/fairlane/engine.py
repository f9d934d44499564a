"""The simulator as Python functions: dictionaries in, dictionaries out.

The only module that imports `fairlane._engine`. A scenario is described in docs/reference/scenario.md;
times in it are integer nanoseconds and rates bits per second.
"""

import json
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from fairlane import _engine
from fairlane._engine import (
    AckSample,
    AlgorithmError,
    AlgorithmFault,
    RateSample,
    Recording,
    ScenarioError,
    Sock,
    __version__,
)
from fairlane.prototype.words import means_python

__all__ = [
    "AckSample",
    "AlgorithmError",
    "AlgorithmFault",
    "RateSample",
    "Recording",
    "ScenarioError",
    "Sock",
    "__version__",
    "algorithms",
    "build",
    "check",
    "describe",
    "interface",
    "packetdrill",
    "record",
    "run",
    "run_json",
    "run_with_capture",
]


def run(scenario: Mapping[str, Any]) -> dict[str, Any]:
    """Runs a scenario and returns its result.

    Raises ScenarioError if the scenario cannot be run, AlgorithmError if a congestion control cannot
    be used, and its kind AlgorithmFault if one misbehaves.
    Other Python threads go on meanwhile.
    """
    result: dict[str, Any] = json.loads(run_json(json.dumps(scenario)))
    return result


def run_json(scenario: str) -> bytes:
    """`run` for callers who have JSON and want JSON."""
    return b"".join(_engine.run(scenario))


def run_with_capture(
    scenario: str, path: Path, flows: Sequence[int], *, at: str = "sender", payload_bytes: int = 0
) -> bytes:
    """`run_json` that also writes the packets of these flows to a pcapng file, as tcpdump at one host sees them.

    `at` is "sender" or "receiver", `payload_bytes` how much of each payload (zeros) to keep. Raises OSError if the
    file cannot be written.
    """
    capture = {"flows": list(flows), "at": at, "payload_bytes": payload_bytes}
    return b"".join(_engine.run_with_capture(scenario, json.dumps(capture), path))


def check(scenario: Mapping[str, Any]) -> None:
    """Raises what `run` would raise at once, without running the scenario."""
    _engine.check(json.dumps(scenario))


def record(scenario: Mapping[str, Any]) -> Recording:
    """Runs a scenario and returns what TCP asked of the first flow's congestion control, a C program."""
    return _engine.record(json.dumps(scenario))


def algorithms() -> list[dict[str, Any]]:
    """The built-in congestion controls: `name`, `aliases`, `summary` and `parameters` (`name`, `default`, ...)."""
    found: list[dict[str, Any]] = json.loads(_engine.algorithms())
    return found


def describe(word: str, parameters: Mapping[str, int] | None = None) -> dict[str, Any]:
    """Everything about one congestion control, a built-in name or the path of a C or Python file.

    Beside what `algorithms` has: `header` (its opening comment), `source`, `table` (the variable that holds its
    callbacks) and `kernel_name`. Raises AlgorithmError for whatever is wrong with it or with the parameters.
    """
    if means_python(word):
        from fairlane.prototype import loading

        return loading.describe(word, parameters or {})
    found: dict[str, Any] = json.loads(_engine.describe(word, json.dumps(dict(parameters or {}))))
    return found


@cache
def interface() -> dict[str, str]:
    """The headers that congestion controls are compiled with: texts by path below the include folder."""
    found: dict[str, str] = json.loads(_engine.interface())
    return found


def packetdrill(name: str, text: str, **options: Any) -> dict[str, Any]:
    """Plays a behaviour script against the simulator's TCP; messages call it `name`.

    Options: `setup`, shell commands to take settings from before the script's own, `tolerance_usecs` and `hz`. Returns
    `verdict` (passed, failed, unsupported), `message`, `notes` and `printed`.
    """
    report: dict[str, Any] = json.loads(_engine.packetdrill(name, text, json.dumps(options)))
    return report


@cache
def build() -> dict[str, Any]:
    """What this simulator was built from: `simulator`, a hash of its sources, and one per built-in algorithm."""
    found: dict[str, Any] = json.loads(_engine.build())
    return found
