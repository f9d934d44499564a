"""Ranks algorithms by use case: scores relative to a baseline in the same networks with the same seeds."""

import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from fairlane.algorithm.name import Algorithm
from fairlane.engine.messages import unknown
from fairlane.files import json_value
from fairlane.results.statistics import LEAST, Interval, interval_of_paired
from fairlane.scenario import document
from fairlane.scenario.forms import Number, Range, Reader, Text, Words
from fairlane.scenario.load import PlannedPoint
from fairlane.scenario.table_classes import own, read_document, table_of
from fairlane.scenario.table_forms import ListOf, MapOf
from fairlane.search.breaks.evaluate import Compute
from fairlane.search.breaks.objectives import Objective, ObjectiveError
from fairlane.search.breaks.witness import replay, witnesses_in
from fairlane.search.evidence.criteria import SUBJECT, networks
from fairlane.search.evidence.evidence import flows_named
from fairlane.search.evidence.measures import Measures, Run
from fairlane.study.joint.behaviour import digest_of


@dataclass(frozen=True)
class RankedValue:
    """A value that counts."""

    value: str = own(Text(1), "A metric, or an expression of metrics.", ...)
    title: str = own(Text(1), "Its name.", ...)
    better: str = own(Words(("more", "less")), "The better end.", ...)
    floor: float = own(Number(Range(1e-12, 1e12), is_integer=False), "Smaller values count as this.", ...)


@dataclass(frozen=True)
class UseCase:
    """Networks of one kind."""

    name: str = own(Text(1), "Its name.", ...)
    title: str = own(Text(1), "Its heading.", ...)
    experiment: str = own(Text(1), "The experiment file.", ...)
    source: str = own(Text(1), "Where the networks are from.", ...)
    weights: dict[str, float] = own(lambda: MapOf(Number(is_integer=False), 1, 9), "Weights of the values.", ...)


@dataclass(frozen=True)
class Form:
    """The file of weights."""

    title: str = own(Text(1), "A title.", ...)
    baseline: str = own(Text(1), "The algorithm with the score 1.", "cubic")
    values: dict[str, RankedValue] = own(lambda: MapOf(table_of(RankedValue), 1, 9), "Values by name.", ...)
    uses: list[UseCase] = own(lambda: ListOf(table_of(UseCase), 1, 20), "Use cases.", ...)
    folder: Path = Path()


@dataclass(frozen=True)
class Ranked:
    """An algorithm: for each use case and value the mean logarithm of its ratio to the baseline, by repeat."""

    algorithm: str
    ratios: Mapping[str, Mapping[str, Sequence[float]]]
    """Above 0 is better."""
    failures: Mapping[str, int]
    """Networks without a value, by use case; they do not count."""
    worst_cases: tuple[int, int] | None = None
    """In how many of how many kept worst cases it has less than half of CUBIC's goodput."""

    def score(self, use: UseCase) -> Interval | None:
        """The score; None if nothing was measured."""
        found = self.ratios.get(use.name, {})
        weights = {name: weight for name, weight in use.weights.items() if found.get(name)}
        total = sum(weights.values())
        if not total:
            return None
        columns = zip(*(found[name] for name in weights), strict=True)
        logs = [sum(w * x for w, x in zip(weights.values(), row, strict=True)) / total for row in columns]
        return _exponential(interval_of_paired(logs))

    def ratio(self, use: str, value: str) -> Interval | None:
        """A value relative to the baseline's; of one less of which is better, above 1 is less."""
        logs = self.ratios.get(use, {}).get(value)
        return _exponential(interval_of_paired(logs)) if logs else None


def _exponential(found: Interval) -> Interval:
    return Interval(
        math.exp(found.estimate),
        math.exp(found.low),
        math.exp(min(found.high, 700.0)) if found.n >= LEAST else math.inf,
        found.n,
    )


def read(path: Path) -> Form:
    """Reads and checks a file of weights. Raises ExperimentError with a line for each error."""
    form = read_document(Form, document.read(path, remedy="name a file of weights"), _check)
    return replace(form, folder=path.parent)


def _check(form: Form, reader: Reader) -> None:
    for name, one in form.values.items():
        try:
            Objective(name, one.title, one.value).check(one_run=True)
        except ObjectiveError as error:
            reader.report(("values", name, "value"), str(error))
    for index, use in enumerate(form.uses):
        for name, weight in use.weights.items():
            if name not in form.values:
                reader.report(("uses", index, "weights"), unknown("value", name, form.values))
            elif weight < 0:
                reader.report(
                    ("uses", index, "weights", name), "is below 0; a value whose less is better says so itself"
                )


