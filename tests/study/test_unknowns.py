"""Unknowns of a testbed: one value for all keys, or a named setting with a value for each key."""

from pathlib import Path

import pytest
from fairlane.study.paper.definition import StudyError, load
from fairlane.study.paper.unknowns import Grid, shipped

STUDIES = Path(__file__).parents[2] / "studies"


def test_each_key_gets_its_own_value_of_a_named_setting():
    study = load(STUDIES / "modestbbr")
    testbed = study.file.testbeds["parking-lot"]
    grid = Grid(testbed, {name: [one.default] for name, one in testbed.unknowns.items()} | {"figure_7": READINGS})
    experiment = grid.experiment(study.folder / "parking-lot.toml", "over", 1)
    crossed = {
        point.axes["figure_7"]: [len(flow["forward"]) - 1 for flow in point.point.repeat(0)["flows"]]
        for point in experiment.points
    }
    assert crossed == {"0": [5, 4, 3, 2, 1], "1": [5, 5, 5, 5, 5], "2": [5, 1, 1, 1, 1]}
    assert grid.values(grid.settings[2])["figure_7"] == "one long flow"
    assert len(experiment.points) == 2 * len(READINGS), "the keys of one unknown vary together"


READINGS = ["last hop", "all hops", "one long flow"]


def test_the_shipped_value_is_the_setting_that_all_keys_of_the_file_have():
    study = load(STUDIES / "modestbbr")
    assert shipped(study, study.file.testbeds["parking-lot"])["figure_7"] == "all hops"
    assert shipped(study, study.file.testbeds["switches"])["queue"] == "13p"


UNKNOWN = """
[testbeds.line]
title = "both"
experiments = ["small"]

[testbeds.line.unknowns.both]
keys = ["network.rate", "network.buffer"]
values = ["slow", "fast"]
settings = { slow = ["5mbit", "1bdp"], fast = ["10mbit"] }
default = "slow"
reason = "not stated"
"""


def test_a_setting_without_a_value_for_each_key_is_rejected(study):
    (study / "study.toml").write_text((study / "study.toml").read_text() + UNKNOWN)
    with pytest.raises(StudyError, match=r"unknowns.both.settings.fast: 1 values for 2 keys; give each key one"):
        load(study)


def test_settings_need_the_names_of_the_values(study):
    (study / "study.toml").write_text(
        (study / "study.toml").read_text() + UNKNOWN.replace('fast = ["10mbit"]', 'quick = ["10mbit", "1bdp"]')
    )
    with pytest.raises(StudyError, match=r"unknowns.both.settings: has other names than `values`"):
        load(study)
