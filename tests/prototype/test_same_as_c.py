"""A Python class with the decisions of a C program gives the same results: every value and every sample is equal."""

import pytest
from fairlane.engine import run

_S, _MS = 10**9, 10**6

NETWORKS = {
    "losses and a rival": {"loss": {"kind": "independent", "probability": 0.002}},
    "an outage": {"changes": [{"at_ns": 3 * _S, "rate_bps": 10_000}, {"at_ns": 6 * _S, "rate_bps": 10_000_000}]},
    "idle periods": {},
}

RENO = """
from fairlane.algorithm import prototype as tcp

class Reno:
    ssthresh = staticmethod(tcp.tcp_reno_ssthresh)
    undo_cwnd = staticmethod(tcp.tcp_reno_undo_cwnd)
    cong_avoid = staticmethod(tcp.tcp_reno_cong_avoid)
"""


def scenario(algorithm, network):
    idle = {"kind": "on_off", "on_ns": 2 * _S, "off_ns": _S} if network == "idle periods" else {"kind": "bulk"}
    ways = {"forward": ["bottleneck"], "reverse": ["return"]}
    return {
        "seed": 1,
        "duration_ns": 12 * _S,
        "series_interval_ns": 10 * _MS,
        "links": [
            {
                "name": "bottleneck",
                "rate_bps": 10_000_000,
                "delay_ns": 10 * _MS,
                "queue": {"kind": "fifo", "limit_bytes": 25_000},
                **NETWORKS[network],
            },
            {"name": "return", "delay_ns": 10 * _MS},
        ],
        "flows": [
            {"algorithm": algorithm, "workload": idle, **ways},
            {"algorithm": "cubic", "start_ns": _S, **ways},
        ],
    }


def same(python, c, network):
    ours, theirs = run(scenario(python, network)), run(scenario(c, network))
    for flow in (*ours["flows"], *theirs["flows"]):
        flow.pop("algorithm")
    assert ours == theirs
    return ours


@pytest.mark.parametrize("network", NETWORKS)
def test_the_vegas_of_the_guide(vegas, network):
    result = same(vegas, "vegas", network)
    assert result["flows"][0]["mean_cwnd_packets"] > 2


@pytest.mark.parametrize("network", NETWORKS)
def test_reno_of_the_kernel_functions(write, network):
    same(write(RENO), "reno", network)


def test_a_class_that_controls_the_rate_is_asked_as_a_c_program_is(write):
    write(
        """
        class Rate:
            def init(self, sock):
                sock.sk_pacing_status = 1

            def cong_control(self, sock, ack, flag, sample):
                sock.sk_pacing_rate = 500_000
                sock.snd_cwnd = 100 if sample.delivered > 0 else sock.snd_cwnd

            def ssthresh(self, sock):
                return 100

            def undo_cwnd(self, sock):
                return sock.snd_cwnd

            def min_tso_segs(self, sock):
                return 1
        """
    )
    flow = run({**scenario("mine.py", "idle periods"), "duration_ns": 2 * _S})["flows"][0]
    assert flow["throughput_mbps"] == pytest.approx(4, rel=0.1)  # 500 kB/s, for as long as it sends
