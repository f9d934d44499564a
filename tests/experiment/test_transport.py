"""The transport protocol of a flow in an experiment file."""

import pytest
from fairlane.experiment.diagnostics import ExperimentError
from fairlane.experiment.load import load


def flows(*settings, **hosts):
    """The engine's flows of an experiment with these settings of flows and hosts."""
    network = {"rate": "10mbit", "rtt": "20ms", "buffer": "1bdp"}
    experiment = {"duration": "1s", "network": network, "hosts": hosts}
    experiment["flows"] = [{"algorithm": "reno", **one} for one in settings]
    return load(experiment).points[0].point.repeat(0)["flows"]


def test_quic_is_a_key_of_a_flow_with_a_table_of_settings():
    quic = {"profile": "gquic", "initial_cwnd": 10, "max_ack_delay": "20ms", "packet": "1.2kB"}
    tcp, made = flows({}, {"transport": "quic", "quic": quic})
    assert "transport" not in tcp
    assert made["transport"] == "quic"
    settings = {"initial_cwnd_packets": 10, "max_ack_delay_ns": 20_000_000, "packet_bytes": 1200}
    assert made["quic"] == {"profile": "gquic", **settings}


def test_what_hosts_have_in_common_reaches_quic_as_far_as_it_means_anything_there():
    tcp, quic = flows({}, {"transport": "quic"}, ecn=True, offload=True, sender={"nagle": False})
    assert tcp["sender"] == {"offload": True, "ecn": True, "nagle": False}
    assert quic["sender"] == quic["receiver"] == {"ecn": True}


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (
            {"quic": {"streams": 2}},
            'flows[0].quic: is set, but the flow uses TCP; add transport = "quic", or remove it',
        ),
        (
            {"transport": "quic", "sender": {"nagle": False}},
            "flows[0].sender.nagle: is a setting of TCP, but the flow uses QUIC; remove it, or see `quic`",
        ),
        ({"transport": "quic", "quic": {"profile": "h3"}}, "flows[0].quic.profile: "),
        ({"transport": "sctp"}, "flows[0].transport: "),
        ({"transport": "quic", "quic": {"cwnd": 3}}, "flows[0].quic.cwnd: "),
    ],
)
def test_a_setting_of_the_other_transport_is_one_line_with_key_and_remedy(settings, message):
    with pytest.raises(ExperimentError) as error:
        flows(settings)
    [line] = error.value.lines
    assert message in line


def test_an_empty_table_of_quic_settings_says_nothing():
    """A sweep over transports has one."""
    assert flows({"quic": {}}) == flows({})
