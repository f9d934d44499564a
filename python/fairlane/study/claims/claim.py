"""A claim of a paper and its predicate; how a study's claims are written down and found."""

import importlib
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from fairlane import files
from fairlane.algorithm import from_text, trust
from fairlane.engine.messages import unknown
from fairlane.study.claims import history
from fairlane.study.claims.evidence import Evidence
from fairlane.study.claims.history import PredicateChange
from fairlane.study.claims.judgement import Judgement

OF_FAIRLANE = ("elephants2023", "fiftyshades2019", "lin2019", "modestbbr")
"""The studies whose Python files run unasked. Others may be copied into the folder of studies."""
Predicate = Callable[[Evidence], Judgement]
Explanation = str | Callable[[Evidence], str]
"""A text, or a function that writes it from the values of the runs, so that its numbers are never out of date."""


class Cause(StrEnum):
    """The cause of a claim that does not hold here."""

    CONTRADICTED = "contradicted"
    """The paper's own numbers do not support it."""
    TESTBED = "testbed"
    """The testbed differs from the study's assumptions; a variant of the experiment shows it."""
    VERSION = "version"
    """The software under test was another version."""
    CHANCE = "chance"
    """The interval includes the threshold or, for a claim that fails, it holds on some of our repeats alone."""
    FEW_REPEATS = "too few repeats"
    """A sample of ours is too small for an interval. The program finds this."""
    PREDICATE = "predicate"
    """The sentence cannot be put into numbers without a choice, and with another choice, `Claim.other_reading`, it
    would hold.
    """
    NO_TESTBED = "no testbed"
    """It fails at every setting of the unknowns of its testbed, on which its values depend: no testbed as described
    gives it. The program finds this by running them (`fairlane explain --joint`); a study cannot declare it.
    """
    UNEXPLAINED = "unexplained"


class ClaimError(ValueError):
    """Inconsistent claims; one line per error."""


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
    """A published claim with its predicate, or the reason why there is none."""

    published: Published
    predicate: Predicate | None
    untestable: str = ""
    """Why it cannot be tested: a definition, an opinion, something that the paper only cites."""
    unsupported: str = ""
    """The experiment of `study.toml` that cannot be run yet and would decide it."""
    contradicted: str = ""
    """A remark on other places of the paper; it is not enough for the cause CONTRADICTED."""
    explanation: Explanation = ""
    """The cause of the difference from the paper's value, if it was investigated."""
    cause: Cause | None = None
    """The kind of that reason."""
    variant: str = ""
    """The variant of `study.toml` whose change shows that reason."""
    other_reading: Predicate | None = None
    """The sentence put into numbers in another way."""
    contradiction: Predicate | None = None
    """The sentence applied to a number from another place of the paper, where it has to fail."""
    changes: tuple[PredicateChange, ...] = ()
    """The changes of its predicate, the first one first."""


class Claims:
    """Collects the claims of a study: its `claims.py`, or `claims/__init__.py`, makes one and calls it `CLAIMS`."""

    def __init__(self) -> None:
        self._defined: dict[str, dict[str, Any]] = {}
        """The fields of each `Claim` but `published`, `other_reading` and `contradiction`."""
        self._readings: dict[str, Predicate] = {}
        self._contradictions: dict[str, Predicate] = {}

    def claim(
        self, id: str, *, contradicted: str = "", explanation: Explanation = "", cause: str = "", variant: str = ""
    ) -> Callable[[Predicate], Predicate]:
        """Decorates the predicate of a claim.

        `cause` is a value of `Cause`, and `variant` the name of a variant of `study.toml` that shows it.
        `contradicted` is a remark on other places of the paper; `contradiction` is for those that refute the claim.
        """
        if cause in (Cause.NO_TESTBED, Cause.FEW_REPEATS):
            raise ClaimError(f"{id}: the cause '{cause}' is computed; declare {Cause.UNEXPLAINED}")
        reasons = {"contradicted": contradicted, "explanation": explanation, "variant": variant}

        def define(predicate: Predicate) -> Predicate:
            self._add(id, predicate=predicate, cause=Cause(cause) if cause else None, **reasons)
            return predicate

        return define

    def other_reading(self, id: str) -> Callable[[Predicate], Predicate]:
        """Decorates the predicate of another reading of a claim; its docstring says which."""

        return self._described(id, self._readings, "another reading needs a docstring that says which")

    def contradiction(self, id: str) -> Callable[[Predicate], Predicate]:
        """Decorates the sentence of a claim as applied to another place of the paper; its docstring says where.

        The claim is contradicted if this fails on the paper's own numbers and the claim's predicate does not hold on
        them. A number of that place that no table has is `Measurement.published("IV-C, gain", 1.038)`.
        """
        return self._described(id, self._contradictions, "a contradiction needs a docstring that says where it is")

    def _described(self, id: str, where: dict[str, Predicate], complaint: str) -> Callable[[Predicate], Predicate]:
        def define(predicate: Predicate) -> Predicate:
            if not predicate.__doc__:
                raise ClaimError(f"{id}: {complaint}")
            where[id] = predicate
            return predicate

        return define

    def untestable(self, id: str, reason: str, *, contradicted: str = "") -> None:
        """Records why a claim cannot be tested."""
        self._add(id, untestable=reason, contradicted=contradicted)

    def unsupported(self, experiment: str, *ids: str, contradicted: str = "") -> None:
        """Records the experiment [unsupported.NAME] of `study.toml` that these claims need."""
        for id in ids:
            self._add(id, unsupported=experiment, contradicted=contradicted)

    def _add(self, id: str, predicate: Predicate | None = None, **reasons: Any) -> None:
        if id in self._defined:
            raise ClaimError(f"{id} is defined twice; remove one")
        self._defined[id] = {"predicate": predicate, **reasons}

    def matched(self, published: Mapping[str, Published]) -> list[Claim]:
        """All claims in the order of the paper. Raises ClaimError unless both sides have the same claims."""
        defined = self._defined
        mistakes = [f"{id} is published, but the study does not define it" for id in published if id not in defined]
        mistakes += [f"{id} is defined by the study, but not published" for id in defined if id not in published]
        mistakes += [
            f"{id} has {more} and no predicate"
            for more, ids in (("another reading", self._readings), ("a contradiction", self._contradictions))
            for id in ids
            if defined.get(id, {}).get("predicate") is None
        ]
        if mistakes:
            raise ClaimError("\n".join(mistakes))
        return [
            Claim(
                one,
                other_reading=self._readings.get(id),
                contradiction=self._contradictions.get(id),
                **defined[id],
            )
            for id, one in published.items()
        ]


