"""Scores genomes: both runs of each, many at a time, none of them in a process or file of its own."""

import json
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property, partial
from operator import itemgetter
from typing import Any

from fairlane.algorithm import trust
from fairlane.runs.backends import SIMULATOR, Outcome, backend
from fairlane.runs.executors import Executor
from fairlane.runs.executors.pool import thread_pool
from fairlane.scenario.diagnostics import ExperimentError
from fairlane.scenario.scenario import Point
from fairlane.search.breaks import genome as genomes
from fairlane.search.breaks.families import Family
from fairlane.search.breaks.genome import Genome
from fairlane.search.breaks.objectives import ALONE, REFERENCE, Measured, Objective, ObjectiveError

Compute = Callable[[Sequence[str]], Iterable[tuple[int, Outcome]]]
"""Runs scenarios, given as JSON; each outcome comes when its run ends, with the number of its scenario."""


def in_order(outcomes: Iterable[tuple[int, Outcome]]) -> list[Outcome]:
    """The outcomes of all scenarios, in the order of these."""
    return [outcome for _, outcome in sorted(outcomes, key=itemgetter(0))]


@dataclass(frozen=True)
class Evaluation:
    """A genome's score."""

    genome: Genome
    score: float | None
    """None if a run failed or measured nothing."""
    cell: tuple[int, int]
    """Its place in the map."""
    values: dict[str, float] = field(default_factory=dict)
    """The metrics of the objective."""
    failure: str = ""


class Evaluator:
    """Evaluates the genomes of one family by one objective."""

    def __init__(self, family: Family, objective: Objective, reference: str, compute: Compute) -> None:
        """Raises ObjectiveError if the objective does not fit the family, and ExperimentError if it may not run."""
        self.family, self.objective, self.compute = family, objective, compute
        objective.check()
        others = len(family.file.experiment["flows"]) > len(family.targets)
        if objective.needs_others and not others:
            text = f"objective {objective.name} is about other flows, and family {family.name} has none; take another"
            raise ObjectiveError(f"{text} family, such as sharing")
        self._reference = family.of(reference)
        flows = family.variants.data["flows"]
        if refused := trust.refusals([reference, *(str(flow["algorithm"]) for flow in flows)]):
            raise ExperimentError(refused)

    def evaluate(self, every: Sequence[Genome], repeats: int = 0) -> list[Evaluation]:
        """The evaluations of these genomes, in their order: the lowest score of the network and so many repeats."""
        prepared = [self._prepared(one, repeats) for one in every]
        texts = [text for starts, _, _ in prepared for of_start in starts for text in of_start]
        outcomes = iter(in_order(self.compute(texts)))
        found = []
        for one, (starts, targets, failure) in zip(every, prepared, strict=True):
            scores = [self.score([next(outcomes) for _ in of_start], targets) for of_start in starts]
            lowest = min(
                scores, key=lambda score: -math.inf if score[0] is None else score[0], default=(None, {}, failure)
            )
            found.append(Evaluation(one, lowest[0], self.cell(one), *lowest[1:]))
        return found

    def _prepared(self, genome: Genome, repeats: int) -> tuple[list[list[str]], frozenset[int], str]:
        """Scenarios of each start, flows with the algorithm, and the error of a network that cannot be."""
        try:
            every = [self.scenarios(self.point(genome))]
            if repeats:
                point = self.point(genome, repeats=repeats)
                every += [self.scenarios(point, number) for number in range(repeats)]
        except ExperimentError as error:  # not every combination can be
            return [], frozenset(), error.lines[0]
        return [texts for texts, _ in every], every[0][1], ""

    def point(self, genome: Genome, **more: Any) -> Point:
        """The experiment of a genome, checked. `more` are further keys of the file."""
        return self.family.variants.point({**self.experiment(genome), **more})

    def experiment(self, genome: Genome) -> dict[str, Any]:
        """The experiment of a genome, as a file has it."""
        return self.family.variants.with_values(genomes.values(self.family, genome))

    def scenarios(self, point: Point, repeat: int = 0) -> tuple[list[str], frozenset[int]]:
        """The scenario of each run, as JSON, and the numbers of the flows with the algorithm."""
        scenario = point.repeat(repeat)
        targets = frozenset(number for number, entry in enumerate(point.entries) if entry in self.family.targets)
        flows = list(enumerate(scenario["flows"]))
        rest = json.dumps({name: value for name, value in scenario.items() if name != "flows"})[:-1]

        def with_flows(every: object, **more: object) -> str:
            return f"{rest}, {json.dumps({'flows': every, **more})[1:]}"  # what the runs share is written once

        watched = {"watch": self.objective.watched} if self.objective.watched else {}
        made = [with_flows(scenario["flows"], **watched)]
        for kind in self.objective.runs:
            if kind == REFERENCE:
                changed = [{**flow, **self._other} if index in targets else flow for index, flow in flows]
            else:
                assert kind == ALONE
                changed = [flow for index, flow in flows if index not in targets]
            made.append(with_flows(changed))
        return made, targets

    def cell(self, genome: Genome) -> tuple[int, int]:
        """The genome's place in the map."""
        x, y = (axis.cell(genomes.on_axis(self.family, genome, axis)) for axis in self.family.file.map)
        return x, y

    def score(self, outcomes: Sequence[Outcome], targets: frozenset[int]) -> tuple[float | None, dict[str, float], str]:
        """Score, metrics, and the reason if there is no score."""
        runs: dict[str, Measured] = {}
        for kind, outcome in zip(["", *self.objective.runs], outcomes, strict=True):
            if outcome.pieces is None:
                return None, {}, outcome.message
            runs[kind] = Measured(b"".join(outcome.pieces), frozenset() if kind == ALONE else targets)
        score = self.objective.score(runs)
        if score is None:
            return None, {}, "a metric of the objective has no value here"
        return score, self.objective.values(runs), ""

    @cached_property
    def _other(self) -> dict[str, Any]:
        """Algorithm and parameters of the reference."""
        point = self._reference.variants.point(self._reference.variants.data)
        flow = point.scenario["flows"][point.entries.index(self.family.targets[0])]
        return {"algorithm": flow["algorithm"], "parameters": flow["parameters"]}


@contextmanager
def threads(jobs: int, place: str = SIMULATOR) -> Iterator[Compute]:
    """Runs scenarios in threads: the engine does not hold Python's lock, and has C files of others run in workers."""
    runner = backend(place)
    with thread_pool(jobs) as pool:
        yield partial(_as_they_end, pool, runner.run)


@contextmanager
def workers(executor: Executor) -> Iterator[Compute]:
    """Has the workers of an executor, such as those of a cluster, run scenarios."""

    def ask(scenario: str) -> Outcome:
        answer = worker.ask({"run": "", "scenario": scenario})
        if answer is None:
            return Outcome(None, {}, "WorkerDied", worker.reap())
        if "pieces" not in answer:
            return Outcome(None, {}, answer.get("error", ""), answer.get("message", ""))
        return Outcome(answer["pieces"], answer["usage"])

    worker = executor.spawn()
    with thread_pool(executor.slots) as pool:
        yield partial(_as_they_end, pool, ask)


def _as_they_end(
    pool: ThreadPoolExecutor, run: Callable[[str], Outcome], scenarios: Sequence[str]
) -> Iterator[tuple[int, Outcome]]:
    numbers = {pool.submit(run, scenario): number for number, scenario in enumerate(scenarios)}
    return ((numbers[one], one.result()) for one in as_completed(numbers))
