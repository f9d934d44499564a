"""The remaining time, for made-up runs of known cost and a clock that the test moves."""

import random

import pytest
from fairlane.runs.sweep import time_estimate as speed
from fairlane.runs.sweep.run_size import PACKET_S, RUN_S, Work
from fairlane.runs.sweep.time_estimate import END_S, TimeLeft

JOBS = 2


class Clock:
    def __init__(self) -> None:
        self.now_s = 0.0

    def monotonic(self) -> float:
        return self.now_s


@pytest.fixture
def clock(monkeypatch):
    made = Clock()
    monkeypatch.setattr(speed, "time", made)
    return made


def lasting(seconds: float, kind: str = "cubic") -> Work:
    """A run that takes this long on the reference machine."""
    return Work((kind,), (seconds - RUN_S) / PACKET_S, 0.0, 1)


def sweep(chance: random.Random, runs: int) -> list[Work]:
    """Unlike runs of two kinds: packets and samples from few to a hundred times as many."""
    return [
        Work((chance.choice(["cubic", "bbr"]),), 4e3 * 10 ** chance.uniform(0, 2), 100 * 10 ** chance.uniform(0, 2), 1)
        for _ in range(runs)
    ]


@pytest.mark.parametrize("factors", [(1, 1), (4, 4), (1, 3), (2, 0.4), (0.5, 8)])
@pytest.mark.parametrize("seed", range(8))
def test_right_within_30_percent_after_a_tenth_of_the_work(clock, factors, seed):
    chance = random.Random(seed)
    works = sweep(chance, 400)
    slow = {("cubic",): factors[0], ("bbr",): factors[1]}
    true_s = [chance.uniform(0.8, 1.25) * slow[one.kind] * one.seconds for one in works]
    left = TimeLeft(works, JOBS)
    for number, (one, spent_s) in enumerate(zip(works, true_s, strict=True)):
        left.start(str(number), one)
        clock.now_s += spent_s / JOBS
        left.end(str(number), one, spent_s)
        if left.share >= 0.1:
            assert left.left_s == pytest.approx(sum(true_s[number + 1 :]) / JOBS, rel=0.3)
            return


def test_there_is_no_estimate_before_the_first_run(clock):
    works = sweep(random.Random(1), 3)
    left = TimeLeft(works, JOBS)
    assert left.left_s is None
    left.start("a", works[0])
    assert left.left_s is None


def test_a_long_run_at_the_end_is_waited_for(clock):
    short, long = lasting(1.0), lasting(100.0)
    left = TimeLeft([short, long], JOBS)
    left.start("long", long)
    left.start("short", short)
    clock.now_s = 1.0
    left.end("short", short, 1.0)
    assert left.left_s == pytest.approx(99 + END_S)
    clock.now_s = 60.0
    assert left.left_s == pytest.approx(40 + END_S)


def test_runs_that_others_computed_are_no_work(clock):
    one = lasting(1.0)
    left = TimeLeft([one] * 4, 1)
    left.start("a", one)
    left.end("a", one, 2.0)
    assert left.left_s == pytest.approx(6 + END_S)
    left.end("b", one, None)
    left.end("c", one, None)
    assert left.left_s == pytest.approx(2 + END_S)
    assert left.share == 0.5


def test_nothing_to_do():
    assert TimeLeft([], 1).share == 1.0
