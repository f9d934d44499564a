"""`fairlane duel --baseline`: harm in comparison with flows of one kind; the default duration follows the RTT."""

import json

import pytest
from fairlane.results.metrics.harm import harm
from fairlane.runs.baseline import alone, own_kind
from fairlane.scenario.requests import Request, point

SATELLITE = ("--rate", "20mbit", "--rtt", "600ms", "--loss", "1%", "--time", "90s")


@pytest.mark.parametrize(
    ("before", "after", "better", "expected"),
    [
        (10.0, 4.0, "more", 0.6),
        (10.0, 12.0, "more", -0.2),
        (20.0, 80.0, "less", 0.75),
        (20.0, 16.0, "less", -0.25),
        (0.0, 4.0, "more", None),
        (None, 4.0, "more", None),
        (10.0, None, "less", None),
    ],
)
def test_harm_is_the_lost_share(before, after, better, expected):
    assert harm(before, after, better) == (None if expected is None else pytest.approx(expected))


def test_a_share_of_99_percent_may_be_no_harm(cli):
    """Random loss keeps CUBIC slow next to whatever flow."""
    out = cli("duel", "bbr", "cubic", *SATELLITE, "--baseline", "--json").out
    duel = json.loads(out)
    assert duel["flows"][0]["share_pct"] > 80
    cubic = duel["harm"][1]["goodput_mbps"]
    assert cubic["beside"] == [duel["flows"][1]["goodput_mbps"]]
    assert cubic["alone"][0] < 2
    assert cubic["harm"][0] < cubic["harm_of_own_kind"][0] + 0.1
    assert (
        "bbr harms cubic no more than cubic harms itself" in cli("duel", "bbr", "cubic", *SATELLITE, "--baseline").out
    )


def test_bbr_harms_cubic_in_a_shallow_buffer(cli):
    shallow = ("--rate", "20mbit", "--rtt", "20ms", "--buffer", "0.5bdp", "--time", "5s")
    out = cli("duel", "bbr", "cubic", *shallow, "--repeats", "3", "--baseline").out
    assert "bbr harms cubic more than cubic harms itself: 0." in out
    assert "±" in out.partition("Harm (Ware")[2]
    made = json.loads(cli("duel", "bbr", "cubic", *shallow, "--repeats", "3", "--baseline", "--json").out)
    assert len(made["runs"]) == len(made["harm"][0]["packet_rtt_p95_ms"]["alone"]) == 3


def test_differences_that_may_be_chance_are_no_harm(cli):
    """Three of ten packets are lost at random: no flow fills the link, so that none harms another."""
    lossy = ("--rate", "20mbit", "--rtt", "100ms", "--loss", "30%", "--time", "10s", "--baseline")
    out = cli("duel", "bbr", "cubic", *lossy, "--repeats", "3").out
    assert "harms cubic more" not in out
    assert "Too few runs for intervals" in cli("duel", "bbr", "cubic", *lossy).out


def test_a_baseline_of_one_flow_is_refused(cli):
    assert "--baseline: compares flows that share a link" in cli("duel", "cubic", "--baseline").err


def test_baselines_change_the_kind_of_flows_and_nothing_else():
    settings = {"rtt": ["20ms", "80ms"], "transport": ["quic", "tcp"]}
    scenario = point(Request(["cubic:beta=500", "bbr"], settings).experiment()).repeat(0)
    first, second = own_kind(scenario, 0)["flows"]
    assert (second["algorithm"], second["parameters"]) == ("cubic", {"beta": 500})
    assert (second["transport"], second["quic"]) == ("quic", first["quic"])
    assert second["forward"] == scenario["flows"][1]["forward"]
    assert own_kind(scenario, 1)["flows"][0].get("transport", "tcp") == "tcp"
    assert alone(scenario, 1) == {**scenario, "flows": scenario["flows"][1:]}


@pytest.mark.parametrize(
    ("settings", "duration_s"),
    [
        ({}, 30),
        ({"rtt": "150ms"}, 30),
        ({"rtt": ["20ms", "600ms"]}, 120),
        ({"link": "geo"}, 120),
        ({"link": "geo", "duration": "5s"}, 5),
    ],
)
def test_the_default_duration_is_200_round_trips(settings, duration_s):
    made = point(Request(["cubic", "bbr"], settings).experiment())
    assert made.experiment.duration == duration_s * 1_000_000_000


def test_harm_in_a_table(cli, pairs):
    whole = json.loads(
        cli("table", pairs.path, "--metrics", "goodput_mbps", "--by", "against,name", "--format", "json").out
    )
    of = {(row["against"], row["name"]): row["goodput_mbps"] for row in whole}
    reference = next(iter(of))[0]
    asked = [
        "--metrics",
        "goodput_mbps",
        "--harm-to",
        f"against={reference}",
        "--by",
        "against,name",
        "--format",
        "json",
    ]
    found = json.loads(cli("table", pairs.path, *asked).out)
    assert {row["goodput_mbps"] for row in found if row["against"] == reference} == {0.0}
    both = ["--relative-to", f"against={reference}", "--harm-to", f"against={reference}"]
    assert "--harm-to: is another form of" in cli("table", pairs.path, *both).err
    neutral = ["--metrics", "mean_cwnd_packets", "--harm-to", f"against={reference}"]
    assert "mean_cwnd_packets has no better direction" in cli("table", pairs.path, *neutral).err
