"""DCTCP behind a port that marks above a threshold (RFC 8257 section 5)."""

import fairlane
import pytest


@pytest.mark.parametrize("senders", [10, 40])
def test_no_sender_of_an_incast_starves(senders, tmp_path):
    """The port marks what it would otherwise drop, SYNs included, because all packets are ECN-capable. With ten senders
    each has in Linux a share within 6 % of equal."""
    marking = {"kind": "red", "limit": "1MB", "min": "30000B", "max": "30001B", "avpkt": "1500B", "burst": "21p"}
    experiment = {
        "title": "Incast",
        "duration": "2s",
        "hosts": {"ecn": True},
        "metrics": {"warm_up": "500ms"},
        "network": {"rate": "1gbit", "rtt": "100us", "queue": {**marking, "probability": 1.0, "ecn": True}},
        "flows": [{"name": "sender", "algorithm": "dctcp", "count": senders, "start_every": "5ms"}],
    }
    flows = fairlane.run(experiment, tmp_path / "results", progress=False).flows
    shares = flows["goodput_mbps"] * senders / flows["goodput_mbps"].sum()
    assert shares.min() > 0.85
    assert shares.max() < 1.15
    assert flows["timeouts"].sum() == 0
    assert flows["retransmits"].sum() == 0
