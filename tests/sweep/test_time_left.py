"""The time left, on made-up runs whose true cost is known and a clock that the test moves."""

import random

import pytest
from fairlane.sweep import time_left
from fairlane.sweep.estimate import Cost
from fairlane.sweep.time_left import TimeLeft

JOBS = 2


class Clock:
    def __init__(self) -> None:
        self.now_s = 0.0

    def monotonic(self) -> float:
        return self.now_s


@pytest.fixture
def clock(monkeypatch):
    made = Clock()
    monkeypatch.setattr(time_left, "time", made)
    return made


def sweep(chance: random.Random, runs: int) -> list[Cost]:
    """Unlike runs: packets and samples from few to a hundred times as many."""
    return [
        Cost(0.002, 0.001 * 10 ** chance.uniform(0, 2), 0.0005 * 10 ** chance.uniform(0, 2), 0.001) for _ in range(runs)
    ]


@pytest.mark.parametrize("factors", [(1, 1, 1), (4, 4, 4), (1, 3, 0.5), (2, 0.4, 3), (0.5, 0.5, 8)])
@pytest.mark.parametrize("seed", range(4))
def test_right_within_30_percent_after_a_tenth_of_the_work(clock, factors, seed):
    chance = random.Random(seed)
    costs = sweep(chance, 400)
    true_s = [
        chance.uniform(0.8, 1.25) * sum(part * factor for part, factor in zip(cost, factors, strict=False))
        for cost in costs
    ]
    store_s = sum(cost.store_s for cost in costs) * sum(true_s) / sum(cost.run_s for cost in costs)
    left = TimeLeft(costs, JOBS)
    for number, (cost, spent_s) in enumerate(zip(costs, true_s, strict=True)):
        left.start(str(number), cost)
        clock.now_s += spent_s / JOBS
        left.end(str(number), cost, spent_s, 0.0)
        if left.share >= 0.1:
            rest_s = (sum(true_s[number + 1 :]) + store_s) / JOBS
            assert left.left_s == pytest.approx(rest_s, rel=0.3)
            return


def test_nobody_knows_before_the_first_run_is_done(clock):
    costs = sweep(random.Random(1), 3)
    left = TimeLeft(costs, JOBS)
    assert left.left_s is None
    left.start("a", costs[0])
    assert left.left_s is None


def test_a_long_run_at_the_end_is_waited_for(clock):
    short, long = Cost(0.0, 1.0, 0.0, 0.0), Cost(0.0, 100.0, 0.0, 0.0)
    left = TimeLeft([short, long], JOBS)
    left.start("long", long)
    left.start("short", short)
    clock.now_s = 1.0
    left.end("short", short, 1.0, 0.0)
    assert left.left_s == pytest.approx(99 + time_left.END_S)
    clock.now_s = 60.0
    assert left.left_s == pytest.approx(40 + time_left.END_S)


def test_runs_that_others_computed_are_no_work(clock):
    one = Cost(0.0, 1.0, 0.0, 0.5)
    left = TimeLeft([one] * 4, 1)
    left.start("a", one)
    left.end("a", one, 2.0, 0.0)
    assert left.left_s == pytest.approx(6 + 4 + time_left.END_S)
    left.drop("b", one)
    left.drop("c", one)
    assert left.left_s == pytest.approx(2 + 2 + time_left.END_S)
    assert left.share == 0.5


def test_nothing_to_do():
    assert TimeLeft([], 1).share == 1.0
