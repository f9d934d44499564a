"""`fairlane calibrate` fits a testbed to some of the published numbers, and validates it on the others."""

import csv
import json
import math

import pytest
from fairlane.cli import main
from fairlane.study.calibration import Calibrating
from fairlane.study.paper.comparison import Frames, compare
from fairlane.study.paper.definition import StudyError, load
from fairlane.study.paper.numbers_met import Number, counts, numbers, typical_factor
from fairlane.study.rerun import StoredResults, jobs_for

TESTBED = """
[testbeds.line]
title = "the rate"
experiments = ["small"]

[testbeds.line.unknowns.rate]
keys = ["network.rate"]
values = ["5mbit", "10mbit", "20mbit"]
default = "5mbit"
reason = "not stated"

[[testbeds.line.training]]
experiments = ["small"]
metrics = ["total_goodput_mbps"]
where = [{ algorithm_a = ["cubic"] }]
"""


def measured(study, folder):
    """Table 2 as the study's own file has it."""
    loaded = load(study)
    items, experiments = loaded.chosen("table-2")
    for job in jobs_for(loaded, items, experiments, repeats=1):
        job.run(folder, 2)
    frames = {name: Frames(one, items) for name, one in StoredResults(loaded, folder).all().items()}
    return loaded, compare(loaded, items[0], frames)


