"""Judges all claims and counts all published numbers under each variant and at each setting, from stored runs."""

import textwrap
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, partial
from typing import TypeVar

from fairlane.scenario.plan import AxisValue
from fairlane.study.claims import Claim, Evidence, Judgement, NotMeasured, Verdict
from fairlane.study.claims.called import judged
from fairlane.study.claims.claim import Predicate
from fairlane.study.claims.over_settings import Effect, Reach, moves, reach
from fairlane.study.claims.stored_runs import MetricRows, StoredRuns, rows_for
from fairlane.study.explain import over_unknowns, with_change
from fairlane.study.joint.settings import DEFAULT, Settings, as_shipped
from fairlane.study.paper.comparison import Frames, compare
from fairlane.study.paper.definition import Item, Study
from fairlane.study.paper.numbers_met import Count, Number, count, numbers
from fairlane.study.paper.unknowns import Setting
from fairlane.study.requirements import Need, Requirements
from fairlane.study.rerun import StoredResults

Kept = TypeVar("Kept")
MOST_VALUES = 160
"""Characters of a claim's values."""


@dataclass(frozen=True)
class Outcome:
    """The effect of a setting, and the published numbers that are met with it."""

    effect: Effect
    holds: int
    """Claims that hold."""
    met: Count
    """All numbers but those of bounded metrics."""
    apart: Count
    """Those of bounded metrics, such as Jain's index."""


@dataclass(frozen=True)
class JointJudgement:
    """Everything that a joint judgement finds."""

    outcomes: Sequence[Outcome]
    """The default first."""
    verdicts: Mapping[str, Mapping[str, tuple[Verdict, str]]]
    """For each claim the verdict and the values at each setting, by its name, that changes one of its experiments."""
    reaches: Mapping[str, Reach]
    """For each claim that has testbeds with unknowns, the value that they move most."""
    moved: Mapping[str, Mapping[str, bool]]
    """For each claim and each testbed of it, whether a setting of the testbed changes a number of the claim."""
    missing: Sequence[str] = field(default=())
    """Claims that were not judged, for want of runs."""

    def of(self, ids: Collection[str]) -> "JointJudgement":
        """With the verdicts on these claims only; outcomes count all."""

        def kept(by_claim: Mapping[str, Kept]) -> dict[str, Kept]:
            return {id: one for id, one in by_claim.items() if id in ids}

        return replace(self, verdicts=kept(self.verdicts), reaches=kept(self.reaches), moved=kept(self.moved))


def concerned(settings: Settings, claims: Sequence[Claim], items: Sequence[Item]) -> tuple[list[Claim], list[Item]]:
    """The claims and items of which the settings, a part of all, change an experiment; none that need one left out."""
    left_out = set(settings.without)
    changed = {name for effect, _ in settings.effects() for name in settings.changed(effect)} - left_out
    needed = _needed(settings.study, claims)
    found = [one for one, names in zip(claims, needed, strict=True) if names & changed and not names & left_out]
    kept = {item.name: [name for name in item.experiments if name in changed] for item in items}
    return found, [one.model_copy(update={"experiments": kept[one.name]}) for one in items if kept[one.name]]


def decidable(settings: Settings, claims: Sequence[Claim]) -> set[str]:
    """The claims that no other testbed concerns: a part of its settings cannot refute a claim."""
    testbeds = settings.study.file.testbeds.items()
    others = {name for testbed, one in testbeds if testbed not in settings.testbeds for name in one.experiments}
    needed = _needed(settings.study, claims)
    return {one.published.id for one, names in zip(claims, needed, strict=True) if not names & others}


def _needed(study: Study, claims: Sequence[Claim]) -> list[set[str]]:
    """The experiments of each claim."""
    of = Requirements(study).of
    return [{need.experiment for need in of(one)} if one.predicate is not None else set() for one in claims]


