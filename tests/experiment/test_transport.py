"""The transport protocol of a flow in an experiment file."""

import fairlane
import fairlane.engine
import pytest
from fairlane.engine.declarations import plain_type, settings_of
from fairlane.scenario.contract_forms import keys_of
from fairlane.scenario.diagnostics import ExperimentError
from fairlane.scenario.load import load


def scenario(*settings, **hosts):
    """The engine's scenario of an experiment with these settings of flows and hosts."""
    network = {"rate": "10mbit", "rtt": "20ms", "buffer": "1bdp"}
    experiment = {"duration": "1s", "network": network, "hosts": hosts}
    experiment["flows"] = [{"algorithm": "reno", **one} for one in settings]
    return load(experiment).points[0].point.repeat(0)


def flows(*settings, **hosts):
    """Its flows."""
    return scenario(*settings, **hosts)["flows"]


def test_quic_is_a_key_of_a_flow_with_a_table_of_settings():
    quic = {"profile": "gquic", "initial_cwnd": 10, "max_ack_delay": "20ms", "packet": "1.2kB"}
    tcp, made = flows({}, {"transport": "quic", "quic": quic})
    assert "transport" not in tcp
    assert made["transport"] == "quic"
    settings = {"initial_cwnd_packets": 10, "max_ack_delay_ns": 20_000_000, "packet_bytes": 1200}
    assert made["quic"] == {"profile": "gquic", **settings}


def test_common_settings_of_hosts_reach_quic_where_they_apply():
    tcp, quic = flows({}, {"transport": "quic"}, ecn=True, offload=True, sender={"nagle": False})
    assert tcp["sender"] == {"offload": True, "ecn": True, "nagle": False}
    assert quic["sender"] == quic["receiver"] == {"ecn": True}


def test_the_release_of_the_kernel_changes_no_algorithm_of_quic():
    tcp, quic = flows({"algorithm": "bbr"}, {"algorithm": "bbr", "transport": "quic"}, kernel="4.13")
    assert tcp["parameters"] == {"pacing_margin": 0, "extra_acked_gain": 0}
    assert quic["parameters"] == {}


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (
            {"quic": {"streams": 2}},
            "flows[0].quic: ",
        ),
        (
            {"transport": "quic", "sender": {"nagle": False}},
            "flows[0].sender.nagle: ",
        ),
        ({"transport": "quic", "quic": {"profile": "h3"}}, "flows[0].quic.profile: "),
        ({"transport": "sctp"}, "flows[0].transport: "),
        ({"transport": "quic", "quic": {"cwnd": 3}}, "flows[0].quic.cwnd: "),
        (
            {"transport": "quic", "quic": {"packet": "100B"}},
            "flows[0].quic.packet: ",
        ),
        (
            {"transport": "quic", "quic": {"max_ack_delay": "100ms"}},
            "flows[0].quic.max_ack_delay: ",
        ),
        (
            {"transport": "quic", "quic": {"stream_window": "0B"}},
            "flows[0].quic.stream_window: ",
        ),
        (
            {"transport": "quic", "quic": {"time_threshold_permille": 500}},
            "flows[0].quic.time_threshold_permille: ",
        ),
    ],
)
def test_a_setting_of_the_other_transport_is_one_line_with_key_and_remedy(settings, message):
    with pytest.raises(ExperimentError) as error:
        flows(settings)
    [line] = error.value.lines
    assert message in line


def accepted(table, key, **flow):
    """A value of this key that a flow may have."""
    for value in (True, 5, 5000, "fq", "2kB", "64KiB", "1ms", "gquic", "reno"):
        try:
            flows({**flow, table: {key: value}})
        except ExperimentError:
            continue
        return value
    raise AssertionError(f"no value of {key} is accepted")


TCP_SETTINGS = [
    (end, name)
    for end, table in (("sender", "SenderHost"), ("receiver", "ReceiverHost"))
    for name, key in keys_of(table).items()
    if settings_of(table)[key.engine].get("x-transport") == "tcp"
]


@pytest.mark.parametrize(("table", "key"), TCP_SETTINGS)
def test_no_setting_of_tcp_is_silent_in_a_quic_flow(table, key):
    with pytest.raises(ExperimentError) as error:
        flows({"transport": "quic", table: {key: accepted(table, key)}})
    [line] = error.value.lines
    assert f"flows[0].{table}.{key}: " in line


@pytest.mark.parametrize("key", keys_of("QuicSettings"))
def test_no_setting_of_quic_is_silent_in_a_tcp_flow(key):
    value = accepted("quic", key, transport="quic")
    with pytest.raises(ExperimentError) as error:
        flows({"quic": {key: value}})
    [line] = error.value.lines
    assert "flows[0].quic: " in line
    assert 'transport = "quic"' in line


@pytest.mark.parametrize(
    ("end", "name", "setting"),
    [
        (end, name, setting)
        for end, table in (("sender", "SenderHost"), ("receiver", "ReceiverHost"))
        for name, setting in settings_of(table).items()
        if "x-transport" in setting
    ],
)
def test_the_engine_refuses_settings_of_tcp_for_a_quic_flow(end, name, setting):
    default = setting.get("default")
    words = {"pacing": "fq", "machine": "left", "algorithm": "reno"}
    other = words.get(name) or {"boolean": not default, "integer": (default or 30) + 1}[plain_type(setting)]
    run = scenario({"transport": "quic"})
    run["flows"][0][end] = {name: other}
    with pytest.raises(fairlane.ScenarioError, match=rf"flows\[0\]\.{end}\.{name}: "):
        fairlane.engine.run(run)


def test_only_cubic_emulates_connections():
    settings = {"transport": "quic", "quic": {"emulated_connections": 2}}
    with pytest.raises(fairlane.ScenarioError, match=r"flows\[0\]\.quic\.emulated_connections: is 2, .* cubic"):
        fairlane.engine.run(scenario(settings))
    assert fairlane.engine.run(scenario({**settings, "algorithm": "cubic"}))["flows"]


@pytest.mark.parametrize(
    ("settings", "hosts", "message"),
    [
        ({"sender": {"ecn": "accecn"}}, {}, "flows[0].sender.ecn: "),
        ({"receiver": {"ecn": "accecn"}}, {}, "flows[0].receiver.ecn: "),
        ({}, {"ecn": "accecn"}, "hosts.ecn: "),
        ({}, {"sender": {"ecn": "accecn"}}, "hosts.sender.ecn: "),
    ],
)
def test_accurate_feedback_of_tcp_is_refused_where_only_quic_would_have_it(settings, hosts, message):
    quic = {"transport": "quic"}
    with pytest.raises(ExperimentError) as error:
        flows({**quic, **settings}, **hosts)
    [line] = error.value.lines
    assert message in line
    if hosts:
        tcp, made = flows({}, {**quic, **settings}, **hosts)
        assert tcp["sender"]["accecn"]
        assert "accecn" not in made["sender"]


def test_an_empty_table_of_quic_settings_says_nothing():
    """A sweep over transports has one."""
    assert flows({"quic": {}}) == flows({})


def test_a_transport_in_python_is_text_or_a_list_of_it():
    with pytest.raises(ExperimentError, match="transport: "):
        fairlane.duel("cubic", "bbr", rate="10mbit", rtt="20ms", duration="1s", transport=3)
