"""Witnesses: networks in which an algorithm fails, as experiment files with the score that they had.

A file begins with a sentence and a line `# break: {...}` that says which algorithm and objective the score is of; the
rest is an ordinary experiment.
"""

import json
import math
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from fairlane import files
from fairlane.algorithm.name import Algorithm, Kind
from fairlane.results.statistics import Interval, interval_of_mean
from fairlane.runs.backends import backend
from fairlane.runs.executors.processes import usable_cpus
from fairlane.scenario import document
from fairlane.scenario.diagnostics import ExperimentError
from fairlane.search.breaks.evaluate import Compute, Evaluator, in_order, threads
from fairlane.search.breaks.families import TARGET, Family, FamilyFile
from fairlane.search.breaks.objectives import Objective, ObjectiveError, objective
from fairlane.show.report.experiments import toml_text

REPEATS = 20
"""Runs with other seeds, starts and delays, as repeats of an experiment have them."""
WORSE = 0.02
"""A score that is higher by more is worse: of a deterministic run, but of an algorithm that was changed."""
AGREES = 0.1
"""A kernel confirms a score that differs by no more."""
_LINE = re.compile(r"^# break: (\{.*\})$", re.MULTILINE)


@dataclass(frozen=True)
class Witness:
    """A network in which an algorithm fails."""

    name: str
    algorithm: str
    reference: str
    objective: Objective
    experiment: Mapping[str, Any]
    """In the form of a file, with the algorithm in its flows."""
    targets: Sequence[int]
    """The entries of its flows with the algorithm."""
    score: float
    values: Mapping[str, float] = field(default_factory=dict)
    """The metrics of the objective."""
    keys: int = 0
    """Keys that differ from those of the family."""
    family: str = ""
    unusual: Sequence[str] = ()
    """Keys whose values are not common in practice, as far as the family says."""
    repeats: Sequence[float | None] = ()
    """Scores of runs with other seeds and starts."""
    sentences: Sequence[str] = ()
    confirmed: Mapping[str, float | None] = field(default_factory=dict)
    """The score of each kernel; None if a run failed."""

    @property
    def failing(self) -> int:
        """The number of repeats that fail."""
        return sum(score is not None and score >= self.objective.fails for score in self.repeats)

    @property
    def robustness(self) -> Interval | None:
        """The mean score of the repeats; None if fewer than two have one."""
        scores = [score for score in self.repeats if score is not None]
        return interval_of_mean(scores) if len(scores) > 1 else None

    @property
    def robust(self) -> str:
        """The repeats in words."""
        found = self.robustness
        mean = f", mean score {found.estimate:.2f} ({found.low:.2f} to {found.high:.2f})" if found else ""
        return f"fails in {self.failing} of {len(self.repeats)}{mean}"

    def agrees(self, kernel: str) -> bool:
        """Whether the score of this kernel is that of the simulator."""
        score = self.confirmed[kernel]
        return score is not None and abs(score - self.score) <= AGREES

    def verdict(self, kernel: str) -> str:
        """Whether this kernel confirms the score, in words; a repeat's score is the simulator's, too."""
        scores = [score for score in self.repeats if score is not None]
        if self.agrees(kernel):
            return "confirmed"
        score = self.confirmed[kernel]
        if score is None:
            return "not confirmed"
        if scores and min(scores) <= score <= max(scores):
            return f"not confirmed, but among the repeats ({min(scores):.2f} to {max(scores):.2f})"
        return "not confirmed: a finding about the simulator's TCP"

    @property
    def kernels(self) -> dict[str, Any]:
        """The score and verdict of each kernel, for programs."""
        return {
            kernel: {"score": score, "agrees": self.agrees(kernel), "verdict": self.verdict(kernel)}
            for kernel, score in self.confirmed.items()
        }

    @property
    def evaluator(self) -> "EvaluatorOf":
        """Evaluates it."""
        return EvaluatorOf(self)

    def text(self, folder: Path) -> str:
        """The file's text, in this folder."""
        algorithm = _relative(self.algorithm, folder)
        about = {
            "algorithm": algorithm,
            "against": _relative(self.reference, folder),
            "objective": self.objective.name if self.objective.name != "own" else self.objective.formula,
            "flows": list(self.targets),
            "score": round(self.score, 4),
        }
        flows = [
            {**flow, "algorithm": algorithm} if index in self.targets else flow
            for index, flow in enumerate(self.experiment["flows"])
        ]
        head = [*(f"# {line}" for line in self.sentences), f"# break: {json.dumps(about)}"]
        return "\n".join([*head, "", toml_text({**self.experiment, "flows": flows}), ""])

    def as_json(self) -> dict[str, Any]:
        """For programs."""
        return {
            "name": self.name,
            "algorithm": self.algorithm,
            "against": self.reference,
            "objective": self.objective.name,
            "formula": self.objective.formula,
            "family": self.family,
            "score": self.score,
            "values": dict(self.values),
            "keys": self.keys,
            "unusual": list(self.unusual),
            "fails": {"runs": self.failing, "of": len(self.repeats), "scores": list(self.repeats)}
            | ({} if (mean := self.robustness) is None else {"mean": mean.estimate, "ci95": [mean.low, mean.high]}),
            "confirmed": self.kernels,
            "sentences": list(self.sentences),
            "experiment": dict(self.experiment),
        }


