"""The findings of a study from its stored runs: its tables and figures beside the paper's, and verdicts on claims."""

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from pathlib import Path

from fairlane.results.tables import ResultTables
from fairlane.study.claims import Claim, ClaimError, ClaimVerdict, Evidence, judge
from fairlane.study.claims import load as load_claims
from fairlane.study.claims.stored_runs import MetricRows, StoredRuns, rows_for
from fairlane.study.explain import changes, with_change
from fairlane.study.joint.saved import Saved, current
from fairlane.study.paper.comparison import Comparison, Frames, compare
from fairlane.study.paper.definition import Item, Study, StudyError, quick_name
from fairlane.study.requirements import Need, Requirements, bears_on
from fairlane.study.rerun import StoredResults


def only_quick(study: Study, stored: Container[str]) -> bool:
    """Whether the quick subset is stored, and nothing of the whole."""
    forms = [name for name, part in study.file.experiments.items() if part.quick]
    return any(quick_name(name) in stored for name in forms) and not any(n in stored for n in forms)


@dataclass(frozen=True)
class Findings:
    """The findings of a study."""

    study: Study
    results: Mapping[str, ResultTables]
    """Results by the study's names of experiments, if any are stored."""
    comparisons: Sequence[Comparison]

    stored: StoredResults
    folder: Path
    """That of the results."""

    def judge(self, only: Container[str] | None = None) -> list[ClaimVerdict]:
        """The verdict on each claim of the paper, or on those in `only`, by id. Raises StudyError."""
        if not self.study.has_claims:
            return []
        try:
            claims = [claim for claim in load_claims(self.study.folder) if only is None or claim.published.id in only]
        except ClaimError as error:
            raise StudyError(str(error)) from None
        requirements = Requirements(self.study)
        expected: dict[str, set[MetricRows]] = {}
        for need in [need for claim in claims for need in requirements.of(claim)]:
            expected.setdefault(need.experiment, set()).add((need.metric, rows_for(need.flow)))

        @cache
        def opened(experiment: str, suffix: str) -> StoredRuns | None:
            tables = self.stored.of(experiment, suffix)
            return None if tables is None else StoredRuns(tables, expected.get(experiment, ()))

        def varied(variant: str, experiment: str) -> StoredRuns | None:
            changed = changes(self.study.file.variants[variant], experiment)
            return opened(experiment, with_change(variant) if changed else "")

        evidence = Evidence(lambda name: opened(name, "") if name in self.results else None)
        changed = {name: Evidence(partial(varied, name)) for name in self.study.file.variants}
        joint = self.joint
        verdicts = []
        for claim in claims:
            before = len(requirements.needs)
            verdict = judge(claim, evidence, requirements.evidence, changed.get(claim.variant))
            needs = requirements.needs[before:]
            over = None if joint is None else joint.of(claim.published.id)
            verdicts.append(replace(verdict, over=over, calibrated=self._calibrated(claim, needs)))
        return verdicts

    @cached_property
    def joint(self) -> Saved | None:
        """The joint judgement of the study."""
        return current(self.study, self.folder)

    def _calibrated(self, claim: Claim, needs: Sequence[Need]) -> str:
        """The testbeds that were fitted to numbers that bear on a claim, and whose values change its numbers.

        Without a joint judgement all of them count.
        """
        moved = {} if self.joint is None else self.joint.moved.get(claim.published.id, {})
        found = [
            f"{testbed.title} was fitted to such numbers (fairlane calibrate {self.study.name} {name})"
            for name, testbed in self.study.file.testbeds.items()
            if moved.get(name, True) and any(bears_on(testbed, need) for need in needs)
        ]
        return "; ".join(found)


def findings(study: Study, items: Sequence[Item], folder: Path, *, quick: bool = False) -> Findings:
    """Compares these items with the paper without running anything. Raises StudyError.

    Claims use all stored runs, whether these items show them or not.
    """
    stored = StoredResults(study, folder, quick=quick)
    results = stored.all()
    frames = {
        name: Frames(one, needing)
        for name, one in results.items()
        if (needing := [item for item in items if name in item.experiments])
    }
    return Findings(study, results, [compare(study, item, frames) for item in items], stored, folder)
