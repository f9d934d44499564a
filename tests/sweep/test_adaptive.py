"""`fairlane run --until-ci`: more repeats for points with high variance only."""

import fairlane
import pytest
from fairlane.results.statistics import interval_of_mean

FILE = """
name = "adaptive"
duration = "4s"

[network]
rate = "5mbit"
rtt = "20ms"
buffer = "2bdp"

[[flows]]
algorithm = "reno"

[sweep]
"network.loss" = ["0%", "2%"]
"""


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "adaptive.toml"
    path.write_text(FILE)
    return path


def test_noisy_points_get_more_repeats_until_all_are_narrow(cli, file, tmp_path):
    outcome = cli("run", file, "--until-ci", "6%", "--results", tmp_path / "r")
    assert (outcome.status, outcome.err) == (0, "")
    assert "±6 %, after 5 to" in outcome.out
    flows = fairlane.open(tmp_path / "r").flows
    sizes = {}
    for (loss,), group in flows.group_by(next(axis.column for axis in fairlane.open(tmp_path / "r").axes)):
        values = group["goodput_mbps"].to_list()
        assert interval_of_mean(values).half_width <= 0.06 * sum(values) / len(values)
        sizes[loss] = len(values)
    assert sizes[0] == 5
    assert sizes[2] > 5
    again = cli("run", file, "--until-ci", "6%", "--results", tmp_path / "r")
    assert "computed" not in again.out
    assert f"{sum(sizes.values())} already stored" in again.out


def test_it_gives_up_where_it_was_told_to(cli, file, tmp_path):
    outcome = cli("run", file, "--until-ci", "0.01%", "--max-repeats", "7", "--results", tmp_path / "r")
    assert outcome.status == 0
    assert "not within ±0.01 % after 7 repeats" in outcome.out
    assert "loss 2%: goodput of reno ±" in outcome.out
    assert fairlane.open(tmp_path / "r").runs.height <= 14


def test_bad_input(cli, file):
    assert "2%" in cli("run", file, "--until-ci", "0%").err
    assert "needs --until-ci" in cli("run", file, "--ci-metrics", "goodput_mbps").err
    assert "unknown metric" in cli("run", file, "--until-ci", "2%", "--ci-metrics", "goodness").err
