"""`fairlane explain` runs a claim with and without its variant; fitted values are marked; causes are declared."""

import json
import re
from pathlib import Path

import pytest
from fairlane.cli import main
from fairlane.results.tables import ResultTables
from fairlane.study.claims import Evidence, Status, judge
from fairlane.study.claims import load as load_claims
from fairlane.study.claims.claim import Cause, ClaimError, Claims
from fairlane.study.claims.judgement import Judgement
from fairlane.study.claims.verdict import Verdict
from fairlane.study.explain import apply
from fairlane.study.joint import saved
from fairlane.study.joint.inputs import digest
from fairlane.study.paper import definition
from fairlane.study.paper.definition import StudyError, Training, Unknown, load
from fairlane.study.requirements import Need, Requirements, bears_on

STUDIES = Path(__file__).parents[2] / "studies"

CLAIMS = """
from fairlane.study.claims import Claims

CLAIMS = Claims()


@CLAIMS.claim("tiny-1", cause="testbed", variant="slow")
def little_goodput(evidence):
    return evidence["small"].where(algorithm_a="cubic", buffer_bdp=2)["total_goodput_mbps"] < 6


@CLAIMS.claim("tiny-2")
def much_goodput(evidence):
    return evidence["small"].where(algorithm_a="reno", buffer_bdp=2)["total_goodput_mbps"] > 100
"""


@pytest.fixture
def explained(study):
    experiment = study / "small.toml"
    experiment.write_text(experiment.read_text().replace("repeats = 2", "repeats = 4"))  # enough for an interval
    (study / "claims.py").write_text(CLAIMS)
    (study / "published").mkdir(exist_ok=True)
    head = "id,section,claim,scenario,algorithms,metric,threshold,note\n"
    rows = "".join(f"tiny-{number},1,claim {number},,,,,\n" for number in (1, 2))
    (study / "published" / "claims.csv").write_text(head + rows)
    with (study / "study.toml").open("a") as file:
        file.write(
            """
[testbeds.line]
title = "the rate"
experiments = ["small"]
unknowns.rate = { keys = ["network.rate"], values = ["5mbit", "10mbit"], default = "5mbit", reason = "not stated" }

[[testbeds.line.training]]
experiments = ["small"]
metrics = ["total_goodput_mbps"]
where = [{ algorithm_a = ["reno"] }]

[variants.slow]
title = "half the rate"
reason = "an old link"

[variants.slow.changes]
"network.rate" = "5mbit"
"""
        )
    return study


