"""Wi-Fi in experiment files: scenario, errors, results."""

import tomllib

import fairlane
import pytest
from fairlane.scenario.cautions import remarks
from fairlane.scenario.diagnostics import ExperimentError
from fairlane.scenario.load import load

CELL = """
duration = "2s"
[network]
kind = "wifi"
standard = "n"
[[flows]]
algorithm = "cubic"
[[flows]]
algorithm = "reno"
direction = "reverse"
"""
JOINED = """
duration = "2s"
[[network.links]]
name = "there"
rate = "50mbit"
delay = "5ms"
buffer = "1bdp"
[[network.links]]
name = "back"
delay = "5ms"
[[network.media]]
kind = "wifi"
name = "home"
standard = "ac"
stations = [{ name = "laptop" }, { name = "tv", mcs = 5, streams = 1 }]
[[flows]]
algorithm = "cubic"
forward = ["laptop-up", "there"]
reverse = ["back", "laptop-down"]
[[flows]]
algorithm = "cubic"
forward = ["laptop-up", "tv-down"]
reverse = ["tv-up", "laptop-down"]
"""


def scenario(text=CELL, point=0):
    return load(tomllib.loads(text)).points[point].point.repeat(0)


def with_stations(stations):
    return CELL.replace('standard = "n"\n', f'standard = "n"\nstations = {stations}\n')


def test_a_cell_needs_no_more_than_its_standard():
    made = scenario()
    [cell] = made["media"]
    assert (cell["standard"], cell["band"], cell["width_mhz"], cell["guard_interval_ns"]) == ("n", "2.4ghz", 40, 400)
    queue = {"mcs": 15, "mpdu_loss": 0.0, "queue": {"kind": "fifo", "limit_packets": 1000}}
    assert cell["stations"] == [
        {
            "name": name,
            "uplink": {"name": f"{name}-up", **queue},
            "downlink": {"name": f"{name}-down", **queue},
        }
        for name in ("station-1", "station-2")
    ]
    upload, download = made["flows"]
    assert (upload["forward"], upload["reverse"]) == (["station-1-up", "wire-up"], ["wire-down", "station-1-down"])
    assert (download["forward"], download["reverse"]) == (["wire-down", "station-2-down"], ["station-2-up", "wire-up"])


def test_a_station_has_its_own_rate_in_both_directions_and_a_downlink_may_differ():
    made = scenario(with_stations('[{ name = "a", mcs = 3 }, { name = "b", mcs = 7, downlink = { mcs = 4 } }]'))
    rates = [(one["uplink"]["mcs"], one["downlink"]["mcs"]) for one in made["media"][0]["stations"]]
    assert rates == [(3, 3), (7, 4)]


def test_the_access_point_has_queues_of_its_own():
    text = CELL.replace('standard = "n"', 'standard = "n"\nbuffer = "50p"\naccess_point = { queue = "fq_codel" }')
    [station, _] = scenario(text)["media"][0]["stations"]
    assert station["uplink"]["queue"] == {"kind": "fifo", "limit_packets": 50}
    assert station["downlink"]["queue"]["kind"] == "fq_codel"


def test_the_rtt_of_a_flow_beyond_the_wire_is_on_links_of_its_own():
    text = CELL.replace('algorithm = "cubic"', 'algorithm = "cubic"\nrtt = "20ms"')
    made = scenario(text)
    assert made["flows"][0]["forward"] == ["station-1-up", "wire-up", "access-1-up"]
    delays = {link["name"]: link["delay_ns"] for link in made["links"]}
    assert delays == {"wire-up": 100_000, "wire-down": 100_000, "access-1-up": 9_900_000, "access-1-down": 9_900_000}


def test_results_say_who_had_the_channel(tmp_path):
    (tmp_path / "wifi.toml").write_text(CELL)
    results = fairlane.run(tmp_path / "wifi.toml", results=tmp_path / "results", progress=False)
    rows = {row["name"]: row for row in results.links.to_dicts()}
    cell = [row for name, row in rows.items() if name.startswith("station")]
    assert 0.8 < sum(row["airtime_share"] for row in cell) < 1.1  # a collision counts for both
    assert rows["station-1-up"]["mpdus_per_ppdu"] > 10
    assert all(row["ppdus"] > row["collided_ppdus"] for row in cell)
    assert rows["wire-up"]["airtime_share"] is None


COUNTED = """
duration = "1s"
[network]
kind = "wifi"
standard = "ac"
[[flows]]
algorithm = "cubic"
count = 3
rtt = "20ms"
[[flows]]
algorithm = "bbr"
count = 2
"""


def stations_of(made):
    return [flow["forward"][0] for flow in made["flows"]]


