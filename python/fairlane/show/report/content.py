"""The content of a report as data, before anything is drawn."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from fairlane.show.report.experiments import Experiment, Making
from fairlane.study.paper.definition import Study

if TYPE_CHECKING:
    from fairlane.results.tables import ResultTables
    from fairlane.show.report.evidence_drawing import EvidenceRow
    from fairlane.study.paper.comparison import Comparison


@dataclass(frozen=True)
class JudgedClaim:
    """A claim of a paper and the verdict on it."""

    name: str
    section: str
    text: str
    algorithms: Sequence[str]
    """Those that the claim is about."""
    status: str
    remarks: Sequence[tuple[str, str]]
    """Our value, the paper's and other remarks, each with a label; "" where the status is the label."""
    remedy: str
    """The way to decide it; empty if there is none."""
    note: str
    cause: str = ""
    """The cause, in a few words; empty if it holds, or was not tested."""
    rows: "Sequence[EvidenceRow]" = ()
    """Comparisons, those first that decided the verdict; no more than a page shows."""
    compared: int = 0
    """The number of all comparisons."""
    holding: tuple[int, int] = (0, 0)
    """In how many of how many statements it holds; (0, 0) if it has none."""


@dataclass(frozen=True)
class Part:
    """A study, or the results of experiments that belong to none."""

    name: str
    title: str
    folder: Path
    experiments: Sequence[Experiment]
    making: Making
    study: Study | None = None
    quick: bool = False
    comparisons: "Sequence[Comparison]" = ()
    claims: Sequence[JudgedClaim] = ()
    counts: Sequence[tuple[str, int]] = ()
    """The numbers of claims that hold, fail, ..."""
    results: "Mapping[str, ResultTables]" = field(default_factory=dict)

    @property
    def damage(self) -> list[str]:
        """A line for each store of results in which something that was read is damaged."""
        return list(dict.fromkeys(one.notice for one in self.results.values() if one.damage))
