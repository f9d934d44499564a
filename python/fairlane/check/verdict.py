"""One line of the report."""

from dataclasses import asdict, dataclass
from typing import Any, Literal


@dataclass(frozen=True)
class Verdict:
    """What became of one check."""

    check: str
    outcome: Literal["passes", "fails", "not tried"]
    detail: str
    """The figure with its bound, the mistake with its place, or why it was not tried."""

    def as_json(self) -> dict[str, Any]:
        """For scripts."""
        return asdict(self)


def passes(check: str, detail: str) -> Verdict:
    """The check found nothing wrong."""
    return Verdict(check, "passes", detail)


def fails(check: str, detail: str) -> Verdict:
    """The check found something wrong."""
    return Verdict(check, "fails", detail)


def not_tried(check: str, reason: str) -> Verdict:
    """The check could not be made."""
    return Verdict(check, "not tried", reason)