def test_each_flow_of_a_count_has_a_station_of_its_own():
    made = scenario(COUNTED)
    assert stations_of(made) == [f"station-{number}-up" for number in range(1, 6)]
    assert [flow["reverse"][-1] for flow in made["flows"]] == [f"station-{number}-down" for number in range(1, 6)]
    assert len(made["media"][0]["stations"]) == 5
    assert made["flows"][2]["forward"] == ["station-3-up", "wire-up", "access-1-up"]
    single = COUNTED.replace("count = 3\n", "").replace("count = 2\n", "count = 4\n")
    assert stations_of(scenario(single)) == stations_of(made)


def test_the_flows_of_a_count_take_given_stations_in_turn_or_the_one_that_is_named():
    text = COUNTED.replace('"ac"\n', '"ac"\nstations = [{ name = "a" }, { name = "b" }]\n')
    assert stations_of(scenario(text)) == ["a-up", "b-up", "a-up", "b-up", "a-up"]
    named = text.replace('"cubic"\n', '"cubic"\nstation = "b"\n')
    assert stations_of(scenario(named)) == ["b-up", "b-up", "b-up", "b-up", "a-up"]


def test_stations_of_a_count_contend_for_the_channel(tmp_path):
    text = COUNTED.replace("count = 3", "count = 5").replace('[[flows]]\nalgorithm = "bbr"\ncount = 2\n', "")
    text = text.replace('rtt = "20ms"', "").replace('"ac"', '"ac"\nbuffer = "100p"')
    results = fairlane.run(tomllib.loads(text), tmp_path / "results", progress=False)
    [row] = results.table(["total_goodput_mbps", "packet_rtt_p95_ms"], per="run").to_dicts()
    assert 440 < row["total_goodput_mbps"] < 490
    assert row["packet_rtt_p95_ms"] > 15


def test_more_stations_than_a_cell_takes_are_named():
    with pytest.raises(ExperimentError, match=r"network\.stations: would be 302, one for each flow; give 1 to 256"):
        scenario(COUNTED.replace("count = 3", "count = 300"))


def test_a_path_may_join_wires_and_two_stations_of_a_cell():
    result = fairlane.simulate(scenario(JOINED))
    direct, relayed = (flow["goodput_mbps"] for flow in result["flows"])
    assert 10 < direct < 50  # the link has 50 Mbit/s, and both flows share the queue of the laptop
    assert relayed > 10


def test_keys_of_stations_can_be_swept():
    sweep = '[sweep]\n"network.stations.phone.mcs" = [1, 3]\n'
    text = with_stations('[{ name = "phone" }, { name = "tv" }]') + sweep
    found = [scenario(text, point)["media"][0]["stations"][0]["uplink"]["mcs"] for point in (0, 1)]
    assert found == [1, 3]


def test_nothing_is_remarked_on_a_cell_with_its_defaults():
    assert remarks(load(tomllib.loads(CELL))) == []


def test_options_of_real_equipment_reach_the_engine():
    text = CELL.replace(
        'standard = "n"',
        'standard = "ax"\nmax_ampdu_mpdus = 256\nrate_control = "minstrel"\nmpdu_losses = ["0%", "10%"]\n'
        'driver = { kind = "fifo", packets = 64 }\ncapture_db = 10\naccess_point = { driver = "aql" }\n'
        'stations = [{ name = "a", signal_db = 20 }, { name = "b", rate_control = "fixed" }]',
    )
    [cell] = scenario(text)["media"]
    assert (cell["max_ampdu_mpdus"], cell["capture_db"]) == (256, 10)
    near, far = cell["stations"]
    assert near["signal_db"] == 20
    assert near["uplink"]["driver"] == {"kind": "fifo", "limit_packets": 64}
    limits = {"low_ns": 5_000_000, "high_ns": 12_000_000, "total_ns": 24_000_000}
    assert near["downlink"]["driver"] == {"kind": "aql", **limits}
    assert (near["uplink"]["rate_control"], near["uplink"]["mpdu_losses"]) == ("minstrel", [0.0, 0.1])
    assert "rate_control" not in far["uplink"]
    fairlane.simulate(scenario(text))


def test_a_duel_in_python_is_that_of_the_command_line():
    results = fairlane.duel("cubic", "bbr", wifi="n", duration="2s")
    assert [row["name"] for row in results.links.to_dicts()][2:4] == ["station-1-up", "station-1-down"]
    with pytest.raises(ExperimentError) as refused:
        fairlane.duel("cubic", wifi="n", rate="10mbit", queue="codel")
    assert sorted(str(refused.value).splitlines()) == [
        f"{name}: has no effect with wifi; leave it out, or write an experiment file" for name in ("queue", "rate")
    ]


