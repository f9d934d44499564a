"""Answers of a study's front page: why claims do not hold, and which testbed was fitted to which numbers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from fairlane.results.metrics import find
from fairlane.results.metrics.averaging import listed
from fairlane.results.tables import ResultTables
from fairlane.show.report.claim_cards import JudgedClaim
from fairlane.study.claims import Status
from fairlane.study.claims.over_settings import Effect
from fairlane.study.joint.saved import Saved
from fairlane.study.joint.settings import value_words
from fairlane.study.paper.definition import Study, Testbed, Training
from fairlane.study.paper.unknowns import value_at


@dataclass(frozen=True)
class CauseCount:
    """The claims that do not hold here for one cause."""

    cause: str
    """In a few words."""
    claims: Sequence[JudgedClaim]

    def count(self, status: str) -> int:
        """Those with this status."""
        return sum(claim.status == status for claim in self.claims)


def causes(claims: Sequence[JudgedClaim]) -> list[CauseCount]:
    """The causes of claims that fail or are undecided, the most frequent first."""
    found: dict[str, list[JudgedClaim]] = {}
    for claim in claims:
        if claim.cause:
            found.setdefault(claim.cause, []).append(claim)
    return sorted((CauseCount(*one) for one in found.items()), key=lambda one: -len(one.claims))


@dataclass(frozen=True)
class Fit:
    """A testbed whose unknown settings were fitted to numbers of the paper."""

    name: str
    title: str
    experiments: Sequence[str]
    settings: Sequence[tuple[str, str]]
    """Each fitted setting by its name, and its value."""
    numbers: Sequence[str]
    """The published numbers, in words."""
    claims: Sequence[JudgedClaim]
    """The claims about such numbers."""

    @property
    def holding(self) -> int:
        """Those of them that hold."""
        return sum(claim.status == Status.HOLDS for claim in self.claims)


@dataclass(frozen=True)
class OtherTestbed:
    """A variant of the study, or the best setting of a testbed's unknowns, judged on all claims and numbers."""

    title: str
    values: str
    """Of the unknowns; empty for a variant."""
    gained: Sequence[JudgedClaim]
    lost: Sequence[JudgedClaim]
    numbers: int
    """The change in the published numbers that are met within 25 %."""
    is_better: bool
    """Whether it would be better than the shipped one on balance."""


def other_testbeds(study: Study, joint: Saved, claims: Sequence[JudgedClaim]) -> list[OtherTestbed]:
    """The best setting of each testbed, then each variant that turns a claim, the largest net count first."""
    every = [one.effect for one in joint.sorted]
    best = [_best(every, name) for name in dict.fromkeys(one.of for one in every if one.kind == "testbed")]
    variants = [one for one in every if one.kind == "variant" and (one.gained or one.lost)]
    by_name = {claim.name: claim for claim in claims}
    titles = {name: one.title for name, one in study.file.testbeds.items()}
    titles |= {name: one.title for name, one in study.file.variants.items()}
    return [
        OtherTestbed(
            titles.get(one.of, one.title),
            one.values,
            [by_name[name] for name in one.gained if name in by_name],
            [by_name[name] for name in one.lost if name in by_name],
            one.numbers,
            one.is_free and one.net_pct > 0,
        )
        for one in (*best, *variants)
    ]


def _best(every: Sequence[Effect], testbed: str) -> Effect:
    mine = [one for one in every if one.kind == "testbed" and one.of == testbed]
    return max(mine, key=lambda one: (one.is_free, one.net_pct))


def fits(study: Study, results: Mapping[str, ResultTables], claims: Sequence[JudgedClaim]) -> list[Fit]:
    """The testbeds that were fitted, of those whose experiments were run."""
    return [
        Fit(
            name,
            testbed.title,
            testbed.experiments,
            _settings(testbed, results),
            [_numbers(one) for one in testbed.training],
            [claim for claim in claims if testbed.title in claim.fitted],
        )
        for name, testbed in study.file.testbeds.items()
        if testbed.training and set(testbed.experiments) & results.keys()
    ]


def _settings(testbed: Testbed, results: Mapping[str, ResultTables]) -> list[tuple[str, str]]:
    """The values that the testbed's experiments ran with."""
    run = [results[name].plans[0].settings for name in testbed.experiments if name in results]
    found = []
    for name, unknown in testbed.unknowns.items():
        values = [value_words(value) for settings in run if (value := value_at(settings, unknown.keys[0])) is not None]
        found.append((name, ", ".join(dict.fromkeys(values)) or value_words(unknown.default)))
    return found


def _numbers(training: Training) -> str:
    """Metrics, experiments and points: `goodput and mean RTT of two-flows (algorithm reno, cubic)`."""
    metrics = listed([find(name).label for name in training.metrics])
    text = f"{metrics} of {listed(list(training.experiments))}"
    points = [
        ", ".join(f"{column} {', '.join(map(str, values))}" for column, values in one.items()) for one in training.where
    ]
    return f"{text} ({'; '.join(points)})" if points else text
