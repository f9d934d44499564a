"""The same scenario gives the same result, bit for bit: again, in another process, among parallel runs."""

import json
from fractions import Fraction

from fairlane import simulate as run
from fairlane.algorithm import Algorithm
from fairlane.dumbbell import Dumbbell, Flow
from fairlane.units import Buffer
from fairlane.workers import run_all


def scenario(seed: int) -> dict:
    flows = tuple(
        Flow(Algorithm(name), rtt_ns=30_000_000, start_ns=i * 10**8) for i, name in enumerate(("cubic", "bbr", "reno"))
    )
    return Dumbbell(flows, 20_000_000, Buffer(Fraction(1), "bdp"), 5 * 10**9, loss=0.005, seed=seed).scenario()


def text(result: dict) -> str:
    return json.dumps(result)


def test_twice_in_one_process():
    assert text(run(scenario(1))) == text(run(scenario(1)))


def test_alone_and_among_parallel_runs():
    alone = text(run(scenario(1)))
    outcomes = run_all([scenario(seed) for seed in (1, 2, 1, 3, 1, 4)], jobs=3)
    results = [text(outcome.result) for outcome in outcomes]
    assert results[0] == results[2] == results[4] == alone
    assert len(set(results)) == 4, "other seeds give other results"
