"""The evidence on an algorithm: runs the experiments of criteria until their intervals decide."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fairlane import files
from fairlane.algorithm import describe
from fairlane.algorithm.c_text import requests
from fairlane.algorithm.name import Algorithm, Kind
from fairlane.algorithm.program_files import version
from fairlane.engine import __version__
from fairlane.runs.backends import provenance
from fairlane.scenario.load import PlannedPoint
from fairlane.search.breaks.evaluate import Compute
from fairlane.search.evidence.criteria import Criteria, Criterion, Test, networks
from fairlane.search.evidence.judge import Group, JudgedCriterion, JudgedTest, Outcome, Pair, groups_of, judged
from fairlane.search.evidence.measures import Measures, Run, Value

FIRST = 3
"""Repeats before the first look: fewer have no interval."""
MOST, MOST_QUICK = 30, 8
"""Repeats after which a group stays undecided."""


@dataclass(frozen=True)
class Question:
    """An algorithm, and the criteria by which it is judged."""

    algorithm: str
    criteria: Criteria
    against: str
    only: Sequence[str] | None = None
    quick: bool = False


@dataclass
class _Job:
    """A group of a test: what has to be run for it, and its verdict."""

    test: Test
    pair: Pair
    repeats: int = FIRST
    group: Group | None = None


@dataclass(frozen=True)
class Judged:
    """A group of networks."""

    section: str
    test: Test
    group: Group
    points: Sequence[PlannedPoint]


@dataclass(frozen=True)
class Evidence:
    """The verdicts, in the order of the document, and what they are based on."""

    question: Question
    criteria: Sequence[JudgedCriterion]
    runs: int
    """Different runs that the verdicts need."""
    settings: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """The experiments by file name, with the algorithm in them."""
    judged: Sequence[Judged] = ()
    networks: Sequence[PlannedPoint] = ()
    logs: Mapping[str, str] = field(default_factory=dict)
    """Judged in place of an algorithm: paths and hashes."""

    @property
    def versions(self) -> dict[str, str]:
        """Software and algorithms, or logs, by their hashes."""
        if self.logs:
            return {"fairlane": __version__, **self.logs}
        words = (self.question.algorithm, self.question.against)
        return {
            "fairlane": __version__,
            "simulator": provenance.simulator(),
            **{Algorithm(word).name: version(Algorithm(word).source) for word in words},
        }

    def not_met(self, keyword: str) -> list[JudgedCriterion]:
        """Criteria of this keyword that fail, or that could not be tested: those never count as met."""
        bad = (Outcome.FAILS, Outcome.UNTESTED)
        return [one for one in self.criteria if one.criterion.keyword == keyword and one.outcome in bad]


def gather(
    question: Question, measures: Measures, compute: Compute, progress: Callable[[int, int], None] = lambda *_: None
) -> Evidence:
    """Runs what is missing, and judges. `progress` gets the runs that are done, and those known to be needed.

    Raises ExperimentError.
    """
    header, asks_ecn = _header(question.algorithm)
    chosen = question.criteria.chosen(question.only)
    prepared = [_Prepared(question, one, header, asks_ecn=asks_ecn) for one in chosen]
    comparisons = {id(job): len(one.jobs) for one in prepared for job in one.jobs}
    most, done = MOST_QUICK if question.quick else MOST, 0
    keys: dict[str, None] = {}

    def step() -> None:
        nonlocal done
        done += 1
        progress(done, len(keys))

    waiting = [job for one in prepared for job in one.jobs]
    while waiting:
        runs = _runs(waiting, measures)
        keys |= dict.fromkeys(runs)
        measures.compute(runs.values(), compute, step)
        done = len(keys)
        for job in waiting:
            value = _values(measures, job.test)
            job.group = judged(job.test, job.pair, job.repeats, value, comparisons[id(job)])
        waiting = [job for job in waiting if _grows(job, most)]
    settings = {name: content for one in prepared for name, content in one.settings.items()}
    jobs = [(one.criterion.section, job) for one in prepared for job in one.jobs]
    return Evidence(
        question,
        [one.judged for one in prepared],
        len(keys),
        settings,
        [Judged(section, job.test, job.group, job.pair.subject) for section, job in jobs if job.group],
        [point for _, job in jobs for point in job.pair.subject],
    )


def _grows(job: _Job, most: int) -> bool:
    """Whether more repeats may decide the group; they are set."""
    group = job.group
    if group is None or group.outcome is not Outcome.UNDECIDED or job.repeats >= most:
        return False
    job.repeats = min(most, max(job.repeats + 1, min(group.needed or most, 2 * job.repeats)))
    return True


def _runs(jobs: Sequence[_Job], measures: Measures) -> dict[str, Run]:
    """The runs of groups, each once, with all values that are wanted of it."""
    found: dict[str, Run] = {}
    for job in jobs:
        for point in [*job.pair.subject, *(job.pair.baseline or ())]:
            measures.want(found, point, job.repeats, job.test.objective, flows_of(job.test, point))
    return found


def _values(measures: Measures, test: Test) -> Callable[[PlannedPoint, int], Value | None]:
    return lambda point, repeat: measures.value(point, repeat, test.objective, flows_of(test, point))


def flows_of(test: Test, point: PlannedPoint) -> frozenset[int]:
    """The numbers of the flows of a test's metric."""
    return flows_named("" if test.flows == "all" else test.flows, point)