def test_only_runs_of_the_claim_are_computed_for_both_variants(explained, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("fairlane.files.data_folder", lambda _: explained.parent)
    results = tmp_path / "results"
    assert main(["explain", explained.name, "tiny-1", "--results", str(results), "--repeats", "5"]) == 0
    told = capsys.readouterr().out
    assert "cause: testbed" in told
    assert 'change: half the rate (network.rate = "5mbit")' in told
    assert "ours: fails: small" in told
    assert "with the change: holds: small" in told
    for name in ("small", "small-with-slow"):
        runs = ResultTables(results, name).runs
        assert set(runs["algorithm_a"]) == {"cubic"}
        assert set(runs["buffer_bdp"]) == {2.0}
        assert set(runs["repeat"]) == set(range(5))


UNEXPLAINED = """
from fairlane.study.claims import Claims

CLAIMS = Claims()


@CLAIMS.claim("tiny-1", cause="unexplained")
def at_half_the_rate(evidence):
    return evidence["small"].where(algorithm_a="cubic", buffer_bdp=2)["total_goodput_mbps"] < 6


@CLAIMS.claim("tiny-2", cause="unexplained")
def at_no_rate(evidence):
    return evidence["small"].where(algorithm_a="cubic", buffer_bdp=2)["total_goodput_mbps"] > 100
"""


@pytest.fixture
def unexplained(explained, tmp_path, monkeypatch, capsys):
    """A study with two unexplained claims, its results with their joint judgement, and the table of that."""
    monkeypatch.setattr("fairlane.files.data_folder", lambda _: explained.parent)
    (explained / "claims.py").write_text(UNEXPLAINED)
    results = tmp_path / explained.name
    assert main(["explain", explained.name, "--joint", "--results", str(results)]) == 0
    return explained, results, capsys.readouterr().out


def test_every_setting_is_judged_over_all_claims(unexplained, capsys):
    study, results, told = unexplained
    assert re.search(r"^line: rate 5mbit +1 +1 +0 +\+1", told, re.MULTILINE), told
    assert "line: rate 5mbit: gains tiny-1; loses none" in told.replace(f"{study.name}-", "")
    runs = ResultTables(results, "small-over-line").runs
    assert 5.0 in set(runs["rate_mbps"])

    assert main(["explain", study.name, "--results", str(results), "tiny-1", "tiny-2"]) == 0
    turned, never = capsys.readouterr().out.split("tiny-2", 1)
    assert "cause: testbed (it holds with slow" in turned, "the variant that no claim names gives the same"
    assert "over 1 settings of line: holds at 1" in turned
    assert "cause: no testbed\n" in never
    assert "over 1 settings of line: fails at 1" in never


def test_a_claim_whose_numbers_no_setting_of_its_testbed_changes_is_not_calibrated(unexplained, capsys):
    study, results, _ = unexplained
    changed = UNEXPLAINED.replace('["total_goodput_mbps"] > 100', '["jain_index_of_groups"] > 0.5')
    (study / "claims.py").write_text(changed)  # of one group, at any rate
    assert main(["reproduce", study.name, "--results", str(results)]) == 0

    def calibrated():
        capsys.readouterr()
        assert main(["claims", study.name, "--results", str(results), "--json"]) == 0
        return [one["calibrated"] for one in json.loads(capsys.readouterr().out)]

    assert main(["explain", study.name, "--joint", "--results", str(results)]) == 0
    assert calibrated() == [True, False]
    (results / saved.FOLDER / "moved.csv").unlink()
    assert calibrated() == [True, True], "without that it counts as fitted"


def test_claims_use_the_joint_judgement(unexplained, tmp_path, capsys):
    study, results, _ = unexplained
    assert main(["explain", study.name, "tiny-1", "tiny-2", "--results", str(results)]) == 0  # the claims' own runs
    capsys.readouterr()
    assert main(["claims", "--results", str(tmp_path)]) == 0
    assert "Claims without an explanation: 0; with those of no testbed: 1." in capsys.readouterr().out
    assert main(["claims", study.name, "--results", str(results), "--json"]) == 0
    first, second = json.loads(capsys.readouterr().out)
    assert (first["cause"], second["cause"]) == ("testbed", "no testbed")
    variant, setting = first["over_settings"]["settings"]
    assert (variant["kind"], variant["of"], variant["verdict"]) == ("variant", "slow", "holds")
    assert (setting["values"], setting["verdict"], setting["gained"]) == ("rate 5mbit", "holds", ["tiny-1"])


def test_a_fresh_store_has_the_joint_judgement_that_the_study_ships(unexplained, tmp_path, capsys):
    study, results, _ = unexplained
    assert main(["explain", study.name, "--joint", "--save", "--results", str(results)]) == 0
    fresh = tmp_path / "fresh"
    assert main(["reproduce", study.name, "--results", str(fresh)]) == 0
    capsys.readouterr()
    assert main(["claims", study.name, "--results", str(fresh), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [one["cause"] for one in found] == ["testbed", "no testbed"], found

    (study / "claims.py").write_text(UNEXPLAINED.replace("> 100", "> 101"))
    changed = load(study)
    assert saved.read(results, changed).origin.inputs != digest(changed)
    assert saved.current(changed, results).origin == saved.read(study, changed).origin, "the store's is out of date"


def test_claims_tell_that_another_simulator_made_the_joint_judgement(unexplained, capsys):
    study, results, _ = unexplained
    assert main(["explain", study.name, "--joint", "--results", str(results)]) == 0
    made = results / saved.FOLDER / "made.toml"
    for word, is_told in ((r"\1", False), ("0" * 16, True)):
        made.write_text(re.sub('behaviour = "(.*)"', f'behaviour = "{word}"', made.read_text()))
        capsys.readouterr()
        assert main(["claims", study.name, "--results", str(results)]) == 0
        assert ("the simulator's results have changed since" in " ".join(capsys.readouterr().out.split())) is is_told


def test_runs_of_a_changed_experiment_that_another_name_has_stored_are_judged(unexplained):
    """All runs are stored then, and only the plan of the joint judgement is of the former experiment."""
    study, results, _ = unexplained
    experiment = study / "small.toml"
    experiment.write_text(f"seed = 77\n{experiment.read_text()}")
    assert main(["reproduce", study.name, "--results", str(results)]) == 0
    assert main(["explain", study.name, "--joint", "--results", str(results)]) == 0
    ours, joint = (ResultTables(results, name).runs["run"].to_list() for name in ("small", "small-jointly"))
    assert set(joint) <= set(ours)


def test_a_part_is_stored_only_on_request_and_with_all_settings_of_its_claims(explained, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("fairlane.files.data_folder", lambda _: explained.parent)
    results = tmp_path / "results"
    command = ["explain", explained.name, "--joint", "--results", str(results)]
    assert main([*command, "--only", "slow"]) == 0
    told = capsys.readouterr().out
    assert "line" not in told.split("slow", 1)[1].split("Of ", 1)[0]
    assert main([*command, "tiny-1"]) == 0
    assert re.search(r"holds +slow: small", capsys.readouterr().out)
    assert saved.read(results, load(explained)) is None
    for wrong, complaint in ((["--only", "slwo"], "did you mean slow"), (["tiny-1", "--save"], "all claims")):
        assert main([*command, *wrong]) != 0
        assert complaint in capsys.readouterr().err
    assert main([*command, "--only", "slow", "--save"]) == 0
    assert not saved.read(results, load(explained)).verdicts, "the testbed of the claims was left out"
    assert main([*command, "--only", "line", "--save"]) == 0
    part = saved.read(explained, load(explained))
    assert (part.origin.only, set(part.verdicts)) == ("line", {"tiny-1", "tiny-2"})
    assert "1 of its variants and testbeds" in capsys.readouterr().out
    assert main([*command, "--without", "small", "--save"]) == 0
    part = saved.read(explained, load(explained))
    assert (part.origin.without, part.verdicts) == ("small", {})
    assert all(one.effect.in_part for one in part.sorted), "all settings change the experiment that was left out"
    assert main(["explain", explained.name, "--save"]) != 0
    assert "needs --joint" in capsys.readouterr().err


def test_a_change_whose_runs_another_experiment_has_stored_is_judged(explained, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("fairlane.files.data_folder", lambda _: explained.parent)
    results = tmp_path / "results"
    assert main(["explain", explained.name, "--joint", "--only", "line", "--results", str(results)]) == 0
    assert main(["explain", explained.name, "tiny-1", "--results", str(results)]) == 0
    assert "with the change: holds: small" in capsys.readouterr().out


def test_that_no_testbed_gives_it_is_never_declared():
    with pytest.raises(ClaimError, match="unexplained"):
        Claims().claim("a", cause="no testbed")


def test_without_a_study_the_claims_of_all_are_counted(explained, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("fairlane.files.data_folder", lambda _: explained.parent)
    results = tmp_path / "results"
    assert main(["claims", "--results", str(results)]) == 1
    assert f"fairlane reproduce {explained.name}" in capsys.readouterr().err
    assert main(["explain", explained.name, "tiny-1", "--results", str(results / explained.name)]) == 0
    capsys.readouterr()
    assert main(["claims", "--results", str(results), "--json"]) == 0
    counted = json.loads(capsys.readouterr().out)["studies"][explained.name]
    assert (counted["tested"], counted["fails"], counted["causes"]["fails"]["testbed"]) == (1, 1, 1)


def test_claims_about_fitted_numbers_are_marked_by_the_program(explained):
    study = load(explained)
    requirements = Requirements(study)
    calibrated = {
        claim.published.id: any(
            bears_on(testbed, need) for need in requirements.of(claim) for testbed in study.file.testbeds.values()
        )
        for claim in load_claims(explained)
    }
    assert calibrated == {"tiny-1": True, "tiny-2": True}, "both are about a testbed that was fitted"


@pytest.mark.parametrize(
    ("experiment", "metric", "expected"),
    [
        ("download", "completion_s", True),  # fitted to the goodput of the same testbed
        ("download", "mean_rtt_ms", False),
        ("line", "mean_rtt_ms", True),  # the very runs that were fitted
        ("elsewhere", "goodput_mbps", False),
    ],
)
def test_a_fit_bears_on_its_experiments_and_on_all_metrics_of_the_same_kind(experiment, metric, expected):
    training = Training(experiments=["line"], metrics=["goodput_mbps"], where=[{"algorithm": ["reno"]}])
    unknown = Unknown(keys=["rate"], values=[1, 2], default=1, reason="not stated")
    title, experiments = "the rate", ["line", "download"]
    testbed = definition.Testbed(title=title, experiments=experiments, unknowns={"rate": unknown}, training=[training])
    assert bears_on(testbed, Need(experiment, metric, None, {"algorithm": "cubic"})) is expected


def test_an_unexamined_failure_has_no_cause():
    claims = Claims()
    fails = Judgement(Verdict.FAILS, "so")
    claims.claim("a")(lambda _: fails)
    claims.claim("b", cause="unexplained")(lambda _: fails)
    published = {id: type("P", (), {"id": id})() for id in "ab"}
    verdicts = [judge(claim, Evidence(lambda _: None)) for claim in claims.matched(published)]
    assert [one.status for one in verdicts] == [Status.FAILS] * 2
    assert [one.cause for one in verdicts] == [None, Cause.UNEXPLAINED]


def test_a_testbed_as_cause_needs_the_variant_that_shows_it(explained):
    text = CLAIMS.replace(', variant="slow"', "")
    (explained / "claims.py").write_text(text)
    with pytest.raises(ClaimError, match=r"tiny-1: .*testbed"):
        load_claims(explained)
    (explained / "claims.py").write_text(CLAIMS.replace('"slow"', '"slwo"'))
    with pytest.raises(ClaimError, match="slow"):
        load_claims(explained)


def test_a_predicate_as_cause_needs_the_other_reading(explained):
    (explained / "claims.py").write_text(CLAIMS.replace('cause="testbed", variant="slow"', 'cause="predicate"'))
    with pytest.raises(ClaimError, match=r"tiny-1: .*other_reading"):
        load_claims(explained)


def test_changes_reach_parts_of_lists_by_name_or_all_of_them():
    data = {"flows": [{"name": "a"}, {"name": "b", "sender": {"x": 1}}]}
    apply(data, "flows.b.sender.pacing", "fq", "here")
    apply(data, "flows.*.count", 2, "here")
    assert data["flows"] == [{"name": "a", "count": 2}, {"name": "b", "sender": {"x": 1, "pacing": "fq"}, "count": 2}]
    with pytest.raises(StudyError, match=r"here: flows\.c\.count"):
        apply(data, "flows.c.count", 2, "here")


def test_changes_reach_a_sweep_whose_keys_have_dots():
    data = {"sweep": {"zip": [{"flows.a.algorithm": {"name": "a", "values": ["cubic"]}}]}}
    apply(data, "sweep.zip.0.flows.a.algorithm.values", ["cubic:hystart=0"], "here")
    assert data == {"sweep": {"zip": [{"flows.a.algorithm": {"name": "a", "values": ["cubic:hystart=0"]}}]}}


def test_a_change_may_remove_a_key_that_is_there():
    data = {"hosts": {"sender": {"small_queue_limit": "256KiB", "pacing": "none"}}}
    apply(data, "hosts.sender.small_queue_limit", {"remove": True}, "here")
    assert data == {"hosts": {"sender": {"pacing": "none"}}}
    with pytest.raises(StudyError, match="small_queue_limit: "):
        apply(data, "hosts.sender.small_queue_limit", {"remove": True}, "here")


SHIPPED = [path.parent for path in sorted(STUDIES.glob("*/study.toml")) if load(path.parent).has_claims]


@pytest.mark.parametrize("folder", SHIPPED, ids=lambda folder: folder.name)
def test_every_variant_of_the_shipped_studies_can_be_run(folder):
    from fairlane.study.explain import explanation_plan

    study = load(folder)
    plan = explanation_plan(study, [])
    named = {claim.variant for claim in plan.claims}
    assert named == set(study.file.variants), "a variant that no claim names"
    for name in named:
        assert any(job.experiment.name.endswith(f"-with-{name}") for job in plan.jobs)
    for job in plan.jobs:
        assert any(job.chosen(point) for point in job.experiment.points), job.experiment.name


def test_a_verdict_of_many_comparisons_shows_the_first_and_counts_the_rest():
    from fairlane.cli.explain import _shown

    assert _shown("fails", "; ".join("abcd")) == "fails: a; b; c; d"
    assert _shown("fails", "; ".join("abcdef")) == "fails: a; b; c; d; and 2 more (fairlane claims --json)"