class EvaluatorOf:
    """Evaluates one witness, wherever it runs."""

    def __init__(self, witness: Witness) -> None:
        flows = [
            {**flow, "algorithm": TARGET} if index in witness.targets else flow
            for index, flow in enumerate(witness.experiment["flows"])
        ]
        form = FamilyFile(
            witness.name, experiment={**witness.experiment, "flows": flows}, genes=[], schedules=[], map=[]
        )
        self._family = Family(witness.name, form, witness.algorithm)
        self.witness = witness

    def score(self, compute: Compute) -> tuple[float | None, dict[str, float], str]:
        """Score, metrics, and the reason if there is no score."""
        evaluator = self._of(compute)
        scenarios, targets = evaluator.scenarios(evaluator.point({}))
        return evaluator.score(in_order(compute(scenarios)), targets)

    def repeats(self, compute: Compute) -> list[float | None]:
        """The scores with other seeds and starts."""
        evaluator = self._of(compute)
        point = evaluator.point({}, repeats=REPEATS)
        every = [evaluator.scenarios(point, number) for number in range(REPEATS)]
        outcomes = iter(in_order(compute([text for texts, _ in every for text in texts])))
        return [evaluator.score([next(outcomes) for _ in texts], targets)[0] for texts, targets in every]

    def scenarios(self) -> list[str]:
        """The scenario of each run."""
        evaluator = self._of(lambda _: [])
        return evaluator.scenarios(evaluator.point({}))[0]

    def _of(self, compute: Compute) -> Evaluator:
        return Evaluator(self._family, self.witness.objective, self.witness.reference, compute)


def read(path: Path, algorithm: str | None = None) -> Witness:
    """A kept witness; `algorithm` replaces the file's. Raises ExperimentError."""
    text = files.text(path, "name a file that `fairlane break` wrote")
    found = _LINE.search(text)
    if found is None:
        remedy = "name a file that `fairlane break` wrote"
        raise ExperimentError([f"{path}: there is no line `# break: ...`, which says what its score is of; {remedy}"])
    try:
        about = json.loads(found[1])
        experiment = document.read(path).data
        word = algorithm or _from(str(about["algorithm"]), path.parent)
        for index in about["flows"]:
            experiment["flows"][index]["algorithm"] = word
        aim = objective(str(about["objective"]))
        score = float(about["score"])
        if not math.isfinite(score):  # no other would be worse
            raise ValueError(f"score is {score}")
        reference = _from(str(about["against"]), path.parent)
        return Witness(path.stem, word, reference, aim, experiment, about["flows"], score)
    except (LookupError, RecursionError, TypeError, ValueError) as error:
        if isinstance(error, ExperimentError | ObjectiveError):
            raise
        raise ExperimentError([f"{path}: its line `# break: ...` is damaged ({error}); write it anew"]) from None


def witnesses_in(path: Path) -> list[Path]:
    """A file, or the files of a folder. Raises ExperimentError."""
    found = sorted(path.glob("*.toml")) if path.is_dir() else [path]
    if not found:
        raise ExperimentError([f"{path}: holds no witness (*.toml); name the folder `witnesses` of a search"])
    return found


@dataclass(frozen=True)
class Replay:
    """A kept witness, run again."""

    witness: Witness
    score: float | None
    failure: str = ""

    @property
    def is_worse(self) -> bool:
        """Whether its score got worse."""
        return self.score is None or self.score > self.witness.score + WORSE

    @property
    def text(self) -> str:
        """The scores before and now."""
        if self.score is None:
            return f"no score: {self.failure}"
        return f"score {self.score:.3f}, {self.witness.score:.3f} when it was found"


def replay(
    paths: Sequence[Path], algorithm: str | None = None, jobs: int | None = None, place: str | None = None
) -> list[Replay]:
    """Runs kept witnesses, and with `place` on that kernel, too. Raises ExperimentError."""
    kept = [read(path, algorithm) for path in paths]
    with threads(jobs or usable_cpus()) as compute:
        found = [(one, one.evaluator.score(compute)) for one in kept]
        if place is not None:
            found = [(replace(one, repeats=one.evaluator.repeats(compute)), score) for one, score in found]
    if place is not None:
        with threads(jobs or usable_cpus(), place) as compute:
            found = [(confirm(one, place, compute)[0], score) for one, score in found]
    return [Replay(one, score, failure) for one, (score, _, failure) in found]


def with_network(place: str) -> str:
    """A kernel with the simulator's network, unless another one is asked for: only its TCP differs then.

    tc changes rate and delay of a running path in its own way, which is no difference of the algorithm.

    >>> with_network("vm"), with_network("vm:debian-13"), with_network("vm:debian-13@10")
    ('vm::emulated', 'vm:debian-13:emulated', 'vm:debian-13@10')
    """
    if not place.startswith("vm") or "@" in place or place.endswith(":emulated"):
        return place
    return f"{place}{':' if place == 'vm' else ''}:emulated"


def confirm(witness: Witness, place: str, compute: Compute) -> tuple[Witness, str]:
    """With the score that a kernel gives it, and the reason if it gives none."""
    runner = backend(place)
    for scenario in witness.evaluator.scenarios():
        if problems := runner.problems(json.loads(scenario)):
            return replace(witness, confirmed={**witness.confirmed, place: None}), str(problems[0])
    score, _, failure = witness.evaluator.score(compute)
    return replace(witness, confirmed={**witness.confirmed, place: score}), failure


def _relative(word: str, folder: Path) -> str:
    """An algorithm as a file in this folder names it."""
    named = Algorithm(word)
    if named.kind is Kind.BUNDLED or named.path is None:
        return word
    there = os.path.relpath(named.path, folder)
    _, colon, rest = word.rpartition("/")[2].partition(":")
    return (there if there.startswith(".") else f"./{there}") + colon + rest


def _from(word: str, folder: Path) -> str:
    """An algorithm that a file in this folder names."""
    return str(folder / word) if "/" in word else word
