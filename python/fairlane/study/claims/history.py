"""The history of a study's predicates: `studies/NAME/predicates.toml`.

A predicate that is rewritten after its verdict was seen may be fitted to that verdict. So each change stands in this
file with its reason and the verdicts of both predicates on the same runs:

    [[changed]]
    claim = "d14"          # the claim, without the name of the study
    date = 2026-11-28
    before = "Jain's index of at least 0.82"
    after = "Jain's index of at least 0.9"
    reason = "0.82 is the paper's own value, so the predicate could not fail."
    verdict_before = "holds"
    verdict_after = "fails"

`before` and `after` put the predicates into words. A verdict is "holds", "fails", "undecided", "not run", if no
experiment for it existed, or "unknown", if nobody evaluated the predicate on such runs.
"""

import datetime
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

from pydantic import Field, ValidationError

from fairlane import files
from fairlane.scenario.base_model import Table

FILE = "predicates.toml"
"""Its name in the folder of a study."""
Told = Literal["holds", "fails", "undecided", "not run", "unknown"]


class PredicateChange(Table):
    """A change of the predicate of a claim."""

    claim: str
    """Its identifier, without the name of the study."""
    date: datetime.date
    before: str = Field(min_length=1)
    """The older predicate, in words."""
    after: str = Field(min_length=1)
    reason: str = Field(min_length=1)
    verdict_before: Told
    """The verdict of the older predicate."""
    verdict_after: Told
    """The verdict of the newer one on the same runs."""

    @property
    def summary(self) -> str:
        """The change in one line."""
        verdicts = f"{self.verdict_before}, now {self.verdict_after}"
        return f"{self.date}: {self.before} ({verdicts}: {self.after}). {self.reason}"


class _History(Table):
    changed: list[PredicateChange] = Field(min_length=1)


def changes(study: Path) -> Mapping[str, Sequence[PredicateChange]]:
    """The changes of each claim of a study, the first one first; none without the file. Raises ValueError."""
    path = study / FILE
    if not path.is_file():
        return {}
    try:
        found = _History.model_validate(files.toml(path, "fix the file")).changed
    except ValidationError as error:
        lines = [f"{path}: {'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors()]
        raise ValueError("\n".join(lines)) from None
    by_claim: dict[str, list[PredicateChange]] = {}
    for one in sorted(found, key=lambda change: change.date):
        by_claim.setdefault(f"{study.name}-{one.claim}", []).append(one)
    return by_claim
