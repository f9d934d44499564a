"""`fairlane duel`: its output, and that the values are physically possible."""

import json
import re
from pathlib import Path
from unittest.mock import Mock

import fairlane
import pytest
from fairlane import engine
from fairlane.runs.sweep import run_size
from fairlane.scenario import requests
from fairlane.scenario.request_settings import RequestError
from fairlane.scenario.requests import dumbbell, point
from fairlane.show.duel.text import duel_text, repeats_text

QUICK = ("--rate", "20mbit", "--rtt", "20ms", "--time", "5s")


def duel(cli, *arguments):
    outcome = cli("duel", *arguments, "--json")
    assert outcome.err == ""
    assert outcome.status == 0
    return json.loads(outcome.out)


def test_json_is_one_object_with_flows_and_totals(cli):
    result = duel(cli, "cubic", "reno", *QUICK)
    assert [flow["algorithm"] for flow in result["flows"]] == ["cubic", "reno"]
    for flow in result["flows"]:
        assert {"goodput_mbps", "mean_rtt_ms", "retransmits", "mean_cwnd_packets", "start_s"} <= flow.keys()
    assert 0 < result["link_utilisation"] <= 1
    assert 0.5 <= result["jain_index"] <= 1
    assert result["wall_s"] > 0
    assert result["scenario"]["seed"] == 1


def test_several_flows_of_one_algorithm(cli):
    result = duel(cli, "cubic*3", "bbr", *QUICK, "--rtt", "20ms,40ms", "--start", "0s,1s,0s,0s")
    assert [flow["algorithm"] for flow in result["flows"]] == ["cubic", "cubic", "cubic", "bbr"]
    assert [flow["base_rtt_ms"] for flow in result["flows"]] == [20, 20, 20, 40]
    assert [flow["start_s"] for flow in result["flows"]] == [0, 1, 0, 0]


def test_options_of_a_queue_and_ecn(cli):
    result = duel(cli, "cubic", *QUICK, "--queue", "codel:ecn=true,target=8ms", "--ecn")
    assert result["scenario"]["links"][0]["queue"] == {"kind": "codel", "ecn": True, "target_ns": 8_000_000}
    assert result["links"][0]["marked_packets"] > 0
    assert duel(cli, "cubic", *QUICK, "--queue", "codel:ecn=true")["links"][0]["marked_packets"] == 0


def test_accurate_feedback_is_asked_for(cli):
    result = duel(cli, "cubic", *QUICK, "--queue", "codel:ecn=true", "--accecn")
    hosts = [result["scenario"]["flows"][0][end] for end in ("sender", "receiver")]
    assert [(host["ecn"], host["accecn"]) for host in hosts] == [(True, True)] * 2
    assert result["links"][0]["marked_packets"] > 0
    assert duel(cli, "cubic", "--time", "1s", "--wifi", "ac", "--accecn")["scenario"]["flows"][0]["sender"]["accecn"]


def test_acks_on_a_slow_link(cli):
    """40 bytes of ACK (and 14 of Ethernet) for every second packet of 1514: ACKs on 0.2 Mbps cannot clock 20 Mbps."""
    slow = duel(cli, "cubic", *QUICK, "--reverse-rate", "200kbit")
    assert slow["scenario"]["links"][1]["rate_bps"] == 200_000
    assert slow["flows"][0]["goodput_mbps"] < 0.8 * duel(cli, "cubic", *QUICK)["flows"][0]["goodput_mbps"]


def test_a_trace_replaces_the_rate(cli, tmp_path):
    trace = tmp_path / "lte.trace"
    trace.write_text("".join(f"{ms}\n" for ms in range(1, 101)))  # a packet each ms: 12 Mbps
    result = duel(cli, "cubic", "--trace", trace, "--time", "5s")
    assert result["scenario"]["links"][0]["trace_ms"][-1] == 100
    assert 10 < result["flows"][0]["goodput_mbps"] < 12
    assert "lte.trace, mean 12 Mbps" in cli("duel", "cubic", "--trace", trace, "--time", "1s").out
    assert "leave --rate out" in cli("duel", "cubic", "--trace", trace, "--rate", "1mbit").err


