"""`ecn = "accecn"` in experiment files and in Python."""

import pytest
from fairlane.scenario.diagnostics import ExperimentError
from fairlane.scenario.requests import scenario

BASE = {
    "duration": "2s",
    "network": {"rate": "10mbit", "rtt": "20ms", "buffer": "1bdp"},
    "flows": [{"algorithm": "cubic"}, {"algorithm": "cubic", "sender": {"ecn": True}}],
}


def hosts(ecn):
    flows = scenario({**BASE, "hosts": {"ecn": ecn}})["flows"]
    pairs = [(flow["sender"], flow["receiver"]) for flow in flows]
    return [[(host.get("ecn"), host.get("accecn", False)) for host in pair] for pair in pairs]


def test_accecn_is_ecn_with_accurate_feedback():
    assert hosts("accecn") == [[(True, True), (True, True)], [(True, False), (True, True)]]
    assert hosts(True) == [[(True, False)] * 2] * 2
    assert hosts(False)[0] == [(False, False)] * 2


def test_another_word_is_refused_with_the_words_that_are_known():
    with pytest.raises(ExperimentError, match=r"hosts\.ecn.*accecn"):
        scenario({**BASE, "hosts": {"ecn": "maybe"}})
