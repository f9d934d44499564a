"""Links of an experiment file become links of the scenario."""

import pytest
from fairlane.scenario.load import load


def link(**keys):
    network = {"rate": "10mbit", "rtt": "20ms", **keys}
    experiment = load({"duration": "1s", "network": network, "flows": [{"algorithm": "reno"}]})
    return experiment.points[0].point.repeat(0)["links"][0]


@pytest.mark.parametrize(
    ("given", "made"),
    [
        ("2ms", {"max_ns": 2_000_000, "reorder": False, "correlation": 0.0}),
        (
            {"max": "2ms", "reorder": True, "correlation": "90%"},
            {"max_ns": 2_000_000, "reorder": True, "correlation": 0.9},
        ),
    ],
)
def test_jitter_reaches_the_engine_with_its_correlation(given, made):
    assert link(jitter=given)["jitter"] == made
