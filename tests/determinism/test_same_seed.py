"""The same scenario gives the same result, bit for bit: repeated, in another process, and in parallel runs."""

import json

from fairlane import engine
from fairlane import simulate as run
from fairlane.runs.executors.processes import run_all
from fairlane.scenario import requests as single


def scenario(seed: int) -> dict:
    names = ("cubic", "bbr", "reno")
    flows = [{"algorithm": name, "rtt": "30ms", "start": f"{i * 100}ms"} for i, name in enumerate(names)]
    return single.scenario(single.dumbbell(flows, rate="20mbit", duration="5s", loss="0.5%", seed=seed))


def text(result: dict) -> str:
    return json.dumps(result)


def test_twice_in_one_process():
    assert text(run(scenario(1))) == text(run(scenario(1)))


def test_on_one_thread_and_on_several():
    flows = [{"algorithm": name, "rtt": "60ms", "count": 4} for name in ("cubic", "bbr", "reno", "dctcp")]
    network = single.scenario(single.dumbbell(flows, rate="1gbit", duration="1s"))
    alone = text(run(network))
    engine.use_threads(2)
    try:
        assert text(run(network)) == alone
    finally:
        engine.use_threads(1)


def test_alone_and_among_parallel_runs():
    alone = text(run(scenario(1)))
    outcomes = run_all([scenario(seed) for seed in (1, 2, 1, 3, 1, 4)], jobs=3)
    results = [text(outcome.result) for outcome in outcomes]
    assert results[0] == results[2] == results[4] == alone
    assert len(set(results)) == 4, "other seeds give other results"