def flows_named(prefix: str, point: PlannedPoint) -> frozenset[int]:
    """The numbers of the flows whose names begin with this."""
    names = [str(group["name"]) for group in point.point.groups]
    return frozenset(number for number, entry in enumerate(point.point.entries) if names[entry].startswith(prefix))


class _Prepared:
    """A criterion with the networks of its tests."""

    def __init__(self, question: Question, criterion: Criterion, header: str, *, asks_ecn: bool) -> None:
        self.criterion = criterion
        self.statement = _statement(criterion, header)
        self.settings: dict[str, Mapping[str, Any]] = {}
        self._jobs: list[tuple[Test, list[_Job]]] = []
        folder = question.criteria.folder
        for test in criterion.tests:
            if test.needs == "ecn" and not asks_ecn:
                self._jobs.append((test, []))
                continue
            chosen = test.labels(quick=question.quick)
            ours = networks(folder, test, question.algorithm, chosen, test.by or ())
            theirs = networks(folder, test, question.against, chosen) if test.relative else None
            self.settings[test.experiment] = ours.experiment.settings
            made = []
            for label, places in groups_of(test, ours).items():
                pair = Pair(
                    label,
                    [ours.points[place] for place in places],
                    [theirs.points[place] for place in places] if theirs else None,
                )
                made.append(_Job(test, pair))
            self._jobs.append((test, made))

    @property
    def jobs(self) -> list[_Job]:
        """Its groups."""
        return [job for _, jobs in self._jobs for job in jobs]

    @property
    def judged(self) -> JudgedCriterion:
        """The verdict, when all groups have one."""
        tests = [
            JudgedTest(test, [job.group for job in jobs if job.group], "" if jobs else NO_ECN, inapplicable=not jobs)
            for test, jobs in self._jobs
        ]
        return JudgedCriterion(self.criterion, tests, self.statement)


NO_ECN = "the program does not ask for ECN; if it should, set TCP_CONG_NEEDS_ECN in its `flags`"


def _statement(criterion: Criterion, header: str) -> str:
    """The paragraph of a program's header about a criterion: its section with a colon, or one of the words."""
    if not criterion.stated:
        return ""
    paragraphs = [" ".join(one.split()) for one in re.split(r"\n\s*\n|\n(?=\s*\d+\. )", header)]
    labelled = [one for one in paragraphs if one.startswith(f"{criterion.section}:")]
    words = re.compile("|".join(map(re.escape, criterion.stated)), re.IGNORECASE)
    return next(iter([*labelled, *(one for one in paragraphs if words.search(one))]), "")


def _header(word: str) -> tuple[str, bool]:
    """The header of a program, and whether it asks for ECN."""
    algorithm = Algorithm(word)
    if algorithm.kind is Kind.PYTHON:
        text = files.text(Path(algorithm.file), "name a file that can be read")
        return text.partition("class ")[0], "NEEDS_ECN" in text.upper()
    found = describe(algorithm.source)
    return str(found["header"]), "ecn" in requests(str(found["source"]))
