"""A claim of a paper and its predicate; how a study's claims are written down and found."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from fairlane.claims.evidence import Evidence
from fairlane.claims.judgement import Judgement

Predicate = Callable[[Evidence], Judgement]


class ClaimError(ValueError):
    """Claims that do not fit together; a line for each mistake."""


@dataclass(frozen=True)
class Published:
    """A claim as the paper has it, in our own words: a row of `published/claims.csv`."""

    id: str
    section: str
    claim: str
    scenario: str
    algorithms: str
    metric: str
    threshold: str
    """The paper's number or condition; empty where it gives none."""
    note: str
    """Where the paper's own data disagree, or that it was not tested."""


@dataclass(frozen=True)
class Claim:
    """A published claim with what decides it: a predicate, or the reason why there is none."""

    published: Published
    predicate: Predicate | None
    untestable: str = ""
    """Why nobody can test it: a definition, an opinion, something that the paper only cites."""
    waiting: str = ""
    """The experiment of `study.toml` that cannot be run yet and would decide it."""
    contradicted: str = ""
    """How the paper's own numbers contradict it."""
    calibrated: str = ""
    """What of the experiment was chosen by this very claim, so that its verdict is no evidence."""
    explanation: str = ""
    """Why ours differs from the paper, where it was looked into."""


class Claims:
    """Collects the claims of a study: its `claims.py`, or `claims/__init__.py`, makes one and calls it `CLAIMS`."""

    def __init__(self) -> None:
        self._predicates: dict[str, Predicate] = {}
        self._reasons: dict[str, dict[str, str]] = {}

    def claim(
        self, id: str, *, contradicted: str = "", calibrated: str = "", explanation: str = ""
    ) -> Callable[[Predicate], Predicate]:
        """Decorates the predicate of a claim."""

        def define(predicate: Predicate) -> Predicate:
            self._add(id, contradicted=contradicted, calibrated=calibrated, explanation=explanation)
            self._predicates[id] = predicate
            return predicate

        return define

    def untestable(self, id: str, reason: str, *, contradicted: str = "") -> None:
        """Says why a claim cannot be tested by anybody."""
        self._add(id, untestable=reason, contradicted=contradicted)

    def waiting(self, experiment: str, *ids: str, contradicted: str = "") -> None:
        """Says for which experiment of [waiting.NAME] in `study.toml` these claims wait."""
        for id in ids:
            self._add(id, waiting=experiment, contradicted=contradicted)

    def _add(self, id: str, **reasons: str) -> None:
        if id in self._reasons:
            raise ClaimError(f"{id} stands twice; remove one")
        self._reasons[id] = reasons

    def beside(self, published: Mapping[str, Published]) -> list[Claim]:
        """All claims in the order of the paper. Raises ClaimError unless both have the same."""
        mistakes = [
            f"{id} is published, and the study says nothing of it" for id in published if id not in self._reasons
        ]
        mistakes += [f"{id} is judged, and was not published" for id in self._reasons if id not in published]
        if mistakes:
            raise ClaimError("\n".join(mistakes))
        return [Claim(one, self._predicates.get(id), **self._reasons[id]) for id, one in published.items()]