class Judging:
    """The joint judgement of a study by its stored runs."""

    def __init__(
        self, settings: Settings, claims: Sequence[Claim], items: Sequence[Item], stored: StoredResults
    ) -> None:
        self._settings, self._items, self._stored = settings, items, stored
        self._claims = [claim for claim in claims if claim.predicate is not None]
        requirements = Requirements(settings.study)
        self._own = requirements.evidence
        self.needs = {claim.published.id: requirements.of(claim) for claim in self._claims}
        self._expected: dict[str, set[MetricRows]] = {}
        for need in self.all_needs:
            self._expected.setdefault(need.experiment, set()).add((need.metric, rows_for(need.flow)))
        self._open = cache(self._opened)
        self._counted = cache(self._numbers)
        self._framed = cache(self._frames)

    @property
    def all_needs(self) -> list[Need]:
        """Those of all claims."""
        return [need for needs in self.needs.values() for need in needs]

    def judge(self, advance: Callable[[], None] = lambda: None) -> JointJudgement:
        """Judges everything; `advance` is called after each setting."""
        defaults = {
            claim.published.id: found
            for claim in self._claims
            if (found := _judged(claim.predicate, Evidence(partial(self._source, None, None)))) is not None
        }
        verdicts: dict[str, dict[str, tuple[Verdict, str]]] = {
            id: {DEFAULT.name: _short(judgement)} for id, judgement in defaults.items()
        }
        over: dict[str, list[Judgement]] = {}
        moved: dict[str, dict[str, bool]] = {}
        outcomes = [self._outcome(DEFAULT, None, defaults, defaults)]
        for effect, setting in self._settings.effects():
            changed = set(self._settings.changed(effect))
            now = dict(defaults)
            evidence = Evidence(partial(self._source, effect, setting))
            for claim in self._claims:
                id = claim.published.id
                if id not in defaults or not changed & {need.experiment for need in self.needs[id]}:
                    continue
                judgement = _judged(claim.predicate, evidence)
                if judgement is None:
                    continue
                now[id], verdicts[id][effect.name] = judgement, _short(judgement)
                if setting is not None:
                    over.setdefault(id, []).append(judgement)
                    before = moved.setdefault(id, {}).get(effect.of, False)
                    moved[id][effect.of] = before or moves(defaults[id], judgement)
            outcomes.append(self._outcome(effect, setting, defaults, now))
            advance()
        reaches = {
            claim.published.id: found_reach
            for claim in self._claims
            if (others := over.get(claim.published.id))
            and (found_reach := reach(defaults[claim.published.id], others, _judged(claim.predicate, self._own)))
        }
        missing = [claim.published.id for claim in self._claims if claim.published.id not in defaults]
        return JointJudgement(outcomes, verdicts, reaches, moved, missing)

    def _outcome(
        self, effect: Effect, setting: Setting | None, before: Mapping[str, Judgement], now: Mapping[str, Judgement]
    ) -> Outcome:
        held = {id for id in self._counting if id in before and before[id].verdict is Verdict.HOLDS}
        holds = {id for id in self._counting if id in now and now[id].verdict is Verdict.HOLDS}
        order = [claim.published.id for claim in self._claims]
        gained, lost = ([id for id in order if id in ids] for ids in (holds - held, held - holds))
        telling, apart = (self._count(effect, setting, bounded=bounded) for bounded in (False, True))
        change = telling.within_25 - self._count(DEFAULT, None, bounded=False).within_25
        shares = (len(gained) - len(lost), len(self._counting & before.keys())), (change, telling.numbers)
        net_pct = 100 * sum(part / of for part, of in shares if of)
        part = effect is not DEFAULT and not set(self._settings.without).isdisjoint(self._settings.changed(effect))
        found_effect = replace(
            effect, gained=tuple(gained), lost=tuple(lost), numbers=change, net_pct=round(net_pct, 3), in_part=part
        )
        return Outcome(found_effect, len(holds), telling, apart)

    def _count(self, effect: Effect, setting: Setting | None, *, bounded: bool) -> Count:
        met = [one for name in self._experiments for one in self._numbers_at(effect, setting, name)]
        return count("apart" if bounded else "telling", [one for one in met if one.is_bounded is bounded])

    @cached_property
    def _counting(self) -> set[str]:
        """The claims that the paper does not contradict itself."""
        found = set()
        for claim in self._claims:
            own, elsewhere = (_judged(one, self._own) for one in (claim.predicate, claim.contradiction))
            supported = own is not None and own.verdict is Verdict.HOLDS
            refuted = own is not None and own.verdict is Verdict.FAILS
            if not refuted and (supported or elsewhere is None or elsewhere.verdict is not Verdict.FAILS):
                found.add(claim.published.id)
        return found

    @cached_property
    def _experiments(self) -> list[str]:
        return list(dict.fromkeys(name for item in self._items for name in item.experiments))

    def _numbers_at(self, effect: Effect, setting: Setting | None, experiment: str) -> Sequence[Number]:
        """The published numbers of an experiment, and ours."""
        if effect is DEFAULT or experiment not in self._settings.changed(effect):
            return self._counted(experiment, "", "", None)
        return self._counted(experiment, effect.kind, effect.of, setting)

    def _numbers(self, experiment: str, kind: str, of: str, setting: Setting | None) -> Sequence[Number]:
        items = [item for item in self._items if experiment in item.experiments and item.published]
        frames = self._framed(experiment, _ending(kind, of)) if items else None
        if frames is None:
            return []
        if setting is not None:
            frames = frames.only(self._place(experiment, of, setting))
        study = self._settings.study
        return numbers(study, [compare(study, item, {experiment: frames}) for item in items])

    def _frames(self, experiment: str, ending: str) -> Frames | None:
        tables = self._stored.of(experiment, ending)
        items = [item for item in self._items if experiment in item.experiments and item.published]
        return None if tables is None else Frames(tables, items)

    def _source(self, effect: Effect | None, setting: Setting | None, experiment: str) -> StoredRuns | None:
        if effect is None or experiment not in self._settings.changed(effect):
            return self._open(experiment, as_shipped(""))
        runs = self._open(experiment, _ending(effect.kind, effect.of))
        return runs if runs is None or setting is None else runs.only(self._place(experiment, effect.of, setting))

    def _opened(self, experiment: str, ending: str) -> StoredRuns | None:
        tables = self._stored.of(experiment, ending)
        return None if tables is None else StoredRuns(tables, self._expected.get(experiment, ()))

    def _place(self, experiment: str, testbed: str, setting: Setting) -> dict[str, AxisValue]:
        """The values of the axes of the unknowns."""
        tables = self._stored.of(experiment, over_unknowns(testbed))
        if tables is None:
            raise ValueError(f"{experiment}: no runs over the unknowns of {testbed}")
        return self._settings.testbeds[testbed].grid.chosen(tables.axes, setting)


def _ending(kind: str, of: str) -> str:
    """The end of the name in the store."""
    return {"variant": with_change, "testbed": over_unknowns}[kind](of) if of else as_shipped("")


def _judged(predicate: Predicate | None, evidence: Evidence) -> Judgement | None:
    """The judgement; None if a run is missing."""
    try:
        return None if predicate is None else judged(predicate, evidence)
    except NotMeasured:
        return None


def _short(judgement: Judgement) -> tuple[Verdict, str]:
    return judgement.verdict, textwrap.shorten(judgement.summary, MOST_VALUES, placeholder=" ...")