def publish(study, comparison, factors):
    """The paper's numbers: ours, times a factor for each algorithm."""
    with (study / "table-2.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["algorithm_a", "name", "goodput"])
        for row in comparison.rows:
            writer.writerow([*row.place, row.cells[0].ours * factors[row.place[0]]])


@pytest.fixture
def testbed(study):
    """The study with a testbed whose rate is unknown; the file has 10 Mbit/s."""
    text = (study / "study.toml").read_text().replace("table-1.csv", "none.csv")
    (study / "none.csv").write_text("aqm,algorithm_a,goodput_a,per_bdp\n")
    (study / "study.toml").write_text(text + TESTBED)
    return study


def calibrated(study, folder, monkeypatch, capsys):
    monkeypatch.setattr("fairlane.files.data_folder", lambda _: study.parent)
    assert main(["calibrate", study.name, "--results", str(folder), "--json"]) == 0
    return json.loads(capsys.readouterr().out)["line"]


def test_the_rate_of_the_testbed_is_found_and_confirmed(testbed, tmp_path, monkeypatch, capsys):
    publish(testbed, measured(testbed, tmp_path / "results")[1], {"cubic": 1.0, "reno": 1.0})
    found = calibrated(testbed, tmp_path / "calibration", monkeypatch, capsys)
    assert found["best"]["values"] == found["files"] == {"rate": "10mbit"}
    assert (found["training_numbers"], found["held_out_numbers"]) == (2, 2)
    assert found["best"]["training_error"] == pytest.approx(1)
    assert found["best"]["held_out_error"] == pytest.approx(1)
    assert found["defaults"]["held_out_error"] > 1.5
    assert found["combinations"][0]["values"] == {"rate": "10mbit"}
    assert found["confirmed"]


def test_a_fit_that_the_other_numbers_contradict_is_not_confirmed(testbed, tmp_path, monkeypatch, capsys):
    publish(testbed, measured(testbed, tmp_path / "results")[1], {"cubic": 1.0, "reno": 0.3})
    found = calibrated(testbed, tmp_path / "calibration", monkeypatch, capsys)
    assert found["best"]["values"] == {"rate": "10mbit"}
    assert found["best"]["held_out_error"] == pytest.approx(1 / 0.3, rel=0.01)
    assert not found["confirmed"]


def test_without_other_numbers_nothing_is_said_of_them(testbed, tmp_path, monkeypatch, capsys):
    text = (testbed / "study.toml").read_text()
    part = 'where = [{ algorithm_a = ["cubic"] }]\n'
    assert text.endswith(part)
    (testbed / "study.toml").write_text(text.removesuffix(part))
    publish(testbed, measured(testbed, tmp_path / "results")[1], {"cubic": 1.0, "reno": 1.0})
    found = calibrated(testbed, tmp_path / "calibration", monkeypatch, capsys)
    assert (found["training_numbers"], found["held_out_numbers"]) == (4, 0)
    assert found["best"]["held_out_error"] is None
    assert not found["confirmed"]
    assert main(["calibrate", testbed.name, "--results", str(tmp_path / "calibration")]) == 0
    assert "no other numbers" in capsys.readouterr().out


def test_only_training_experiments_run_for_every_combination(testbed, tmp_path):
    calibrating = Calibrating(load(testbed), "line", tmp_path, 1)
    [job] = calibrating.training_jobs()
    points = [point for point in job.experiment.points if job.chosen(point)]
    assert {point.axes["algorithm_a"] for point in points} == {"cubic"}
    assert len(points) == 2 * len(calibrating.choices) == 6  # at both buffers


def test_a_combination_without_an_error_comes_last(testbed, tmp_path, monkeypatch):
    calibrating = Calibrating(load(testbed), "line", tmp_path / "results", 1)
    found = iter([math.nan, 2.0, 1.5])
    monkeypatch.setattr("fairlane.study.calibration.typical_factor", lambda _: next(found))
    monkeypatch.setattr(calibrating, "_frames", dict)
    assert [choice for _, choice in calibrating.errors()] == [(2,), (1,), (0,)]


def test_mistakes_in_a_testbed_are_named(testbed):
    file = testbed / "study.toml"
    good = file.read_text()
    file.write_text(good.replace('default = "5mbit"', 'default = "7mbit"'))
    with pytest.raises(StudyError, match=r"testbeds\.line\.unknowns\.rate\.default: '7mbit'"):
        load(testbed)
    file.write_text(good.replace('experiments = ["small"]\nmetrics', 'experiments = ["smal"]\nmetrics'))
    with pytest.raises(StudyError, match=r"testbeds\.line\.training\.0\.experiments: .*'smal'"):
        load(testbed)
    file.write_text(good)
    study = load(testbed)
    with pytest.raises(StudyError, match="unknown testbed"):
        Calibrating(study, "lin", testbed, 1)
    file.write_text(good[: good.index("[[testbeds.line.training]]")])
    with pytest.raises(StudyError, match=r"testbeds\.line: .*`training`"):
        Calibrating(load(testbed), "line", testbed, 1)


def test_numbers_are_counted_by_metric_and_each_once(testbed, tmp_path):
    loaded, comparison = measured(testbed, tmp_path / "results")
    publish(testbed, comparison, {"cubic": 1.05, "reno": 0.5})
    loaded, comparison = measured(testbed, tmp_path / "results")
    twice = numbers(loaded, [comparison, comparison])
    assert len(twice) == 4
    assert [bool(one.testbed) for one in twice] == [True, True, False, False]  # only CUBIC is trained on
    [count] = counts(twice)
    assert (count.metric, count.numbers, count.trained) == ("total_goodput_mbps", 4, 2)
    assert (count.within_10, count.within_25, count.within_factor_2) == (2, 2, 4)
    assert typical_factor(twice) == pytest.approx((1.05 * 2) ** 0.5)


@pytest.mark.parametrize(
    ("ours", "paper", "within_10", "within_factor_2"),
    [(0, 0, True, True), (0, 1, False, False), (1.1, 1, True, True), (2, 1, False, True), (2.01, 1, False, False)],
)
def test_a_number_is_met_within_a_share_of_the_papers(ours, paper, within_10, within_factor_2):
    one = Number("table", "small", "goodput_mbps", "", {}, ours, paper)
    assert (one.is_within(0.1 + 1e-12), one.is_within_factor_2) == (within_10, within_factor_2)