def test_repeats_are_averaged_with_intervals(cli):
    runs = duel(cli, "cubic", "bbr", *QUICK, "--repeats", "5")
    assert [run["scenario"]["seed"] for run in runs] == [1, 2, 3, 4, 5]
    out = cli("duel", "cubic", "bbr", *QUICK, "--repeats", "5").out
    mean = sum(run["flows"][1]["goodput_mbps"] for run in runs) / 5
    row = next(line for line in out.splitlines() if line.startswith("2 bbr")).split()
    assert row[2] == f"{mean:.2f}"
    assert row[3].startswith("±")
    assert "means of 5 runs" in out.splitlines()[0]


def test_flows_that_start_at_different_times_are_compared_when_all_run(cli):
    result = duel(cli, "reno", "reno", *QUICK, "--start", "0s,2s")
    assert result["common_time_s"] == [2, 5]
    assert sum(flow["goodput_mbps"] for flow in result["flows"]) > 20
    assert sum(flow["share_pct"] for flow in result["flows"]) == pytest.approx(100)
    assert "2–5 s" in cli("duel", "reno", "reno", *QUICK, "--start", "0s,2s").out


def test_a_lone_flow_fills_its_link(cli):
    result = duel(cli, "cubic", "--rate", "20mbit", "--rtt", "20ms", "--time", "20s")
    [flow] = result["flows"]
    assert result["link_utilisation"] > 0.95
    assert flow["goodput_mbps"] < 20 * 1448 / 1514  # the share of headers
    assert flow["min_rtt_ms"] >= 20


@pytest.mark.parametrize("kind", ["red", "codel", "fq_codel", "pie", "fq_pie", "cake", "dualpi2"])
def test_a_discipline_keeps_the_queue_shorter_than_a_plain_one(cli, kind):
    [plain] = duel(cli, "cubic", *QUICK, "--buffer", "4bdp")["flows"]
    [managed] = duel(cli, "cubic", *QUICK, "--buffer", "4bdp", "--queue", kind)["flows"]
    assert managed["mean_rtt_ms"] < 0.8 * plain["mean_rtt_ms"]
    assert managed["goodput_mbps"] > 0.7 * plain["goodput_mbps"]


def test_without_a_buffer_a_discipline_has_the_limit_that_tc_gives_it(cli):
    assert duel(cli, "cubic", *QUICK, "--queue", "codel")["scenario"]["links"][0]["queue"] == {"kind": "codel"}


def test_the_default_buffer_holds_a_frame_however_slow_the_link(cli):
    """The BDP is 24 bytes, and nobody asked for that buffer."""
    told = cli("duel", "cubic", "--rate", "9600bit", "--rtt", "20ms", "--time", "5s")
    assert told.status == 0
    assert "buffer 1.51 kB" in told.out


def test_an_alias_is_the_algorithm_it_stands_for(cli):
    [as_newreno], [as_reno] = (duel(cli, name, *QUICK)["flows"] for name in ("newreno", "reno"))
    assert as_newreno["goodput_mbps"] == as_reno["goodput_mbps"]


def test_transports_share_a_link(cli):
    tcp, quic = duel(cli, "cubic", "cubic", *QUICK, "--transport", "tcp,quic")["flows"]
    assert (tcp["mss_bytes"], quic["mss_bytes"]) == (1448, 1167)
    assert min(tcp["goodput_mbps"], quic["goodput_mbps"]) > 1


@pytest.mark.parametrize(
    ("transport", "labels", "is_named_above"),
    [("tcp,quic", ["1 cubic (tcp)", "2 cubic (quic)"], False), ("quic", ["1 cubic ", "2 cubic "], True)],
)
def test_the_table_says_which_flow_uses_which_transport(cli, transport, labels, is_named_above):
    outcome = cli("duel", "cubic", "cubic", *QUICK, "--transport", transport)
    headline, _, rest = outcome.out.partition("\n")
    assert ("QUIC" in headline) == is_named_above
    assert all(any(line.startswith(label) for line in rest.splitlines()) for label in labels), outcome.out


