"""What a run costs is known before it runs."""

import pytest
from fairlane.experiment.load import load
from fairlane.sweep import machine
from fairlane.sweep.estimate import cost
from fairlane.sweep.machine import PROBES, network_of
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


def test_the_probes_of_the_machine_run_and_their_cost_follows_from_the_constants():
    """By the estimate a probe costs what was measured where its constants come from, to a factor of two."""
    for flows, rate_bps, duration_s, measured_s in PROBES:
        estimated_s = cost(network_of(flows, rate_bps, duration_s)).run_s
        assert measured_s / 2 < estimated_s < measured_s * 2


def test_a_machine_with_half_the_speed_takes_twice_as_long(monkeypatch):
    def run_all(networks, jobs, keep):
        measured_s = {len(network_of(*probe[:3])["flows"]): probe[3] for probe in PROBES}
        return [Outcome({}, {"wall_s": 2 * measured_s[len(network["flows"])]}) for network in networks]

    monkeypatch.setattr(machine, "run_all", run_all)
    assert machine.slowness(jobs=2) == pytest.approx(2)


def test_this_machine_is_compared_with_that_of_the_constants():
    assert machine.slowness(jobs=1) > 0
