"""Stations of a half-duplex channel in experiment files: scenario, errors, results."""

import tomllib

import fairlane
import pytest
from fairlane.runs.sweep.run_size import packets
from fairlane.scenario.cautions import remarks
from fairlane.scenario.diagnostics import ExperimentError
from fairlane.scenario.load import load

FILE = """
duration = "2s"
[[network.links]]
name = "back"
delay = "10ms"
[[network.media]]
kind = "half_duplex"
name = "air"
rate = "50mbit"
turnaround = "1ms"
frames_per_turn = 4
delay = "5ms"
[[network.media.stations]]
name = "laptop"
buffer = "1bdp"
loss = "1%"
[[network.media.stations]]
name = "access-point"
queue = { kind = "codel", target = "5ms" }
[[flows]]
algorithm = "reno"
forward = ["laptop"]
reverse = ["back", "access-point"]
"""


def read(text=FILE):
    return load(tomllib.loads(text))


def test_the_engine_gets_the_channel_in_its_own_words():
    scenario = read().points[0].point.repeat(0)
    rtt_ns = 20_000_000
    assert scenario["media"] == [
        {
            "kind": "half_duplex",
            "name": "air",
            "rate_bps": 50_000_000,
            "turnaround_ns": 1_000_000,
            "frames_per_turn": 4,
            "delay_ns": 5_000_000,
            "overhead_bytes": 14,
            "stations": [
                {
                    "name": "laptop",
                    "queue": {"kind": "fifo", "limit_bytes": 50_000_000 * rtt_ns // 8 // 10**9},
                    "loss": {"kind": "independent", "probability": 0.01, "correlation": 0.0},
                },
                {"name": "access-point", "queue": {"kind": "codel", "target_ns": 5_000_000}},
            ],
        }
    ]
    assert scenario["flows"][0]["forward"] == ["laptop"]


def test_results_have_a_row_and_a_series_for_each_station(tmp_path):
    (tmp_path / "half-duplex.toml").write_text(FILE)
    results = fairlane.run(tmp_path / "half-duplex.toml", results=tmp_path / "results", progress=False)
    rows = {row["name"]: row for row in results.links.to_dicts()}
    assert list(rows) == ["back", "laptop", "access-point"]
    assert 0 < rows["access-point"]["utilisation"] < rows["laptop"]["utilisation"] < 1
    assert rows["laptop"]["lost_packets"] > 0
    assert results.series("link", ["queue_bytes"], name="laptop")["queue_bytes"].max() > 0


def test_repeats_vary_the_delay_of_the_channel():
    point = read("repeats = 3\n" + FILE).points[0].point
    delays_ns = [point.repeat(number)["media"][0]["delay_ns"] for number in range(3)]
    assert len(set(delays_ns)) == 3
    assert all(5_000_000 <= delay_ns <= 5_025_000 for delay_ns in delays_ns)


def test_keys_of_stations_can_be_swept():
    sweep = '[sweep]\n"network.media.air.stations.laptop.buffer" = ["10p", "20p"]\n'
    points = read(FILE + sweep).points
    queues = [planned.point.repeat(0)["media"][0]["stations"][0]["queue"] for planned in points]
    assert queues == [{"kind": "fifo", "limit_packets": 10}, {"kind": "fifo", "limit_packets": 20}]


def test_an_unbounded_queue_is_remarked_on_and_the_rate_bounds_the_estimate():
    experiment = read(FILE.replace('buffer = "1bdp"\n', ""))
    assert any("network.media.air.stations.laptop: " in line for line in remarks(experiment))
    scenario = experiment.points[0].point.repeat(0)
    fast = {**scenario, "media": [{**scenario["media"][0], "rate_bps": 500_000_000}]}
    assert packets(fast) == pytest.approx(10 * packets(scenario))


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('name = "laptop"', 'name = "back"', "'back'"),
        (
            'forward = ["laptop"]',
            'forward = ["air"]',
            "flows[0].forward: ",
        ),
        ('rate = "50mbit"', "", "network.media.air.rate: "),
        ('kind = "half_duplex"', 'kind = "full_duplex"', "half_duplex"),
        ("frames_per_turn = 4", "frames_per_turn = 0", "frames_per_turn"),
        ('target = "5ms"', 'targit = "5ms"', "target"),
    ],
)
def test_errors_have_their_key(old, new, said):
    assert old in FILE
    with pytest.raises(ExperimentError) as refused:
        read(FILE.replace(old, new, 1))
    assert said in str(refused.value)
