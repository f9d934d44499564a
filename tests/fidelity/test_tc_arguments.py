"""Arguments of tc become options of an experiment file; the backends' arguments are read back unchanged."""

import pytest
from fairlane.engine.declarations import plain_type, queues
from fairlane.runs.backends.linux import tc
from fairlane.scenario.queue import engine_queue
from fairlane.study.linux.tc_arguments import parse


def complete(kind):
    """A queue with a value for each parameter that tc has an option for."""
    made = {}
    for number, (name, setting) in enumerate(queues()[kind].items(), 3):
        if plain_type(setting) == "boolean":
            made[name] = True
        else:
            made[name] = number * 1000 if name.endswith("_ns") else number
    return {"kind": kind, **{name: value for name, value in made.items() if name in tc.parameters(kind)}}


@pytest.mark.parametrize("kind", sorted(tc.KINDS - {"fifo", "unlimited"}))
def test_every_parameter_of_every_queue_comes_back(kind):
    queue = complete(kind)
    assert len(queue) > 1
    _, *words = tc.queue(queue)
    assert engine_queue({"kind": kind, **parse(kind, words)}, None, lambda size: int(size.amount), 1514) == queue


@pytest.mark.parametrize(
    ("kind", "words", "options"),
    [
        ("codel", "limit 1000p target 8000us noecn", {"limit": "1000p", "target": "8000us", "ecn": False}),
        ("codel", "target 5000", {"target": "5000us"}),
        ("red", "limit 400k min 30000b probability 0.02", {"limit": "409600B", "min": "30000B", "probability": 0.02}),
        ("fq", "maxrate 20Mbit quantum 3028", {"maxrate": "20mbit", "quantum": "3028B"}),
        ("dualpi2", "coupling_factor 2 step_thresh 1ms", {"coupling_factor": 2, "step_thresh": "1ms"}),
        ("dualpi2", "step_thresh 20p", {"step_thresh": "20p"}),
        ("cake", "bandwidth 10mbit besteffort flows rtt 50ms", {"bandwidth": "10mbit", "rtt": "50ms"}),
    ],
)
def test_values_as_people_write_them(kind, words, options):
    assert parse(kind, words.split()) == options


@pytest.mark.parametrize(
    ("kind", "words", "reason"),
    [
        ("codel", "tagret 5ms", "codel 'tagret'"),
        ("codel", "target", "'target'"),
        ("codel", "target soon", "target is 'soon'"),
        ("red", "limit 3furlongs", "limit is '3furlongs'"),
        ("pie", "alpha 3mm", "alpha is '3mm'"),
    ],
)
def test_invalid_tc_arguments_are_named(kind, words, reason):
    with pytest.raises(ValueError, match=reason):
        parse(kind, words.split())
