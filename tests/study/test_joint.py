"""Joint judgements: their settings, and those that the studies ship, which have to be of the studies as they are."""

import re
from functools import cache
from pathlib import Path

import pytest
from fairlane.study.explain import claims_named
from fairlane.study.joint import behaviour, saved
from fairlane.study.joint.inputs import digest
from fairlane.study.joint.judging import Judging
from fairlane.study.joint.settings import MOST_COMBINATIONS, Settings
from fairlane.study.paper.definition import load
from fairlane.study.rerun import StoredResults

STUDIES = Path(__file__).parents[2] / "studies"
SHIPPED = [path.parents[1] for path in sorted(STUDIES.glob(f"*/{saved.FOLDER}/made.toml"))]
CHEAP = [folder for folder in SHIPPED if folder.name == "modestbbr"]
"""Judgements of which a sample takes seconds; for the others the digest of behaviour must do."""
EVERY = [path.parent for path in sorted(STUDIES.glob("*/study.toml"))]


def named(folder):
    return folder.name


@pytest.mark.parametrize("folder", EVERY, ids=named)
def test_settings_differ_from_the_shipped_one_and_from_each_other(folder):
    study = load(folder)
    for name, one in Settings(study, quick=True).testbeds.items():
        words = [one.words(setting) for setting in one.chosen]
        assert words, f"{name} has one setting"
        assert len(set(words)) == len(words)
        # all combinations, or one unknown at a time
        lengths = [len(values) for values in one.grid.ranges.values()]
        assert len(words) + 1 <= max(MOST_COMBINATIONS, sum(lengths) + MOST_COMBINATIONS)


@pytest.mark.parametrize("folder", SHIPPED, ids=named)
def test_a_shipped_judgement_is_of_the_study_as_it_is(folder):
    study = load(folder)
    made = saved.read(folder, study)
    again = f"fairlane explain {study.name} --joint --save{' --quick' if made.origin.quick else ''}"
    assert made.origin.inputs == digest(study), f"the study has changed since; run: {again}"
    part = {"only": made.origin.only.split(), "without": made.origin.without.split()}
    settings = Settings(study, quick=made.origin.quick, **part)
    effects = {effect.name for effect, _ in settings.effects()}
    assert set(made.outcomes) == {"default", *effects}
    known = {claim.published.id for claim in claims_named(study, []) if claim.predicate is not None}
    assert set(made.verdicts) <= known


@pytest.mark.parametrize("folder", SHIPPED, ids=named)
def test_a_shipped_judgement_is_of_the_simulator_as_it_is(folder):
    """If this fails, results have changed: judge anew, or show that the study's own have not."""
    study = load(folder)
    origin = saved.read(folder, study).origin
    assert origin.behaviour == behaviour.digest(study, quick=origin.quick)


@pytest.mark.timeout(600)
@pytest.mark.parametrize("folder", CHEAP, ids=named)
def test_a_sample_of_a_shipped_judgement_gives_the_same_verdicts_and_values_again(folder, tmp_path):
    """The claims of the cheapest variant or testbed, of which one setting is enough."""
    study = load(folder)
    made = saved.read(folder, study)
    quick, repeats = made.origin.quick, made.origin.repeats or None

    @cache
    def planned(name):
        settings = Settings(study, quick, repeats, [name], most=1)
        [(effect, _)] = settings.effects()
        ids = [id for id, by_name in made.verdicts.items() if effect.name in by_name]
        claims = claims_named(study, ids) if ids else []
        needs = Judging(settings, claims, [], StoredResults(study, tmp_path, quick=quick)).all_needs
        jobs = settings.jobs(needs, [])
        seconds = sum(size.seconds for job in jobs for _, size in job.cost(tmp_path).missing.values())
        return settings, claims, jobs, seconds

    judged = made.origin.only.split() or (*study.file.variants, *study.file.testbeds)
    names = [name for name in judged if planned(name)[1]]
    settings, claims, jobs, _ = planned(min(names, key=lambda name: planned(name)[-1]))
    for job in jobs:
        job.run(tmp_path, 1)
    found = Judging(settings, claims, [], StoredResults(study, tmp_path, quick=quick)).judge()
    for claim in claims:
        id = claim.published.id
        for name, given in found.verdicts[id].items():
            assert made.verdicts[id][name] == given, f"{id} with {name}"


def test_the_digest_of_behaviour_runs_no_program_of_others(copied):
    """It is computed by `claims`, which asks nobody for consent."""
    first = behaviour.digest(load(copied), quick=True)
    (copied / "mine.c").write_text("#error this is compiled")
    file = copied / "parameters.toml"
    file.write_text(re.sub('"modest_bbr[^"]*"', '"mine.c"', file.read_text()))
    assert behaviour.digest(load(copied), quick=True) != first


@pytest.fixture
def copied(tmp_path):
    """A study of which anything may be changed."""
    folder = tmp_path / "modestbbr"
    for path in STUDIES.joinpath("modestbbr").rglob("*"):
        if path.is_file() and path.suffix in (".toml", ".csv", ".py"):
            target = folder / path.relative_to(STUDIES / "modestbbr")
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(path.read_bytes())
    return folder


VARIANT = """
[variants.another]
title = "another network"
reason = "to see what it changes"
changes = { "network.buffer" = "3p" }
"""


@pytest.mark.parametrize(
    ("file", "pattern", "new", "changes"),
    [
        ("pairs.toml", r"\Z", "\n# a remark\n", False),
        ("study.toml", r'title = "Modest BBR"', 'title = "Another title"', False),
        ("study.toml", r"\Z", VARIANT, True),
        ("claims/section_2.py", r'"""Gets five times as much or more."""', '"""Five times."""', False),
        ("claims/section_2.py", r">= 5 \* goodput", ">= 6 * goodput", True),
        ("quick/pairs.toml", r'duration = "(\d+)s"', r'duration = "\g<1>1s"', True),
        ("published/pairs.csv", r"88\.1", "88.2", True),
    ],
)
def test_only_what_can_change_a_verdict_makes_a_judgement_stale(copied, file, pattern, new, changes):
    first = digest(load(copied))
    text = (copied / file).read_text()
    changed = re.sub(pattern, new, text, count=1)
    assert changed != text
    (copied / file).write_text(changed)
    assert (digest(load(copied)) != first) is changes
