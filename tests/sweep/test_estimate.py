"""What a run costs is known before it runs."""

import pytest
from fairlane.experiment.load import load
from fairlane.sweep import machine
from fairlane.sweep.estimate import Work, cost
from fairlane.sweep.machine import network_of
from fairlane.workers import Outcome

FILE = """
duration = "10s"
[network]
rate = "{rate}"
rtt = "20ms"
{queue}
[[flows]]
algorithm = "cubic"
"""


def packets_s(folder, rate, queue="buffer = '1bdp'"):
    path = folder / "one.toml"
    path.write_text(FILE.format(rate=rate, queue=queue))
    return cost(load(path).points[0].point.repeat(0)).packets_s


def test_a_policer_holds_a_flow_back_as_a_slow_link_does(tmp_path):
    slow = packets_s(tmp_path, "10mbit")
    policed = packets_s(tmp_path, "1gbit", 'queue = { kind = "policer", rate = "10mbit", burst = "30kB" }')
    assert policed == slow
    assert packets_s(tmp_path, "20mbit") > 1.9 * slow
    by_packets = 'queue = { kind = "policer", pkts_rate = "1kpps", pkts_burst = "20p" }'
    assert packets_s(tmp_path, "1gbit", by_packets) == packets_s(tmp_path, "12mbit")


def test_a_machine_that_is_slow_with_many_flows_is_told_from_one_that_is_slow(monkeypatch):
    asked = []

    def run_all(networks, jobs, keep):
        asked.append(len(networks))
        slow = 3 if len(networks[0]["flows"]) > 1 else 2
        return [Outcome({}, {"wall_s": slow * cost(network).run_s}) for network in networks]

    monkeypatch.setattr(machine, "run_all", run_all)
    here = machine.slowness(2, estimated_s=100)
    assert here.few == pytest.approx(2)
    assert here.many == pytest.approx(3)
    assert here.seconds([Work(10.0, 500), Work(10.0, 800)]) == pytest.approx(60)
    assert 20 < here.seconds([Work(10.0, 1)]) < here.seconds([Work(10.0, 20)]) < here.seconds([Work(10.0, 200)]) < 30
    assert asked == [10, 10]  # five looks on each processor
    asked.clear()
    machine.slowness(2, estimated_s=10_000)
    assert asked == [24, 24]  # long work is worth a better look
    asked.clear()
    assert machine.slowness(2, estimated_s=50).seconds([Work(10.0, 500)]) == 10
    assert not asked


def test_a_longer_path_costs_more():
    one, two = network_of(1, 10**8, 10), network_of(1, 10**8, 10)
    two["links"].append({**two["links"][0], "name": "second"})
    two["flows"][0]["forward"].append("second")
    assert cost(two).packets_s > 1.1 * cost(one).packets_s


def test_this_machine_is_compared_with_that_of_the_constants():
    here = machine.slowness(1, estimated_s=61)
    assert here.few > 0
    assert here.many > 0
