"""Runs what a claim asks for, as the study has it and with the claim's variant, and judges both."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from fairlane.engine.messages import unknown
from fairlane.scenario.load import load as load_experiment
from fairlane.study.claims import Claim, ClaimError, ClaimVerdict
from fairlane.study.claims import load as load_claims
from fairlane.study.claims.claim import Cause
from fairlane.study.families import Families
from fairlane.study.findings import findings
from fairlane.study.paper.definition import Study, StudyError
from fairlane.study.requirements import Asked, Need, points_of
from fairlane.study.rerun import Job, stored_name
from fairlane.study.variants import changes, load_varied, varied_name


@dataclass(frozen=True)
class Question:
    """Claims that are to be explained, and the runs that this takes."""

    claims: Sequence[Claim]
    jobs: Sequence[Job]


def question(
    study: Study, ids: Sequence[str], *, quick: bool = False, unexplained: bool = False, repeats: int | None = None
) -> Question:
    """The claims of these names, or all that have a variant, and what must be run. Raises StudyError.

    With `unexplained`, all that are declared so instead of those that have a variant.

    A name may leave out the study's: s4c-4 is modestbbr-s4c-4. `repeats` replaces what the experiments say.
    """
    try:
        every = {claim.published.id: claim for claim in load_claims(study.folder)}
    except ClaimError as error:
        raise StudyError(str(error)) from None
    full = [id if id in every else f"{study.name}-{id}" for id in ids]
    for id, given in zip(full, ids, strict=True):
        if id not in every:
            raise StudyError(unknown(f"claim of {study.name}", given, every))
    claims = [every[id] for id in full] or [
        claim for claim in every.values() if (claim.cause is Cause.UNEXPLAINED if unexplained else claim.variant)
    ]
    asked = Asked(study)
    needs = [(claim, asked.of(claim)) for claim in claims]
    plain = [need for _, found in needs for need in found]
    jobs = _jobs(study, plain, None, quick=quick, repeats=repeats)
    for variant in dict.fromkeys(claim.variant for claim in claims if claim.variant):
        wanted = [need for claim, found in needs if claim.variant == variant for need in found]
        jobs += _jobs(study, wanted, variant, quick=quick, repeats=repeats)
    open_needs = [need for claim, found in needs if claim.cause is Cause.UNEXPLAINED for need in found]
    jobs += Families(study, quick=quick).jobs(open_needs, repeats=repeats)
    return Question(claims, jobs)


def answers(study: Study, claims: Sequence[Claim], folder: Path, *, quick: bool = False) -> list[ClaimVerdict]:
    """The verdicts on these claims from what is stored. Raises StudyError."""
    wanted = {claim.published.id for claim in claims}
    return findings(study, [], folder, quick=quick).judge(lambda claim: claim.published.id in wanted)


def _jobs(study: Study, needs: Sequence[Need], variant: str | None, *, quick: bool, repeats: int | None) -> list[Job]:
    jobs = []
    for name in dict.fromkeys(need.experiment for need in needs):
        if variant is not None and not changes(study.file.variants[variant], name):
            continue
        short = study.file.experiments[name].quick if quick else None
        path = study.folder / (short or f"{name}.toml")
        stored = stored_name(name, quick=short is not None)
        if variant is None:
            experiment = load_experiment(path, repeats=repeats)
        else:
            experiment, stored = load_varied(study, path, variant, repeats=repeats), varied_name(stored, variant)
        mine = [need for need in needs if need.experiment == name]
        jobs.append(Job(name, replace(experiment, name=stored), study.name, path, points_of(mine)))
    return jobs
