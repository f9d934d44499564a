"""The findings of a study from its stored runs: its tables and figures beside the paper's, and verdicts on claims."""

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from fairlane.results.tables import ResultTables
from fairlane.study.claims import ClaimError, ClaimVerdict, judge
from fairlane.study.claims import load as load_claims
from fairlane.study.claims.claim import Cause
from fairlane.study.claims.stored_runs import rows_for, stored_evidence
from fairlane.study.explain import variants
from fairlane.study.explain.families import Families
from fairlane.study.explain.requirements import Need, Requirements
from fairlane.study.paper.comparison import Comparison, Frames, compare
from fairlane.study.paper.definition import Item, Study, StudyError, quick_name
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
    quick: bool

    def judge(self, only: Container[str] | None = None) -> list[ClaimVerdict]:
        """The verdict on each claim of the paper, or on those in `only`, by id. Raises StudyError."""
        if not self.study.has_claims:
            return []
        try:
            claims = [claim for claim in load_claims(self.study.folder) if only is None or claim.published.id in only]
        except ClaimError as error:
            raise StudyError(str(error)) from None
        requirements = Requirements(self.study)
        expected: dict[str, set[tuple[str, str]]] = {}
        for need in [need for claim in claims for need in requirements.of(claim)]:
            expected.setdefault(need.experiment, set()).add((need.metric, rows_for(need.flow)))
        evidence = stored_evidence(self.results.get, expected)
        varied = {
            name: stored_evidence(partial(variants.stored, self.stored, self.study, name), expected)
            for name in self.study.file.variants
        }
        families = Families(self.study, quick=self.quick)
        verdicts = []
        for claim in claims:
            before = len(requirements.needs)
            verdict = judge(claim, evidence, requirements.evidence, varied.get(claim.variant))
            needs = requirements.needs[before:]
            if verdict.cause is Cause.UNEXPLAINED:
                family = families.judge(claim, needs, self.stored, expected, verdict.on_own_numbers)
                verdict = replace(verdict, family=family)
            verdicts.append(replace(verdict, calibrated=self._calibrated(needs)))
        return verdicts

    def _calibrated(self, needs: Sequence[Need]) -> str:
        """The testbeds that were fitted to the numbers of a claim."""
        found = [
            f"{testbed.title} was fitted to such numbers (fairlane calibrate {self.study.name} {name})"
            for name, testbed in self.study.file.testbeds.items()
            if any(need.is_trained_by(one) for need in needs for one in testbed.training)
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
    return Findings(study, results, [compare(study, item, frames) for item in items], stored, quick)
