"""What a run costs is known before it runs."""

from fairlane.experiment.load import load
from fairlane.sweep.estimate import cost

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
