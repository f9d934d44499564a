"""The verdict about networks: runs them, applies the laws, and runs them again in another process."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from fairlane import engine
from fairlane.runs.executors.processes import run_all
from fairlane.scenario import requests
from fairlane.scenario.diagnostics import ExperimentError

from tools.soak.laws import LAWS
from tools.soak.networks import network
from tools.soak.seen import Seen

SAME_IN_A_SWEEP = "results_are_equal_in_a_sweep"
SAME_AGAIN = "results_are_equal_in_another_process"
NO_ERROR = "runs_end_with_a_result"


@dataclass
class Verdict:
    """The findings about one network."""

    number: int
    is_refused: bool = False
    violations: list[tuple[str, str]] = field(default_factory=list)
    """Law, and what it says."""
    digest: str = ""
    """Hash of the result."""


def scenario_of(experiment: dict[str, Any]) -> dict[str, Any] | None:
    """The engine's scenario; None if the experiment is refused."""
    try:
        return requests.scenario(experiment)
    except ExperimentError:
        return None


def violations(scenario: dict[str, Any]) -> tuple[list[tuple[str, str]], str]:
    """The laws that a run breaks, and the hash of its result."""
    try:
        result = engine.run(scenario)
    except Exception as error:  # an accepted experiment runs: any error is a finding
        return [(NO_ERROR, f"{type(error).__name__}: {error}")], ""
    seen = Seen(scenario, result)
    return [(law.__name__, said) for law in LAWS for said in law(seen)], digest(result)


def judge(number: int) -> Verdict:
    """The verdict about a network by itself."""
    scenario = scenario_of(network(number))
    if scenario is None:
        return Verdict(number, is_refused=True)
    return Verdict(number, False, *violations(scenario))


def judge_again(verdicts: Sequence[Verdict]) -> int:
    """Repeats all of them in another process, one after the other in reverse order, as a sweep runs; returns how many.

    Another process has another hash seed and other addresses. A violation is added to the verdict.
    """
    repeated = [verdict for verdict in reversed(verdicts) if verdict.digest]
    scenarios = [requests.scenario(network(verdict.number)) for verdict in repeated]
    for verdict, scenario, computed in zip(repeated, scenarios, run_all(scenarios, jobs=1), strict=True):
        if (found := digest(computed.result)) != verdict.digest:
            [alone] = run_all([scenario], jobs=1)
            law = SAME_AGAIN if digest(alone.result) != verdict.digest else SAME_IN_A_SWEEP
            verdict.violations.append((law, f"{found}, not {verdict.digest} {computed.error}"))
    return len(repeated)


def digest(result: dict[str, Any] | None) -> str:
    """Hash of a result, without the description of what computed it."""
    left_out = ("engine", "provenance")
    kept = {name: value for name, value in (result or {}).items() if name not in left_out}
    return hashlib.blake2b(json.dumps(kept, sort_keys=True).encode(), digest_size=12).hexdigest()
