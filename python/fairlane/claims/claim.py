"""A claim of a paper and its predicate; how a study's claims are written down and found."""

import csv
import importlib.util
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

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
    """What Fairlane does not have yet and the claim needs: Wi-Fi, QUIC."""
    contradicted: str = ""
    """How the paper's own numbers contradict it."""
    explanation: str = ""
    """Why ours differs from the paper, where it was looked into."""


class Claims:
    """Collects the claims of a study: each file `claims.py` makes one and calls it `CLAIMS`."""

    def __init__(self) -> None:
        self._predicates: dict[str, Predicate] = {}
        self._reasons: dict[str, dict[str, str]] = {}

    def claim(self, id: str, *, contradicted: str = "", explanation: str = "") -> Callable[[Predicate], Predicate]:
        """Decorates the predicate of a claim."""

        def define(predicate: Predicate) -> Predicate:
            self._add(id, contradicted=contradicted, explanation=explanation)
            self._predicates[id] = predicate
            return predicate

        return define

    def untestable(self, id: str, reason: str) -> None:
        """Says why a claim cannot be tested by anybody."""
        self._add(id, untestable=reason)

    def waiting(self, reason: str, *ids: str) -> None:
        """Says what these claims wait for."""
        for id in ids:
            self._add(id, waiting=reason)

    def _add(self, id: str, **reasons: str) -> None:
        if id in self._reasons:
            raise ClaimError(f"{id} stands twice; remove one")
        self._reasons[id] = reasons

    def beside(self, published: Mapping[str, Published]) -> list[Claim]:
        """All claims in the order of the paper. Raises ClaimError unless both have the same."""
        mistakes = [
            f"{id} is published, and claims.py says nothing of it" for id in published if id not in self._reasons
        ]
        mistakes += [f"{id} is in claims.py, and was not published" for id in self._reasons if id not in published]
        if mistakes:
            raise ClaimError("\n".join(mistakes))
        return [Claim(one, self._predicates.get(id), **self._reasons[id]) for id, one in published.items()]


def load(study: Path) -> list[Claim]:
    """The claims of a study, in the order of `published/claims.csv`. Raises ClaimError."""
    with (study / "published" / "claims.csv").open(newline="", encoding="utf-8") as file:
        published = {
            row["id"]: Published(**{name: row[name] for name in Published.__annotations__})
            for row in csv.DictReader(file)
        }
    path = study / "claims.py"
    spec = importlib.util.spec_from_file_location(f"claims_of_{study.name}", path)
    if spec is None or spec.loader is None:
        raise ClaimError(f"{path} is no Python file")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    collected: Claims = module.CLAIMS
    try:
        return collected.beside(published)
    except ClaimError as error:
        raise ClaimError("\n".join(f"{path}: {line}" for line in str(error).splitlines())) from None
