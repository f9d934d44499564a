"""Recorded runs replayed with their own losses, and times at which windows diverge."""

import pytest
from fairlane.files import data_folder
from fairlane.study.linux.recorded_series import (
    Divergence,
    Series,
    divergences,
    random_losses_s,
    replay_errors,
    replays,
    retransmits_around,
)
from fairlane.study.linux.truth import as_scenario, load

FOLDER = data_folder("calibration") / "linux-6.12"
SCENARIOS = {one.name: one for one in load(FOLDER)}
LOSSY = "lossy-20m-100ms-0.1pct-"


def test_a_loss_precedes_its_retransmission_by_half_a_round_trip():
    flow = Series([0.1, 0.2, 0.3], [10, 10, 5], [100.0] * 3, [0, 2, 1])
    assert random_losses_s(flow, 100.0, 700.0) == pytest.approx([0.1, 0.1, 0.2])
    assert retransmits_around(flow, 0.2) == 3
    full = Series([0.1, 0.2], [10, 10], [100.0, 690.0], [0, 1])
    assert random_losses_s(full, 100.0, 700.0) is None


def test_runs_that_overflowed_the_queue_are_left_out():
    assert SCENARIOS[LOSSY + "reno"].full_queue_rtt_ms == pytest.approx(705.6)
    chosen = [SCENARIOS[LOSSY + name] for name in ("reno", "scalable")] + [SCENARIOS["single-20m-40ms-1bdp-reno"]]
    assert list(replays(FOLDER, chosen)) == [LOSSY + "reno"]


@pytest.mark.parametrize("algorithm", ["reno", "cubic", "bbr"])
def test_with_its_losses_a_run_comes_as_far_as_linux_did(algorithm):
    from fairlane.engine import run

    names = [LOSSY + algorithm + repeat for repeat in ("", "-r2", "-r3", "-r4")]
    again = replays(FOLDER, [SCENARIOS[name] for name in names])
    results = {name: run(scenario) for name, scenario in again.items()}
    for name, result in results.items():
        # A time in the list for each retransmission, and nothing else is lost.
        [link] = [link for link in again[name]["links"] if "loss" in link]
        assert result["flows"][0]["lost_packets"] <= len(link["loss"]["at_ns"])
    [row] = replay_errors(FOLDER, results)
    assert row.runs == 4
    assert row.goodput < 3, row
    assert row.rtt < 3, row


def test_divergences_name_retransmissions():
    from fairlane.engine import run

    name = "single-20m-40ms-1bdp-reno"
    result = run(as_scenario(SCENARIOS[name]))
    [divergence] = divergences(FOLDER, {name: result})
    assert (divergence.scenario, divergence.flow, divergence.at_s, divergence.how) == (name, 0, None, "")
    assert Divergence("x", 0, 1.5, 2, 0).how == "Linux retransmits 2, the simulator 0"
    assert Divergence("x", 0, 1.5, 1, 1).how.startswith("growth differs")
