"""All that the results say about a study: each table and figure compared, each claim judged."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from fairlane.claims import ClaimError, Evidence, Ruling, load, rule
from fairlane.store.results import Results
from fairlane.study.compare import Comparison, Frames, compare
from fairlane.study.rerun import open_results
from fairlane.study.study import Item, Study, StudyError


@dataclass(frozen=True)
class Findings:
    """What came out of a study."""

    study: Study
    results: Mapping[str, Results]
    """Of the experiments that have some, by the study's names."""
    comparisons: Sequence[Comparison]

    def judge(self) -> list[Ruling]:
        """The verdict on each of the paper's claims; none if the study has no claims. Raises StudyError."""
        if not self.study.has_claims:
            return []
        try:
            evidence = Evidence(self.results.get)
            return [rule(claim, evidence) for claim in load(self.study.folder)]
        except ClaimError as error:
            raise StudyError(str(error)) from None


def findings(study: Study, items: Sequence[Item], folder: Path, *, quick: bool = False) -> Findings:
    """Compares these items with the paper; nothing is run. Raises StudyError.

    Claims go by all that was run, whether an item of these shows it or not.
    """
    results = open_results(study, study.file.items, folder, quick=quick)
    frames = {
        name: Frames(one, needing)
        for name, one in results.items()
        if (needing := [item for item in items if name in item.experiments])
    }
    return Findings(study, results, [compare(study, item, frames) for item in items])
