"""Criteria as data: the file, its tests and their experiments."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

from fairlane.algorithm import trust
from fairlane.engine.messages import unknown
from fairlane.files import data_folder
from fairlane.scenario import document
from fairlane.scenario.diagnostics import ExperimentError
from fairlane.scenario.forms import FLAG, Number, Range, Reader, Text, Words
from fairlane.scenario.load import LoadedExperiment, PlannedPoint, load
from fairlane.scenario.table_classes import own, read_document, table_of
from fairlane.scenario.table_forms import ListOf, MapOf
from fairlane.search.breaks.objectives import Objective, ObjectiveError
from fairlane.search.evidence import KEYWORDS

SUBJECT = "subject"
"""Flows whose name begins with this have the algorithm that is judged."""
MOST_REPEATS = 30
"""Of a network: more seeds hardly narrow an interval, and take long."""

_FINITE = Range(-1e12, 1e12)


@dataclass(frozen=True)
class Test:
    """A metric in some networks, and its rule."""

    title: str = own(Text(1), "The quantity, for tables.", ...)
    experiment: str = own(Text(1), "An experiment file next to this one; flows `subject...` are judged.", ...)
    value: str = own(Text(1), "A metric, or an expression of metrics; `others.` are the other flows.", ...)
    unit: str = own(Text(), "Its unit.", "")
    want: str = own(Words(("at most", "at least")), "The better side of the bound.", ...)
    relative: bool = own(FLAG, "Whether the bound is the baseline's value in the same run.", True)
    margin: float = own(Number(_FINITE, is_integer=False), "Share of the baseline's value that counts as equal.", 0.1)
    slack: float = own(Number(_FINITE, is_integer=False), "Difference in the unit that counts as equal, too.", 0.0)
    limit: float | None = own(
        Number(_FINITE, is_integer=False),
        "A value that is good enough whatever the baseline's is; without `relative`, the bound itself.",
    )
    flows: str = own(Text(1), "The flows of the metric: those whose name begins with this, or `all`.", SUBJECT)
    by: list[str] | None = own(lambda: ListOf(Text(1), 0, 9), "Axes whose values are judged apart.  [default: all]")
    only: dict[str, list[Any]] | None = own(
        lambda: MapOf(ListOf(Text(), 1), 1, 9), "Labels of axes to which the test restricts the sweep.  [default: all]"
    )
    quick: dict[str, list[Any]] | None = own(
        lambda: MapOf(ListOf(Text(), 1), 1, 9), "Labels of axes to which `--quick` restricts the sweep."
    )
    needs: str = own(Words(("", "ecn")), "Only for algorithms that ask for ECN.", "")
    reason: str = own(Text(1), "Why this rule.", ...)
    source: str = own(Text(), "Where metric or networks are from.", "")

    def labels(self, *, quick: bool) -> dict[str, list[Any]]:
        """The labels of axes to which the sweep is restricted."""
        return {**(self.only or {}), **((self.quick or {}) if quick else {})}

    @cached_property
    def objective(self) -> Objective:
        """Computes the value."""
        return Objective(self.title, self.title, self.value)

    def bound(self, baseline: float | None) -> float:
        """The bound of one run; `baseline` is the value of the baseline in it."""
        if baseline is None:
            assert self.limit is not None
            return self.limit
        if self.want == "at most":
            found = baseline * (1 + self.margin) + self.slack
            return found if self.limit is None else max(found, self.limit)
        found = baseline * (1 - self.margin) - self.slack
        return found if self.limit is None else min(found, self.limit)

    @property
    def rule(self) -> str:
        """In words."""
        unit = f" {self.unit}" if self.unit and self.unit != "%" else " %" if self.unit else ""
        if not self.relative:
            return f"{self.want} {self.limit:g}{unit} (absolute)"
        more = [f"{100 * self.margin:g} %"] if self.margin else []
        more += [f"{self.slack:g}{unit}"] if self.slack else []
        sign = "+" if self.want == "at most" else "−"
        text = f"{self.want} the baseline's{f' {sign} ' + f' {sign} '.join(more) if more else ''}"
        kind = "or" if self.limit is not None else ""
        return f"{text} {kind} {self.limit:g}{unit}" if kind else text


@dataclass(frozen=True)
class Criterion:
    """A section of the document."""

    section: str = own(Text(1), "Its number.", ...)
    title: str = own(Text(1), "Its heading, or what it is about.", ...)
    keyword: str = own(Words(KEYWORDS), "The strongest one of the section.", ...)
    asks: str = own(Text(1), "The requirement, paraphrased.", ...)
    stated: list[str] | None = own(
        lambda: ListOf(Text(1), 1), "Words; a paragraph of the program's header that has one of them is the statement."
    )
    inapplicable: str = own(Text(), "Why it does not concern the algorithms that can run here.", "")
    untested: str = own(Text(), "Questions that the experiments leave open, and why.", "")
    tests: list[Test] = own(lambda: ListOf(table_of(Test), 0, 12), "Experiments; the criterion needs all of them.", [])


@dataclass(frozen=True)
class Criteria:
    """A document's criteria."""

    title: str = own(Text(1), "The document.", ...)
    source: str = own(Text(1), "Its text.", ...)
    baseline: str = own(Text(1), "The algorithm that bounds are relative to.", "cubic")
    criteria: list[Criterion] = own(lambda: ListOf(table_of(Criterion), 1), "In the order of the document.", ...)
    folder: Path = Path()

    def chosen(self, sections: Sequence[str] | None) -> list[Criterion]:
        """Those of these sections; 5.1 means 5.1.1 and the rest of it. Raises ExperimentError."""
        every = [one.section for one in self.criteria]
        for section in sections or ():
            if not any(_is_in(one, section) for one in every):
                raise ExperimentError([f"--only: {unknown('section', section, every)}"])
        return [one for one in self.criteria if sections is None or any(_is_in(one.section, of) for of in sections)]


