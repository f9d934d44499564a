"""Old public names: the error names the new one, and no old name is in use."""

import re
from pathlib import Path

import fairlane.claims
import pytest
from fairlane import renamed
from fairlane.claims import Claims
from fairlane.contract.columns import METRICS, SAMPLES
from fairlane.metrics import MetricError, catalogue, find
from fairlane.metrics.subject import Flow
from fairlane.paper.study import StudyError, load

STUDY = """
title = "Small"
paper = "Nobody 2020"
experiments.small = {}
[[items]]
name = "table-1"
source = "Table 1"
title = "goodput"
experiments = ["small"]
by = ["name"]
values = [{ metric = "goodput_mbps", heading = "goodput" }]
"""


@pytest.mark.parametrize(("old", "new"), renamed.METRICS.items())
def test_metrics(old, new):
    with pytest.raises(MetricError, match=f"unknown metric '{old}'; it is now called {new}"):
        find(old)


@pytest.mark.parametrize(("old", "new"), renamed.RESULTS.items())
def test_results(old, new):
    assert new in METRICS | SAMPLES
    with pytest.raises(MetricError, match=f"'{old}'; it is now called {new}"):
        _ = Flow({new: 1})[old]


@pytest.mark.parametrize(("old", "new"), renamed.STUDY_KEYS.items())
def test_keys_of_studies(old, new, tmp_path):
    in_their_place = {
        "waiting": ("experiments.small = {}", "experiments.small = {}\nwaiting.x = {}"),
        "further": ("experiments.small = {}", "experiments.small = { further = true }"),
        "times": ('heading = "goodput"', 'heading = "goodput", times = 2'),
    }
    text = STUDY.replace(*in_their_place.get(old, ("by = ", f"{old} = 1\nby = ")))
    (tmp_path / "study.toml").write_text(text)
    with pytest.raises(StudyError, match=rf"{old}: is now called {new}"):
        load(tmp_path)


@pytest.mark.parametrize(("old", "new"), renamed.OPTIONS.items())
def test_options(old, new, cli):
    outcome = cli("run", old, "3", "x.toml")
    assert outcome.status == 2
    assert f"there is no option {old}; it is now called {new}" in outcome.err


@pytest.mark.parametrize(("old", "new"), renamed.CLAIMS.items())
def test_names_of_claims(old, new):
    assert hasattr(fairlane.claims, new)
    with pytest.raises(AttributeError, match=f"{old} is now called {new}"):
        getattr(fairlane.claims, old)


def test_no_old_name_is_in_use():
    assert not set(renamed.NEW_NAMES) & {one.name for one in catalogue()}
    assert not set(renamed.RESULTS) & (METRICS | SAMPLES)
    assert not hasattr(Claims, "waiting")
    root = Path(__file__).parents[2]
    old = re.compile(rf"\b({'|'.join([*renamed.RESULTS, *renamed.METRICS.keys() - {'marks'}, *renamed.OPTIONS])})\b")
    for path in [*root.glob("studies/**/*.toml"), *root.glob("studies/**/*.py"), *root.glob("docs/**/*.md")]:
        assert not old.search(path.read_text()), path