def load(study: Path) -> list[Claim]:
    """The claims of a study, in the order of `published/claims.csv`. Raises ClaimError."""
    table = study / "published" / "claims.csv"
    columns, rows = files.csv_rows(table, "fix the file")
    for name in Published.__annotations__:
        if name not in columns:
            raise ClaimError(f"{table}: {unknown('column', name, columns)}")
    published = {row["id"]: Published(**{name: row[name] for name in Published.__annotations__}) for row in rows}
    path = study / "claims.py"
    if not path.is_file():
        path = study / "claims" / "__init__.py"
    try:
        claims = _collected(study.name, path).matched(published)
        named = any(one.variant or one.unsupported for one in claims)
        claims = _checked(claims, files.toml(study / "study.toml", "") if named else {})
    except ClaimError as error:
        raise ClaimError("\n".join(f"{path}: {line}" for line in str(error).splitlines())) from None
    return _with_changes(claims, study)


def _with_changes(claims: list[Claim], study: Path) -> list[Claim]:
    """With the history of their predicates. Raises ClaimError."""
    try:
        changes = history.changes(study)
    except ValueError as error:
        raise ClaimError(str(error)) from None
    every = {claim.published.id for claim in claims if claim.predicate is not None}
    wrong = [f"{study / history.FILE}: {unknown('claim with a predicate', id, every)}" for id in changes.keys() - every]
    if wrong:
        raise ClaimError("\n".join(sorted(wrong)))
    return [replace(claim, changes=tuple(changes.get(claim.published.id, ()))) for claim in claims]


def _collected(study: str, path: Path) -> Claims:
    package = path.name == "__init__.py"
    if study not in OF_FAIRLANE and (reason := trust.refusal(path.parent if package else path)):
        raise ClaimError(reason)
    name = f"claims_of_{study}"
    for loaded in [one for one in sys.modules if one == name or one.startswith(f"{name}.")]:
        del sys.modules[loaded]  # of another folder of this name, or as it was before a change
    module = from_text.module(name, path, is_package=package)
    sys.modules[name] = module  # its parts import from it
    with from_text.importable(path.parent, is_package=True):
        from_text.execute(module)
        for part in sorted(path.parent.glob("*.py")) if package else ():
            if part != path:
                importlib.import_module(f"{name}.{part.stem}")
    collected: Claims = module.CLAIMS
    return collected


def _checked(claims: list[Claim], study: Mapping[str, Any]) -> list[Claim]:
    """With the missing feature in words, where a claim needs one. Raises ClaimError for names not in `study.toml`."""
    known = study.get("variants", {})
    wrong = [
        f"{one.published.id}: {unknown('variant of study.toml', one.variant, known)}"
        for one in claims
        if one.variant and one.variant not in known
    ]
    wrong += [
        f"{one.published.id}: the cause is {one.cause}, so name the variant that shows it"
        for one in claims
        if one.cause is Cause.TESTBED and not one.variant
    ]
    wrong += [
        f"{one.published.id}: the cause is {one.cause}, so define the other reading of the sentence (other_reading)"
        for one in claims
        if one.cause is Cause.PREDICATE and one.other_reading is None
    ]
    missing: Mapping[str, Mapping[str, str]] = study.get("unsupported", {})
    needs = {name: f"needs {one['needs']}: {one['title']} ({one['source']})" for name, one in missing.items()}
    wrong += [
        f"claims wait for {name}, and study.toml has no [unsupported.{name}]"
        for name in dict.fromkeys(one.unsupported for one in claims if one.unsupported)
        if name not in needs
    ]
    if wrong:
        raise ClaimError("\n".join(wrong))
    return [replace(one, unsupported=needs[one.unsupported]) if one.unsupported else one for one in claims]
