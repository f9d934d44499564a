"""Estimates of the cost of runs and of the machine's speed."""

import pytest
from fairlane.runs.executors.processes import Computed
from fairlane.runs.sweep import time_estimate as speed
from fairlane.runs.sweep.run_size import RUN_S, packets, work
from fairlane.scenario.load import load

START_S = 2.0
"""Additional cost of the first packets of a run."""

FILE = """
duration = "{duration}"
[network]
rate = "{rate}"
rtt = "20ms"
{queue}
[[flows]]
algorithm = "{algorithm}"
count = {count}
"""


@pytest.fixture
def scenario(tmp_path):
    def made(rate="10mbit", queue="buffer = '1bdp'", algorithm="cubic", count=1, duration="10s"):
        path = tmp_path / "one.toml"
        path.write_text(FILE.format(rate=rate, queue=queue, algorithm=algorithm, count=count, duration=duration))
        return load(path).points[0].point.repeat(0)

    return made


def measure(scenarios, jobs):
    return speed.measure([(one, work(one)) for one in scenarios], jobs)


def test_a_policer_holds_a_flow_back_as_a_slow_link_does(scenario):
    slow = packets(scenario("10mbit"))
    assert packets(scenario("1gbit", 'queue = { kind = "policer", rate = "10mbit", burst = "30kB" }')) == slow
    assert packets(scenario("20mbit")) > 1.9 * slow
    by_packets = 'queue = { kind = "policer", pkts_rate = "1kpps", pkts_burst = "20p" }'
    assert packets(scenario("1gbit", by_packets)) == packets(scenario("12mbit"))


def test_costlier_packets_are_another_kind(scenario):
    one = work(scenario())
    assert work(scenario("1gbit")).kind == one.kind
    assert work(scenario(algorithm="bbr")).kind != one.kind
    assert work(scenario(count=100)).kind != one.kind
    assert work(scenario(queue='queue = { kind = "fq_codel" }')).kind != one.kind


def test_kinds_are_measured_apart_in_runs_cut_short(scenario, monkeypatch):
    ran = []

    def run_all(scenarios, jobs, keep):
        ran.extend(scenarios)
        done = []
        for one in scenarios:
            slow = 3 if one["flows"][0]["algorithm"] == "bbr" else 2
            wall_s = START_S + slow * (work(one).seconds - RUN_S)
            usage = {"wall_s": wall_s, "cpu_s": wall_s / 2}
            done.append(Computed({"data_packets_delivered": packets(one)}, usage))
        return done

    monkeypatch.setattr(speed, "run_all", run_all)
    cubic, bbr = (scenario("10gbit", algorithm=name, duration="1000s") for name in ("cubic", "bbr"))
    here = measure([cubic, cubic, bbr], jobs=2)
    assert here.factor(work(cubic).kind) == pytest.approx(2, rel=0.05), "the start of a run does not count"
    assert here.factor(work(bbr).kind) == pytest.approx(3, rel=0.05)
    assert here.processor_share == pytest.approx(0.5)
    assert 2 < here.factor(work(scenario(count=50)).kind) < 3, "an unknown kind is like the others"
    assert len(ran) == 4
    assert sum(packets(one) for one in ran) < 0.05 * packets(cubic)


def test_a_run_that_fails_is_not_measured(scenario, monkeypatch):
    monkeypatch.setattr(speed, "run_all", lambda scenarios, jobs, keep: [Computed(None, {}, "no")] * len(scenarios))
    assert measure([scenario("10gbit", duration="1000s")], jobs=2).factor() == 1


def test_short_work_is_not_measured(scenario, monkeypatch):
    monkeypatch.setattr(speed, "run_all", None)
    assert measure([scenario()], jobs=1).factor() == 1


def test_real_runs_are_measured(scenario):
    long = scenario("10gbit", duration="1000s")
    assert 0.01 < measure([long, scenario("10gbit", algorithm="bbr", duration="1000s")], jobs=2).factor() < 100