def test_a_duel_in_python_has_transports():
    results = fairlane.duel("cubic", "cubic", transport=["quic", "tcp"], rate="10mbit", duration="2s")
    quic, tcp = results.flows["mss_bytes"].to_list()
    assert tcp == 1448
    assert quic != tcp


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('standard = "n"', "", "network.standard: "),
        ('standard = "n"', 'standard = "b"', "network.standard"),
        ('standard = "n"', 'standard = "n"\nwidth = "80mhz"', "network.width: is 80; 802.11n has 20 and 40"),
        ('standard = "n"', 'standard = "n"\nwidth = "30mhz"', "network.width: "),
        ('standard = "n"', 'standard = "ac"\nmcs = 10', "mcs: is 10; give 0 to 9"),
        ('standard = "n"', 'standard = "ac"\nwidth = "20mhz"', "mcs: is 9"),
        ('standard = "n"', 'standard = "ac"\nband = "2.4ghz"', "network.band: is 2.4ghz"),
        ('standard = "n"', 'standard = "n"\nstreams = 1', "streams: is 1; MCS 15 of 802.11n has 2"),
        ('standard = "n"', 'standard = "n"\nstations = 0', "network.stations: "),
        ('standard = "n"', 'standard = "n"\nstations = []', "network.stations: "),
        ('standard = "n"', 'standard = "n"\nwire.rate = "0bit"', "network.wire.rate"),
        ('standard = "n"', 'standard = "n"\nstations = [{ name = "a" }, { name = "a" }]', '"a"'),
        ('standard = "n"', 'standard = "n"\nguard_interval = "1600ns"', "800 ns"),
        ('standard = "n"', 'standard = "n"\nbeacon_interval = "1ms"', "beacon_interval: "),
        (
            'standard = "n"',
            'standard = "n"\noutages = { at = ["2s", "1s"], length = "1ms" }',
            "outages.at: ",
        ),
        (
            'standard = "n"',
            'standard = "n"\noutages = { at = ["1s"], mean_length = "1ms" }',
            "network.outages.mean_length: ",
        ),
        ('standard = "n"', 'standard = "n"\nmpdu_loss = "100%"', "mpdu_loss: "),
        ('standard = "n"', 'standard = "n"\nbuffer = "1bdp"', "Wi-Fi"),
        ('standard = "n"', 'standard = "n"\nmax_ampdu_mpdus = 256', "max_ampdu_mpdus: is 256; give 1 to 64"),
        ('standard = "n"', 'standard = "ax"\nmax_ampdu_mpdus = 257', "network.max_ampdu_mpdus"),
        ('standard = "n"', 'standard = "n"\nmpdu_losses = ["0%", "101%"]', "network.mpdu_losses[1]"),
        ('standard = "n"', 'standard = "n"\nmcs = 0\nmpdu_losses = ["100%"]', "mpdu_losses: "),
        ('standard = "n"', 'standard = "n"\nrate_control = "magic"', "network.rate_control: "),
        ('standard = "n"', 'standard = "n"\ndriver = "magic"', "network.driver: "),
        ('standard = "n"', 'standard = "n"\ndriver = { kind = "fifo", packets = 0 }', "network.driver"),
        ('standard = "n"', 'standard = "n"\ndriver = { kind = "aql", low = "0ms" }', "network.driver"),
        (
            'standard = "n"',
            'standard = "n"\ndriver = { kind = "aql", low = "20ms" }',
            "network.driver: ",
        ),
        ('standard = "n"', 'standard = "n"\ncapture_db = -1', "network.capture_db"),
        ('standard = "n"', 'standard = "n"\nmax_ampdu = "0B"', "network.max_ampdu: "),
        ('standard = "n"', 'standard = "n"\nmax_ppdu = "0ms"', "network.max_ppdu"),
        ('standard = "n"', 'standard = "n"\nbeacon_interval = "1ms"', "network.beacon_interval: "),
        ('standard = "n"', 'standard = "n"\ncw_max = 100', "network.cw_max: "),
        ('algorithm = "cubic"', 'algorithm = "cubic"\nstation = "phone"', "'phone'"),
        ('algorithm = "cubic"', 'algorithm = "cubic"\nrtt = "0.1ms"', "200 us"),
    ],
)
def test_errors_have_key_and_remedy(old, new, said):
    assert old in CELL
    with pytest.raises(ExperimentError) as refused:
        load(tomllib.loads(CELL.replace(old, new, 1)))
    assert said in str(refused.value)


def test_without_a_station_only_that_is_said():
    with pytest.raises(ExperimentError) as caught:
        load(tomllib.loads(CELL.replace('standard = "n"', 'standard = "n"\nstations = []')))
    assert len(caught.value.lines) == 1