def rank(
    form: Form,
    words: Sequence[str],
    repeats: int,
    measures: Measures,
    compute: Compute,
    progress: Callable[[int, int], None] = lambda *_: None,
) -> list[Ranked]:
    """Computes what is missing. Raises ExperimentError."""
    every = list(dict.fromkeys([form.baseline, *words]))
    points = {(word, use.name): networks(form.folder, use, word).points for word in every for use in form.uses}
    runs: dict[str, Run] = {}
    for (_, name), some in points.items():
        use = next(one for one in form.uses if one.name == name)
        for point in some:
            for objective in _objectives(form, use):
                measures.want(runs, point, repeats, objective, flows_named(SUBJECT, point))
    before = measures.computed
    measures.compute(runs.values(), compute, lambda: progress(measures.computed - before, len(runs)))
    return [_ranked(form, word, points, repeats, measures) for word in words]


def _objectives(form: Form, use: UseCase) -> list[Objective]:
    return [Objective(name, form.values[name].title, form.values[name].value) for name in use.weights]


def _ranked(
    form: Form,
    word: str,
    points: Mapping[tuple[str, str], Sequence[PlannedPoint]],
    repeats: int,
    measures: Measures,
) -> Ranked:
    ratios: dict[str, dict[str, list[float]]] = {}
    failures: dict[str, int] = {}
    for use in form.uses:
        pairs = list(zip(points[word, use.name], points[form.baseline, use.name], strict=True))
        for objective in _objectives(form, use):
            value = form.values[objective.name]
            logs = []
            for repeat in range(repeats):
                found = []
                for pair in pairs:
                    ours, theirs = (_number(measures, one, repeat, objective) for one in pair)
                    if ours is None or theirs is None:
                        failures[use.name] = failures.get(use.name, 0) + (repeat == 0)
                        continue
                    log = math.log(max(ours, value.floor) / max(theirs, value.floor))
                    found.append(log if value.better == "more" else -log)
                if found:
                    logs.append(sum(found) / len(found))
            ratios.setdefault(use.name, {})[objective.name] = logs
    return Ranked(word, ratios, failures)


def _number(measures: Measures, point: PlannedPoint, repeat: int, objective: Objective) -> float | None:
    found = measures.value(point, repeat, objective, flows_named(SUBJECT, point))
    return None if found is None else found.number


def with_worst_cases(ranked: Ranked, folder: Path, jobs: int) -> Ranked:
    """With the result in the worst cases that `fairlane break` kept of other algorithms and of this one."""
    found = replay(witnesses_in(folder), ranked.algorithm, jobs)
    failing = sum(one.score is None or one.score >= one.witness.objective.fails for one in found)
    return replace(ranked, worst_cases=(failing, len(found)))


def front(every: Sequence[Ranked], use: str) -> set[str]:
    """The Pareto front: no other algorithm has both more goodput and less delay in this use case."""
    found = {
        one.algorithm: (goodput.estimate, delay.estimate)
        for one in every
        if (goodput := one.ratio(use, "goodput")) and (delay := one.ratio(use, "delay"))
    }
    return {
        name
        for name, (goodput, delay) in found.items()
        if not any(x >= goodput and y >= delay and (x, y) != (goodput, delay) for x, y in found.values())
    }


def behaviour(form: Form, every: Iterable[Ranked]) -> str:
    """The digest of the simulator's results in these networks: scores of builds that agree in it can be compared."""
    experiments = [networks(form.folder, use, form.baseline).experiment for use in form.uses]
    return digest_of(experiments, [one.algorithm for one in every])


def saved(form: Form, every: Sequence[Ranked], repeats: int) -> str:
    """The text of a file of scores, to which `--add` compares another algorithm."""
    rows = [
        {
            **asdict(one),
            "ratios": {use: {k: [round(x, 4) for x in v] for k, v in of.items()} for use, of in one.ratios.items()},
        }
        for one in every
    ]
    found = {"behaviour": behaviour(form, every), "repeats": repeats, "algorithms": rows}
    return json.dumps(found, indent=0) + "\n"


def load(path: Path) -> tuple[str, list[Ranked]]:
    """The digest of behaviour and the algorithms of such a file."""
    found: Mapping[str, Any] = json_value(path, "make it with `fairlane rank --save`")
    rows: Iterable[Mapping[str, Any]] = found["algorithms"]
    return str(found["behaviour"]), [
        Ranked(
            row["algorithm"],
            row["ratios"],
            row["failures"],
            tuple(row["worst_cases"]) if row["worst_cases"] else None,
        )
        for row in rows
    ]


def name_of(word: str) -> str:
    """An algorithm as tables have it."""
    return Algorithm(word).name