def test_flows_of_one_algorithm_have_a_row_together(cli):
    """Who asks for 'cubic*100' against 'bbr*10' wants the shares of the two, not 110 rows."""
    link = ("--rate", "50mbit", "--time", "1s")
    few = cli("duel", "cubic*3", "bbr", *link).out
    assert re.search(r"^cubic +3 +[\d.]+ ", few, re.MULTILINE)
    assert "4 bbr" in few
    many = cli("duel", "cubic*30", "bbr*2", *link).out
    assert "32 bbr" not in many
    shares = [float(one) for one in re.findall(r"^(?:cubic|bbr) +\d+ +[\d.]+ +([\d.]+)", many, re.MULTILINE)]
    assert sum(shares) == pytest.approx(100, abs=0.2)
    assert "together" not in cli("duel", "cubic", "bbr", *link).out


def test_the_headline_names_the_options_of_the_queue(cli):
    options = ("--rate", "10mbit", "--time", "100ms", "--queue")
    headline = cli("duel", "reno", *options, "policer:rate=5mbit,burst=50kB").out.partition("\n")[0]
    assert "policer rate=5mbit burst=50kB" in headline
    assert ", buffer 25 kB (1 BDP), " in cli("duel", "reno", *options, "fifo").out


def test_accurate_feedback_of_tcp_is_refused_where_no_flow_uses_tcp(cli):
    outcome = cli("duel", "cubic", "--transport", "quic", "--accecn")
    assert outcome.status == 2
    assert "--accecn: " in outcome.err
    assert "write --ecn" in outcome.err
    assert duel(cli, "cubic", "cubic", *QUICK, "--transport", "tcp,quic", "--accecn")["flows"]


def test_an_unknown_transport_is_refused(cli):
    outcome = cli("duel", "cubic", "--transport", "quick")
    assert outcome.status == 2
    assert "'quick'; did you mean quic? Known: tcp, quic" in outcome.err


def test_parameters_of_the_network_reach_the_engine(cli):
    result = duel(
        cli,
        "reno",
        "--rate",
        "5mbit",
        "--rtt",
        "30ms",
        "--buffer",
        "20p",
        "--loss",
        "1%",
        "--mtu",
        "9000",
        "--time",
        "3s",
        "--seed",
        "7",
    )
    bottleneck = result["scenario"]["links"][0]
    assert bottleneck["rate_bps"] == 5_000_000
    assert bottleneck["queue"] == {"kind": "fifo", "limit_packets": 20}
    assert bottleneck["loss"] == {"kind": "independent", "probability": 0.01, "correlation": 0.0}
    assert result["scenario"]["seed"] == 7
    assert result["scenario"]["flows"][0]["mtu"] == 9000


def test_flows_may_start_late_and_have_their_own_rtt(cli):
    result = duel(cli, "cubic", "cubic", "--rate", "20mbit", "--rtt", "20ms,80ms", "--start", "0s,2s", "--time", "6s")
    near, far = result["flows"]
    assert (near["start_s"], far["start_s"]) == (0, 2)
    assert near["min_rtt_ms"] < far["min_rtt_ms"]
    assert far["min_rtt_ms"] >= 80


def test_random_loss_costs_goodput(cli):
    clean = duel(cli, "reno", *QUICK)
    lossy = duel(cli, "reno", *QUICK, "--loss", "2%")
    assert lossy["flows"][0]["goodput_mbps"] < clean["flows"][0]["goodput_mbps"]
    assert lossy["flows"][0]["retransmits"] > 0


def test_table_and_strips_fit_a_narrow_terminal(cli):
    outcome = cli("duel", "cubic", "bbr", *QUICK)
    assert outcome.status == 0
    assert max(len(line) for line in outcome.out.splitlines()) <= 80
    assert "\x1b" not in outcome.out, "no colour when piped"
    assert "1 cubic" in outcome.out
    assert "2 bbr" in outcome.out
    assert "Jain's index" in outcome.out
    assert "█" in outcome.out


def test_many_flows_stay_legible(cli):
    outcome = cli("duel", *["cubic"] * 25, "--time", "2s")
    assert "the first 20 of 25 flows" in outcome.out


MANY = "1,000,000 flows: about 18.0 GB of memory, and 4 min 10 s without the run itself\n"


