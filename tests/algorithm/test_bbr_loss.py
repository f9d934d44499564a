"""BBR under random loss, to which version 1 does not respond below about 20 %."""

import fairlane
import pytest


@pytest.mark.parametrize("loss", ["1%", "5%", "10%"])
def test_it_holds_its_rate_over_both_transports(loss):
    """Over QUIC as over TCP it conserves packets only in the first round trip of a recovery."""
    tcp, quic = (
        fairlane.duel(
            "bbr", rate="10mbit", rtt="100ms", buffer="1bdp", loss=loss, duration="40s", transport=transport
        ).flows["goodput_mbps"][0]
        for transport in ("tcp", "quic")
    )
    assert tcp > 7.5
    assert quic == pytest.approx(tcp, rel=0.15)
