"""One cause has one error: what follows from a misspelt key or a wrong value is not reported beside it."""

from typing import Any

import pytest
from fairlane.scenario.diagnostics import ExperimentError
from fairlane.scenario.load import load

NETWORK = {"rate": "20mbit", "rtt": "40ms", "buffer": "1bdp", "queue": "codel"}
BASE: dict[str, Any] = {"duration": "2s", "network": NETWORK, "flows": [{"algorithm": "cubic"}]}


def without(table: dict[str, Any], *keys: str) -> dict[str, Any]:
    return {key: value for key, value in table.items() if key not in keys}


@pytest.mark.parametrize(
    ("settings", "place"),
    [
        ({"network": {**without(NETWORK, "rate"), "rte": "20mbit"}}, "network.rte"),
        ({"network": {**NETWORK, "rate": "20mbitt"}}, "network.rate"),
        ({"network": {**without(NETWORK, "rtt"), "rt": "40ms"}}, "network.rt"),
        ({"network": {**without(NETWORK, "rate"), "trace": "none.trace"}}, "network.trace"),
        ({"network": {**NETWORK, "reverse": {"rat": "1mbit", "buffer": "1bdp"}}}, "network.reverse.rat"),
        (
            {"network": {**NETWORK, "reverse": {"rate": "1mbi", "buffer": "1bdp", "queue": "pie"}}},
            "network.reverse.rate",
        ),
        ({"flows": [{"algoritm": "cubic"}]}, "flows[0].algoritm"),
        ({"duration": "2x", "flows": [{"algorithm": "cubic", "start": "3s"}]}, "duration"),
        ({**without(BASE, "flows"), "flow": [{"algorithm": "cubic"}]}, "flow"),
        ({**without(BASE, "network"), "netwrk": NETWORK}, "netwrk"),
        ({"network": {**without(NETWORK, "rtt"), "latency": "40ms"}}, "network.latency"),
        ({"network": {**without(NETWORK, "rate"), "bandwidth": "20mbit"}}, "network.bandwidth"),
        ({"network": {"kind": "wi-fi"}}, "network.kind"),
        ({"network": {"link": "geo"}}, "network.link"),
        ({"network": {"topology": "wifi"}}, "network.topology"),
        (
            {
                "network": {
                    "links": [{"name": "a", "rte": "1mbit", "buffer": "1bdp"}, {"name": "b", "delay": "1ms"}],
                },
                "flows": [{"algorithm": "cubic", "forward": ["a"], "reverse": ["b"]}],
            },
            "network.links.a.rte",
        ),
    ],
)
def test_one_cause_has_one_error(settings: dict[str, Any], place: str) -> None:
    whole = settings if {"flow", "netwrk"} & set(settings) else {**BASE, **settings}
    with pytest.raises(ExperimentError) as raised:
        load(whole)
    (line,) = raised.value.lines
    assert line.split(": ")[1] == place


@pytest.mark.parametrize(
    ("settings", "remedy"),
    [
        ({"flows": [{"algorithm": "cubic", "repeat": 3}]}, "write repeats at the top of the file"),
        ({"flows": [{"algorithm": "Cubic"}]}, "did you mean cubic"),
        ({"hosts": {"sackk": False}}, "did you mean sender.sack or receiver.sack?"),
        ({"sweep": {"flows.b.algorithm": ["reno"]}, "flows": [{"algorithm": "cubic"}] * 30}, "Nearest of 30: "),
        ({"flows": [{"algorithm": "cubic", "transport": "QUIC"}]}, "did you mean quic?"),
    ],
)
def test_the_remedy_names_the_key_or_value_that_is_meant(settings: dict[str, Any], remedy: str) -> None:
    with pytest.raises(ExperimentError) as raised:
        load({**BASE, **settings})
    (line,) = raised.value.lines
    assert remedy in line


def test_two_causes_have_two_errors() -> None:
    network = {"rtt": "40ms", "buffer": "1bdp", "quee": "codel"}
    with pytest.raises(ExperimentError) as raised:
        load({**BASE, "network": network})
    assert [line.split(": ")[1] for line in raised.value.lines] == ["network.quee", "network.rate"]
