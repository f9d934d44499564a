"""Repeats differ by a little, single runs not at all."""

import pytest
from fairlane.scenario.load import load

FILE = {
    "duration": "20s",
    "network": {"rate": "10mbit", "rtt": "20ms", "buffer": "1bdp"},
    "flows": [{"algorithm": "cubic"}, {"algorithm": "reno", "start": "1s"}],
}


def scenarios(**more):
    (point,) = load({**FILE, **more}).points
    return [point.point.repeat(number) for number in range(point.repeats)]


def starts(scenario):
    return [flow["start_ns"] for flow in scenario["flows"]]


def delays(scenario):
    return [link["delay_ns"] for link in scenario["links"]]


def test_a_single_run_follows_the_file():
    (single,) = scenarios()
    assert starts(single) == [0, 1_000_000_000]
    assert sum(delays(single)) == 20_000_000


def test_repeats_start_within_100_ms_and_have_delays_within_half_a_per_cent():
    (single,), repeats = scenarios(), scenarios(repeats=30)
    for repeat in repeats:
        for start_ns, said_ns in zip(starts(repeat), starts(single), strict=True):
            assert 0 <= start_ns - said_ns <= 100_000_000
        for delay_ns, said_ns in zip(delays(repeat), delays(single), strict=True):
            assert said_ns <= delay_ns <= said_ns * 1.005 + 1
    assert len({tuple(starts(repeat)) for repeat in repeats}) == 30
    assert len({tuple(delays(repeat)) for repeat in repeats}) == 30


def test_a_repeat_is_always_the_same_and_another_flow_does_not_move_it():
    assert scenarios(repeats=3) == scenarios(repeats=5)[:3]
    assert scenarios(repeats=3, seed=2)[0] == scenarios(repeats=3)[1]
    more = scenarios(repeats=3, flows=[*FILE["flows"], {"algorithm": "bbr"}])
    assert [starts(one)[:2] for one in more] == [starts(one) for one in scenarios(repeats=3)]


def test_the_file_has_the_last_word():
    for repeat in scenarios(repeats=5, start_jitter="0s", delay_jitter="0%"):
        assert (starts(repeat), sum(delays(repeat))) == ([0, 1_000_000_000], 20_000_000)
    wide = scenarios(start_jitter="5s", delay_jitter="50%")[0]
    assert starts(wide)[0] > 100_000_000
    assert sum(delays(wide)) > 20_100_000


def test_goodputs_of_repeats_differ():
    import fairlane

    flows = fairlane.duel("cubic", "cubic", rate="10mbit", duration="5s", repeats=4).flows
    assert flows["goodput_mbps"].n_unique() == 8
    assert flows["min_rtt_ms"].min() == pytest.approx(20, rel=0.2)