def _is_in(section: str, of: str) -> bool:
    return section == of or section.startswith(f"{of}.")


@dataclass(frozen=True)
class Networks:
    """The experiment of a test, with the algorithm in it."""

    experiment: LoadedExperiment
    points: Sequence[PlannedPoint]
    """Those that are run."""


def read(path: Path) -> Criteria:
    """Reads and checks a file. Raises ExperimentError with a line for each error."""
    form = read_document(Criteria, document.read(path, remedy="name a file of criteria"), _check)
    return replace(form, folder=path.parent)


def _check(form: Criteria, reader: Reader) -> None:
    for index, criterion in enumerate(form.criteria):
        if not criterion.tests and not criterion.stated and not criterion.inapplicable:
            reader.report(("criteria", index), "has neither tests nor `stated`; add one")
        for number, test in enumerate(criterion.tests):
            place = ("criteria", index, "tests", number)
            if not test.relative and test.limit is None:
                reader.report(place, "is absolute and has no limit; add it")
            try:
                test.objective.check(one_run=True)
            except ObjectiveError as error:
                reader.report((*place, "value"), str(error))


def shipped(name: str) -> Path:
    """The file of criteria of a study."""
    return data_folder("studies") / name / "criteria.toml"


class HasExperiment(Protocol):
    """A test, or a use case of the ranking."""

    @property
    def experiment(self) -> str:
        """The file of its networks."""

    @property
    def title(self) -> str:
        """Its name in messages."""


def networks(
    folder: Path,
    test: HasExperiment,
    word: str,
    labels: Mapping[str, Sequence[object]] | None = None,
    axes_named: Sequence[str] = (),
) -> Networks:
    """The networks of a test with an algorithm; `labels` selects some by axes. Raises ExperimentError.

    `axes_named` are further axes that have to exist.
    """
    path = folder / test.experiment
    data = document.read(path, remedy="add the experiment, or correct its name").data
    flows = data.get("flows")
    if not isinstance(flows, list) or not all(isinstance(one, dict) for one in flows):
        raise ExperimentError([f"{path}: flows: must be tables; write [[flows]] before each"])
    try:
        experiment = load({**with_algorithm(data, word), "repeats": MOST_REPEATS, "name": path.stem})
    except ExperimentError as error:
        raise ExperimentError([f"{path}: {line.removeprefix('experiment: ')}" for line in error.lines]) from None
    if refused := trust.refusals(
        flow["algorithm"] for one in experiment.points for flow in one.point.scenario["flows"]
    ):
        raise ExperimentError(refused)
    wanted = labels or {}
    axes = {axis.name: number for number, axis in enumerate(experiment.axes)}
    for name in [*wanted, *axes_named]:
        if name not in axes:
            raise ExperimentError([f"{path}: {test.title}: {unknown('axis', name, axes)}"])
    points = [
        one for one in experiment.points if all(one.labels[axes[name]] in map(str, of) for name, of in wanted.items())
    ]
    if not points:
        raise ExperimentError([f"{path}: {test.title}: its labels select no network; correct `only` and `quick`"])
    return Networks(experiment, points)


def with_algorithm(data: Mapping[str, Any], word: str) -> dict[str, Any]:
    """An experiment with the algorithm in the flows that are judged."""
    flows = [
        {**flow, "algorithm": word} if str(flow.get("name", "")).startswith(SUBJECT) else flow for flow in data["flows"]
    ]
    return {**data, "flows": flows}
