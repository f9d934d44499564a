"""The findings of a study from its stored runs: its tables and figures beside the paper's, and verdicts on claims."""

from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from fairlane.results.tables import ResultTables
from fairlane.study.claims import Claim, ClaimError, ClaimVerdict, judge
from fairlane.study.claims import load as load_claims
from fairlane.study.claims.claim import Cause
from fairlane.study.claims.stored_runs import rows_for, stored_evidence
from fairlane.study.families import Families
from fairlane.study.paper.comparison import Comparison, Frames, compare
from fairlane.study.paper.definition import Item, Study, StudyError
from fairlane.study.requirements import Asked, Need
from fairlane.study.rerun import open_results, stored_name
from fairlane.study.variants import StoredVariants


def only_quick(study: Study, stored: Container[str]) -> bool:
    """Whether the quick subset is stored, and nothing of the whole."""
    forms = [name for name, part in study.file.experiments.items() if part.quick]
    return any(stored_name(name, quick=True) in stored for name in forms) and not any(n in stored for n in forms)


@dataclass(frozen=True)
class Findings:
    """The findings of a study."""

    study: Study
    results: Mapping[str, ResultTables]
    """Results by the study's names of experiments, if any are stored."""
    comparisons: Sequence[Comparison]

    folder: Path
    quick: bool

    def judge(self, wanted: Callable[[Claim], bool] = lambda _: True) -> list[ClaimVerdict]:
        """The verdict on each of the paper's claims; none if the study has no claims. Raises StudyError."""
        if not self.study.has_claims:
            return []
        try:
            claims = [claim for claim in load_claims(self.study.folder) if wanted(claim)]
        except ClaimError as error:
            raise StudyError(str(error)) from None
        asked = Asked(self.study)
        expected: dict[str, set[tuple[str, str]]] = {}
        for need in [need for claim in claims for need in asked.of(claim)]:
            expected.setdefault(need.experiment, set()).add((need.metric, rows_for(need.flow)))
        evidence = stored_evidence(self.results.get, expected)
        variants = StoredVariants(self.study, self.folder, self.results, quick=self.quick)
        varied = {name: stored_evidence(partial(variants.of, name), expected) for name in self.study.file.variants}
        families = Families(self.study, quick=self.quick).stored(self.folder, self.results.get)
        verdicts = []
        for claim in claims:
            before = len(asked.needs)
            verdict = judge(claim, evidence, asked.evidence, varied.get(claim.variant))
            needs = asked.needs[before:]
            if verdict.cause is Cause.UNEXPLAINED:
                verdict = replace(verdict, family=families.judge(claim, needs, expected, verdict.on_own_numbers))
            verdicts.append(replace(verdict, calibrated=self._calibrated(needs)))
        return verdicts

    def _calibrated(self, needs: Sequence[Need]) -> str:
        """What was fitted to the numbers that a claim is about."""
        found = [
            f"{testbed.title} was inferred from such numbers (fairlane calibrate {self.study.name} {name})"
            for name, testbed in self.study.file.testbeds.items()
            if any(need.is_trained_by(one) for need in needs for one in testbed.training)
        ]
        return "; ".join(found)


def findings(study: Study, items: Sequence[Item], folder: Path, *, quick: bool = False) -> Findings:
    """Compares these items with the paper without running anything. Raises StudyError.

    Claims use all stored runs, whether these items show them or not.
    """
    results = open_results(study, study.file.items, folder, quick=quick)
    frames = {
        name: Frames(one, needing)
        for name, one in results.items()
        if (needing := [item for item in items if name in item.experiments])
    }
    return Findings(study, results, [compare(study, item, frames) for item in items], folder, quick)
