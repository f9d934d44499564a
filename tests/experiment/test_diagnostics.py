"""Every mistake is named at once: file, key, reason, remedy, nearest valid name."""

import pytest
from fairlane.experiment.diagnostics import ExperimentError
from fairlane.experiment.load import load

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
        "sweep.network.rate: is an empty list; give at least one value",
        "sweep.flows.rvial.algorithm: flows has no 'rvial'; did you mean rival?",
        "repeats: 0 is out of range; write a number that is at least 1",
        "network.rtt: '20' has no unit; write for example 20ms",
        "network.bufer: unknown key; did you mean buffer",
        "network.queue.targt: unknown option; did you mean target?",
        "network.loss: '1' has no unit; write for example 0.1%",
        "flows[0].algorithm: unknown algorithm 'cubicc'; did you mean cubic",
        "flows[0].start: begins at 10 s, when it is over (5 s); start earlier",
        "flows.rival.algorithm: no file './nowhere.c'; give the path of a C file",
        "flows.rival.parameters.beta: must be an integer, not 1.5",
        "flows.rival.worklod: unknown key; did you mean workload?",
        "flows[2].algorithm: unknown parameter of cubic 'betta'; did you mean beta?",
        "flows[2].workload: there is no 'byte'; did you mean bytes?",
        "duraton: unknown key; did you mean duration?",
    ]
    for line in expected:
        assert any(one.startswith(f"bad.toml: {line}") for one in found), (line, found)
    assert len(found) == len(expected)


def test_a_link_is_called_by_its_name(mistakes):
    assert [line.partition(". Known")[0] for line in mistakes(LINKS)] == [
        "bad.toml: flows[0].forward: unknown link 'upp'; did you mean up? Known: up, down, side",
        "bad.toml: network.links.up.queue.targt: unknown option; did you mean target? Known: limit, target, interval,"
        " ecn, ce_threshold",
        "bad.toml: network.links.down.queue.limit: is too small for the thresholds that follow from it;"
        " give 15000 bytes or more",
        "bad.toml: network.links.side.queue: there is no 'fq_codle'; did you mean fq_codel or codel?"
        " Known: fifo, unlimited, red, codel, fq_codel, pie, fq_pie, fq, cake, dualpi2, policer, router",
    ]


def test_the_remedy_for_a_small_limit_helps(mistakes):
    mistakes(BASE.replace('"1bdp"', '"10kB"\nqueue = "red"'))
    load({"duration": "5s", "network": {"rate": "10mbit", "rtt": "20ms", "buffer": "15000B", "queue": "red"},
          "flows": [{"algorithm": "cubic"}]})  # fmt: skip


@pytest.mark.parametrize(
    ("queue", "said"),
    [
        ('{ kind = "red", burst = "1p" }',
         'network.queue.burst: is too small for `min`; give at least `min` / `avpkt`'),
        ('{ kind = "codel", ecn = 3 }', "network.queue.ecn: must be true or false"),
        ('{ kind = "codel", target = 5 }', 'network.queue.target: must be a time, such as "5ms"'),
        ('{ kind = "policer", burst = "9kB" }',
         "network.queue.rate: is missing; give it with `burst`, or `pkts_rate` with `pkts_burst`"),
        ('{ kind = "policer", pkts_rate = 1000 }',
         'network.queue.pkts_rate: must be packets per second, such as "1000pps"'),
        ('{ kind = "policer", rate = "1mbit", burst = "9kB", peakrate = "2mbit" }',
         "network.queue.mtu: is missing; with `peakrate` give the largest frame, its burst"),
        ('{ kind = "policer", rate = "1mbit", burst = "9kB", mtu = 1514 }',
         'network.queue.mtu: must be bytes, such as "250kB"'),
    ],
)  # fmt: skip
def test_options_of_queues(mistakes, queue, said):
    assert mistakes(BASE.replace('"1bdp"', f'"1MB"\nqueue = {queue}')) == [f"bad.toml: {said}"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("duration = 5s\n", 'text and values with units stand in quotes: duration = "..."'),
        ("duration = five\n", 'text and values with units stand in quotes: duration = "..."'),
        ("", "flows: is missing; begin a table [[flows]] with an algorithm for each flow"),
        ('inherits = "nowhere.toml"', "nowhere.toml: there is no such file; bad.toml inherits from it"),
        ('inherits = "bad.toml"', "inherits from this file; break the circle"),
        ('inherits = "base.toml"\n[network]\nrate = "1"', "bad.toml: network.rate: '1' has no unit"),
        (BASE + "[sweep]\nseed = 3", "sweep.seed: must be a list of values or a range, not 3"),
        (BASE + '[sweep]\n"network.rtt" = {from = "1ms", to = "1kB", count = 2}', "units that do not fit together"),
    ],
)
def test_files_that_say_too_little_or_nothing(mistakes, text, said):
    assert any(said in line for line in mistakes(text)), mistakes(text)


def test_a_mistake_in_a_parent_names_the_parent(mistakes, tmp_path):
    (tmp_path / "base.toml").write_text(BASE.replace('"20ms"', '"20"'))
    (line,) = mistakes('inherits = "base.toml"\nrepeats = 2\n')
    assert line.startswith("base.toml: network.rtt: '20' has no unit")