def test_what_takes_long_is_announced_and_what_does_not_fit_refused(cli, monkeypatch):
    """Before anything is made of a million flows."""
    monkeypatch.setattr(run_size, "available_bytes", lambda: 20 * 10**9)
    monkeypatch.setattr(requests, "point", Mock(side_effect=RequestError(("rtt", "is wrong"))))
    assert cli("duel", "cubic*1000000").err.startswith(MANY)
    monkeypatch.setattr(run_size, "available_bytes", lambda: 10 * 10**9)
    refused = cli("duel", "cubic*1000000")
    assert refused.status == 2
    assert refused.err.count("\n") == 1
    assert "1,000,000 flows: a run needs about 18.0 GB of memory, and 10.0 GB are free" in refused.err


def test_a_long_run_is_announced(cli, monkeypatch):
    monkeypatch.setattr(run_size, "WORTH_IT_FROM_S", 0.005)
    words = ("duel", "cubic", "--rate", "10mbit", "--time", "1s")
    assert cli(*words).err == "about 1 s on one processor: 0 million packets\n"
    monkeypatch.setattr(run_size, "available_bytes", lambda: 10_000)
    refused = cli(*words)
    assert (refused.status, refused.err.count("\n")) == (2, 1)
    assert "a longer --interval" in refused.err


@pytest.mark.parametrize(("suffix", "magic"), [(".png", b"\x89PNG"), (".svg", b"<?xml"), (".pdf", b"%PDF")])
def test_plot_is_of_the_kind_its_suffix_says_and_the_same_each_time(cli, tmp_path, suffix, magic):
    files = [tmp_path / f"first{suffix}", tmp_path / f"second{suffix}"]
    for file in files:
        outcome = cli("duel", "cubic", "reno", *QUICK, "--plot", file)
        assert outcome.status == 0
        assert str(file) in outcome.out
    first, second = (file.read_bytes() for file in files)
    assert first.startswith(magic)
    assert first == second


def test_a_c_file_is_an_algorithm(cli):
    source = Path(__file__).parents[2] / "algorithms" / "reno.c"
    ours = duel(cli, source, *QUICK)
    builtin = duel(cli, "reno", *QUICK)
    assert ours["flows"][0]["goodput_mbps"] == builtin["flows"][0]["goodput_mbps"]


def test_a_c_file_that_does_not_compile_is_reported(cli, tmp_path):
    broken = tmp_path / "broken.bpf.c"
    broken.write_text("this is not C\n")
    outcome = cli("duel", broken, *QUICK)
    assert outcome.status == 2
    assert "broken" in outcome.err
    assert "Traceback" not in outcome.err


@pytest.mark.parametrize("standard", ["n", "ac"])
def test_a_wifi_cell_is_a_typical_link_too(cli, standard):
    by_link = cli("duel", "cubic", "--link", f"wifi-{standard}", "--time", "1s", "--json")
    assert by_link.status == 0, by_link.err
    by_option = cli("duel", "cubic", "--wifi", standard, "--time", "1s", "--json")
    assert json.loads(by_link.out)["flows"] == json.loads(by_option.out)["flows"]
    named = fairlane.duel("cubic", link=f"wifi-{standard}", duration="1s").flows["goodput_mbps"][0]
    assert named == json.loads(by_link.out)["flows"][0]["goodput_mbps"]
    both = cli("duel", "cubic", "--link", "wifi-n", "--wifi", "n")
    assert both.status == 2
    assert "--link" in both.err


def test_a_column_names_the_limit_where_congestion_control_is_none():
    window = {"rmem_max": "32KiB", "autotune": False}
    flows = [{"algorithm": "cubic", "rtt": "80ms", "receiver": window}, {"algorithm": "reno", "rtt": "80ms"}]
    duel = point(dumbbell(flows, rate="20mbit", buffer="2bdp", duration="4s"))
    results = [engine.run(duel.repeat(number)) for number in range(2)]
    texts = [duel_text(duel, results[0], 1.0, width=80, colour=False, blocks=True), repeats_text(duel, results)]
    for text in texts:
        first, second = [line for line in text.splitlines() if line.startswith(("1 cubic ", "2 reno "))][:2]
        assert re.search(r"receive window 9\d %$", first)
        assert re.search(r"cwnd \d+ %$", second)
    alone = point(dumbbell(flows[1:], rate="20mbit", buffer="2bdp", duration="4s"))
    assert "limited by" not in duel_text(alone, engine.run(alone.repeat(0)), 1.0, width=80, colour=False, blocks=True)
