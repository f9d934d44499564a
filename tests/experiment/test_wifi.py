"""Wi-Fi in experiment files: what the engine gets, what is refused, what results say."""

import tomllib

import fairlane
import pytest
from fairlane.experiment.diagnostics import ExperimentError
from fairlane.experiment.load import load
from fairlane.experiment.remarks import remarks

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


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('standard = "n"', "", "network.standard: is missing"),
        ('standard = "n"', 'standard = "b"', "network.standard"),
        ('standard = "n"', 'standard = "n"\nwidth = "80mhz"', "network.width: is 80; 802.11n has 20 and 40"),
        ('standard = "n"', 'standard = "n"\nwidth = "30mhz"', "network.width: must be one of 20mhz, 40mhz, 80mhz"),
        ('standard = "n"', 'standard = "ac"\nmcs = 10', "mcs: is 10; give 0 to 9"),
        ('standard = "n"', 'standard = "ac"\nwidth = "20mhz"', "mcs: is 9, which 20 MHz and 2 streams do not have"),
        ('standard = "n"', 'standard = "ac"\nband = "2.4ghz"', "network.band: is 2.4ghz"),
        ('standard = "n"', 'standard = "n"\nstreams = 1', "streams: is 1; MCS 15 of 802.11n has 2"),
        ('standard = "n"', 'standard = "n"\nstations = 0', "network.stations: is 0; give 1 to 256"),
        ('standard = "n"', 'standard = "n"\nstations = []', "network.stations: is empty"),
        ('standard = "n"', 'standard = "n"\nwire.rate = "0bit"', "network.wire.rate"),
        ('standard = "n"', 'standard = "n"\nmpdu_loss = "100%"', "mpdu_loss: is 1; give a probability from 0"),
        ('standard = "n"', 'standard = "n"\nbuffer = "1bdp"', "a Wi-Fi queue has no BDP"),
        ('standard = "n"', 'standard = "n"\ncw_max = 100', "network.cw_max: is 100; give 15, 31, 63"),
        ('algorithm = "cubic"', 'algorithm = "cubic"\nstation = "phone"', "unknown station 'phone'"),
        ('algorithm = "cubic"', 'algorithm = "cubic"\nrtt = "0.1ms"', "is less than the 200 us of the wire"),
    ],
)
def test_what_is_wrong_is_said_with_its_place_and_remedy(old, new, said):
    assert old in CELL
    with pytest.raises(ExperimentError) as refused:
        load(tomllib.loads(CELL.replace(old, new, 1)))
    assert said in str(refused.value)
