"""All errors are reported at once: file, key, reason, remedy, nearest valid name."""

import pytest
from fairlane.scenario.diagnostics import ExperimentError
from fairlane.scenario.load import load

BASE = """
duration = "5s"
[network]
rate = "10mbit"
rtt = "20ms"
buffer = "1bdp"
[[flows]]
algorithm = "cubic"
"""
LINKS = """
duration = "5s"
[[network.links]]
name = "up"
rate = "10mbit"
queue = { kind = "codel", targt = "5ms" }
[[network.links]]
name = "down"
rate = "10mbit"
queue = { kind = "red", limit = "10kB" }
[[network.links]]
rate = "10mbit"
name = "side"
queue = "fq_codle"
[[flows]]
algorithm = "cubic"
forward = ["upp"]
reverse = ["down"]
"""
MANY = """
inherits = "base.toml"
duraton = "5s"
repeats = 0
[network]
rtt = "20"
bufer = "1bdp"
queue = { kind = "codel", targt = "5ms" }
loss = "1"
[[flows]]
algorithm = "cubicc"
start = "10s"
[[flows]]
name = "rival"
algorithm = "./nowhere.c"
parameters = { beta = 1.5 }
worklod = "bulk"
[[flows]]
algorithm = "cubic:betta=3"
workload = { kind = "byte", bytes = "1MB" }
[sweep]
"network.rate" = []
"flows.rvial.algorithm" = ["reno"]
[[sweep.exclude]]
"network.rate" = "12mbit"
"""


@pytest.fixture
def mistakes(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "base.toml").write_text(BASE)

    def named(text: str) -> list[str]:
        (tmp_path / "bad.toml").write_text(text)
        with pytest.raises(ExperimentError) as caught:
            load(tmp_path.relative_to(tmp_path) / "bad.toml")
        return caught.value.lines

    return named


def test_all_at_once(mistakes):
    found = mistakes(MANY)
    expected = [
        ("sweep.network.rate", ""),
        ("sweep.flows.rvial.algorithm", "did you mean rival?"),
        ("repeats", "1"),
        ("network.rtt", "20ms"),
        ("network.bufer", "did you mean buffer"),
        ("network.queue.targt", "did you mean target?"),
        ("network.loss", "0.1%"),
        ("flows[0].algorithm", "did you mean cubic"),
        ("flows[0].start", "5 s"),
        ("flows.rival.algorithm", "'./nowhere.c'"),
        ("flows.rival.parameters.beta", "1.5"),
        ("flows.rival.worklod", "did you mean workload?"),
        ("flows[2].algorithm", "did you mean beta?"),
        ("flows[2].workload", "did you mean bytes?"),
        ("duraton", "did you mean duration?"),
    ]
    for key, fact in expected:
        assert any(one.startswith(f"bad.toml: {key}: ") and fact in one for one in found), (key, fact, found)
    assert len(found) == len(expected)


def test_a_link_is_called_by_its_name(mistakes):
    expected = [
        ("flows[0].forward", "did you mean up? Known: up, down, side"),
        ("network.links.up.queue.targt", "did you mean target? Known: limit, target, interval, ecn, ce_threshold"),
        ("network.links.down.queue.limit", "15000 bytes"),
        ("network.links.side.queue", "did you mean fq_codel or codel? Known: fifo, unlimited, red, "),
    ]
    for line, (key, fact) in zip(mistakes(LINKS), expected, strict=True):
        assert line.startswith(f"bad.toml: {key}: ")
        assert fact in line


def test_the_remedy_for_a_small_limit_helps(mistakes):
    mistakes(BASE.replace('"1bdp"', '"10kB"\nqueue = "red"'))
    load({"duration": "5s", "network": {"rate": "10mbit", "rtt": "20ms", "buffer": "15000B", "queue": "red"},
          "flows": [{"algorithm": "cubic"}]})  # fmt: skip


@pytest.mark.parametrize(
    ("queue", "key", "fact"),
    [
        ('{ kind = "red", burst = "1p" }', "burst", "`min` / `avpkt`"),
        ('{ kind = "codel", ecn = 3 }', "ecn", "true or false"),
        ('{ kind = "codel", target = 5 }', "target", '"5ms"'),
        ('{ kind = "policer", burst = "9kB" }', "rate", "`pkts_rate` with `pkts_burst`"),
        ('{ kind = "policer", pkts_rate = 1000 }', "pkts_rate", '"1000pps"'),
        ('{ kind = "policer", rate = "1mbit", burst = "9kB", peakrate = "2mbit" }', "mtu", "`peakrate`"),
        ('{ kind = "policer", rate = "1mbit", burst = "9kB", mtu = 1514 }', "mtu", '"250kB"'),
    ],
)
def test_options_of_queues(mistakes, queue, key, fact):
    [line] = mistakes(BASE.replace('"1bdp"', f'"1MB"\nqueue = {queue}'))
    assert line.startswith(f"bad.toml: network.queue.{key}: ")
    assert fact in line


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("duration = 5s\n", 'duration = "..."'),
        ("duration = five\n", 'duration = "..."'),
        ("", "flows: "),
        ('inherits = "nowhere.toml"', "nowhere.toml: "),
        ('inherits = "bad.toml"', "inherits"),
        ('inherits = "base.toml"\n[network]\nrate = "1"', "bad.toml: network.rate: '1' "),
        (BASE + "[sweep]\nseed = 3", "sweep.seed: "),
        (BASE + '[sweep]\n"network.rtt" = {from = "1ms", to = "1kB", count = 2}', "sweep.network.rtt"),
    ],
)
def test_files_that_say_too_little_or_nothing(mistakes, text, said):
    assert any(said in line for line in mistakes(text)), mistakes(text)


def test_a_mistake_in_a_parent_names_the_parent(mistakes, tmp_path):
    (tmp_path / "base.toml").write_text(BASE.replace('"20ms"', '"20"'))
    (line,) = mistakes('inherits = "base.toml"\nrepeats = 2\n')
    assert line.startswith("base.toml: network.rtt: '20' ")
