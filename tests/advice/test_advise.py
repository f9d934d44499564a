"""`fairlane advise`: its recommendation, and cases without one."""

import json
import tomllib
from dataclasses import replace
from fractions import Fraction

import fairlane
import pytest
from fairlane.scenario.links import LINKS
from fairlane.scenario.load import load
from fairlane.scenario.request_settings import SETTINGS
from fairlane.search.advise.answer import Advice, Candidate, judge
from fairlane.search.advise.commands import commands
from fairlane.search.advise.question import OBJECTIVES, TOLERABLE_S, ask
from fairlane.search.advise.report import draw
from matplotlib.figure import Figure

SLOW = {"rate": "2mbit", "rtt": "20ms"}

SLOW_OPTIONS = ("--rate", "2mbit", "--rtt", "20ms")


def candidate(algorithm, queue, goodput, delay, jain=1.0):
    """Five repeats that differ by up to 1 %."""
    spread = [0.995, 1.0, 1.005, 0.998, 1.002]
    rates, delays = tuple(goodput * part for part in spread), tuple(delay * part for part in spread)
    power = tuple(rate / (20 + ms) for rate, ms in zip(rates, delays, strict=True))
    return Candidate(algorithm, queue, rates, delays, tuple(jain * part for part in spread), power)


FULL, SHORT = candidate("cubic", "fifo 4bdp", 96, 80), candidate("cubic", "codel", 95, 5)
STARVED = candidate("reno", "fifo 0.5bdp", 40, 1)


def advice(candidates, want):
    ordered, best = judge(candidates, want)
    return Advice(want, tuple(ordered), tuple(best), SLOW, 2, "", 5)


def test_the_objective_decides():
    assert advice([FULL, SHORT, STARVED], "balance").best == (SHORT,)
    assert advice([FULL, SHORT, STARVED], "latency").best == (SHORT,), "an idle link has the shortest queue"
    assert advice([FULL, STARVED], "throughput").sentence == "Use cubic with fifo 4bdp."


def test_a_second_criterion_breaks_ties():
    like = candidate("bbr", "fq_codel", 95.1, 5.01)
    more = candidate("bbr3", "fq_codel", 99, 5.01)
    assert advice([FULL, SHORT, like], "latency").best == (SHORT, like)
    assert advice([SHORT, like, more], "latency").best == (more,), "of equal delays, the highest goodput"
    assert advice([FULL, SHORT], "throughput").best == (SHORT,), "of equal goodputs, the lowest delay"


def test_of_equals_the_default_of_linux_is_recommended_and_the_others_are_named():
    like = candidate("bbr", "fq_codel", 95.1, 5.01)
    both = advice([FULL, SHORT, like], "latency")
    assert (both.algorithm, both.queue) == ("cubic", "codel")
    assert both.sentence == "Use cubic with codel. As good: bbr, fq_codel."
    assert "ties are broken by goodput, then by what Linux has by default" in both.criteria
    same = advice([SHORT, candidate("bbr", "codel", 95.1, 5.01)], "latency")
    assert same.sentence.startswith(
        "Use cubic with codel. As good: bbr, codel. With codel, the algorithm matters little"
    )
    queues = advice([SHORT, candidate("cubic", "cake", 95, 5), candidate("bbr", "codel", 60, 5)], "latency")
    assert queues.sentence == "Use cubic with cake. As good: codel."


def test_a_wide_interval_makes_no_equal():
    """Five pings of 40 to 250 ms are not surely worse than 57 ms, but no reason to recommend fq_codel."""
    short = candidate("cubic", "fq", 190, 57)
    wide = replace(candidate("cubic", "fq_codel", 190, 100), delay_ms=(40.0, 250.0, 50.0, 90.0, 70.0))
    other = replace(candidate("bbr", "fq", 190, 80), delay_ms=(40.0, 200.0, 50.0, 60.0, 50.0))
    assert advice([short, wide, other], "latency").sentence == (
        "Use cubic with fq. Not surely worse in 5 runs: cubic, fq_codel; bbr, fq."
    )


def test_the_reason_compares_with_the_worst():
    assert advice([FULL, SHORT], "latency").reason == (
        "Why: p95 queuing delay 5 ms and goodput 95 Mbps with it; p95 queuing delay 80 ms and goodput 96 Mbps with "
        "cubic, fifo 4bdp."
    )


def test_a_queue_that_starves_the_downloads_sets_no_standard_for_the_uplink():
    """The uploads of PIE get 0.7 Mbps on 16/1 Mbit/s because ACKs are dropped: others need not have that."""
    usual = [
        replace(candidate("cubic", queue, 15, delay), upload_mbps=(0.55,) * 5)
        for queue, delay in (("cake", 50), ("fifo 1bdp", 80), ("fifo 4bdp", 180))
    ]
    greedy = replace(candidate("bbr3", "pie", 14.8, 4700), upload_mbps=(0.7,) * 5)
    assert advice([*usual, greedy], "latency").best == (usual[0],)


def test_no_goodput_exceeds_the_link(cli):
    """50 flows lose much in slow start: what is delivered late was not carried in the time that counts."""
    asked = ["--rate", "100mbit", "--rtt", "10ms", "--flows", "50", "--algorithms", "bbr3", "--queues", "codel"]
    [one] = json.loads(cli("advise", *asked, "--json").out)["candidates"]
    assert one["goodput_mbps"]["mean"] < 100


def test_pings_come_faster_where_their_usual_time_is_not_affordable():
    fast, usual = (
        ask({"rate": rate, "rtt": "20ms"}, 2, algorithms=["cubic"], queues=["fifo", "cake"], beside="ping")
        for rate in ("40gbit", "100mbit")
    )
    assert [one.experiment.settings["flows"][-1]["workload"]["interval"] for one in (fast, usual)] == ["5ms", "20ms"]
    assert fast.experiment.points[0].point.experiment.duration >= 50 * 20e6, "round trips, as without a ping"


def test_a_link_that_varies_has_advice_for_its_mean():
    question = ask({"link": "starlink"}, 1, algorithms=["cubic"], queues=["fifo"])
    assert question.settings["trace"] == "starlink"
    assert question.experiment.points[0].point.experiment.duration == 60e9
    assert commands("bbr", "fq_codel", question.settings)[1].startswith("tc qdisc replace dev eth0 root fq_codel")


def test_the_reason_compares_with_another_candidate():
    """Where goodputs are equal, the delays are the reason."""
    small = candidate("cubic", "fifo 0.5bdp", 95.6, 9)
    equal = advice([small, candidate("cubic", "fifo 4bdp", 95.6, 79)], "throughput")
    assert equal.reason.startswith("Why: p95 queuing delay 9 ms and goodput 95.6 Mbps with it; p95 queuing delay 79 ms")


def test_a_starved_uplink_is_no_recommendation():
    starved = replace(candidate("bbr", "cake", 95, 2), upload_mbps=(5.0,) * 5)
    fair = replace(candidate("cubic", "fq_codel", 95, 5), upload_mbps=(9.0,) * 5)
    assert advice([starved, fair], "latency").best == (fair,)


def test_the_file_gives_the_same_runs(cli, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("fairlane.search.advise.question.REPEATS_OF_PROBES", (3,))
    monkeypatch.setattr("fairlane.search.advise.question.LENGTHS", (100,))
    options = ["advise", "--rate", "4mbit", "--rtt", "20ms", "--algorithms", "cubic,reno", "--want", "latency"]
    found = json.loads(cli(*options, "--file", "advice.toml", "--json").out)
    assert len(found["candidates"]) == 16
    assert {one["queue"] for one in found["candidates"]} >= {"fq", "pie", "cake", "fq_codel", "fifo 1bdp"}
    assert found["beside"] == "ping"
    results = fairlane.run("advice.toml", tmp_path / "again", progress=False)
    pings = results.table(["request_p95_ms"], per="group", name="ping")
    means = [part["request_p95_ms"].mean() for _, part in pings.group_by("algorithm", "queue")]
    assert sorted(means) == pytest.approx(sorted(one["delay_ms"]["mean"] for one in found["candidates"]))
    assert found["queue"] in ("fq_codel", "fq", "cake"), "the ping has a queue of its own"


def test_the_guide_and_the_command_agree(cli, monkeypatch):
    """The command at the top of the guide, with fewer repeats: fq_codel or cake, and the algorithm matters little."""
    monkeypatch.setattr("fairlane.search.advise.question.REPEATS_OF_PROBES", (3,))
    asked = ["--rate", "50mbit", "--rtt", "30ms", "--want", "latency", "--queues", "fifo,fq_codel,cake"]
    found = json.loads(cli("advise", *asked, "--algorithms", "cubic,bbr", "--json").out)
    assert found["queue"] == "fq_codel"
    assert "cake" in found["sentence"]
    assert "With fq_codel, the algorithm matters little" in found["sentence"]
    assert found["commands"][0] == "sysctl -w net.ipv4.tcp_congestion_control=cubic"
    assert found["commands"][-1] == "tc qdisc replace dev eth0 parent 1:1 fq_codel"
    assert "recording of Linux" in found["agreement"]


@pytest.mark.parametrize(("beside", "metric"), [("call", "call_delay_p95_ms"), ("page", "page_load_median_ms")])
def test_an_uplink_is_loaded_and_has_the_queue_too(beside, metric, monkeypatch):
    monkeypatch.setattr("fairlane.search.advise.question.REPEATS_OF_PROBES", (3,))
    question = ask({"rate": "20mbit", "rtt": "20ms"}, 2, beside=beside, up_rate="2mbit", algorithms=["cubic"])
    assert question.delay_metric == metric
    form = question.experiment.settings
    assert [(one["name"], one.get("direction", "forward")) for one in form["flows"]] == [
        ("download", "forward"),
        ("upload", "reverse"),
        *([("call", "reverse"), ("call-down", "forward")] if beside == "call" else [(beside, "forward")]),
    ]
    for planned in question.experiment.points:
        down, up = planned.point.scenario["links"][:2]
        assert (up["rate_bps"], up["queue"]["kind"]) == (2_000_000, down["queue"]["kind"])


def test_a_call_beside_uploads_needs_a_queue_that_isolates_it(cli, monkeypatch):
    monkeypatch.setattr("fairlane.search.advise.question.REPEATS_OF_PROBES", (3,))
    asked = ["--rate", "10mbit", "--up-rate", "4mbit", "--rtt", "20ms", "--want", "latency", "--beside", "call"]
    outcome = cli("advise", *asked, "--algorithms", "cubic", "--queues", "fifo,fq_codel", "--flows", "1")
    assert outcome.status == 0
    assert "Use cubic with fq_codel." in outcome.out
    assert "1 bulk flow in each direction and a call" in outcome.out
    assert "tc qdisc replace dev ifb0 parent 1:1 fq_codel" in outcome.out
    assert "htb rate 3800kbit" in outcome.out


def test_over_a_satellite_with_loss_bbr_is_the_answer(cli):
    asked = ["--rate", "10mbit", "--rtt", "600ms", "--loss", "1%", "--want", "throughput", "--algorithms", "cubic,bbr"]
    found = json.loads(cli("advise", *asked, "--queues", "fq_codel", "--json").out)
    assert (found["algorithm"], found["queue"]) == ("bbr", "fq_codel")
    assert found["reason"].startswith("Why: goodput ")
    rates = {one["algorithm"]: one["goodput_mbps"]["mean"] for one in found["candidates"]}
    assert rates["bbr"] > 5 * rates["cubic"]


def test_a_reverse_path_that_is_the_bottleneck_is_named(cli):
    asked = ["--rate", "10mbit", "--reverse-rate", "50kbit", "--rtt", "20ms", "--algorithms", "cubic"]
    outcome = cli("advise", *asked, "--queues", "codel", "--flows", "1")
    assert "Bottleneck: return (reverse)" in outcome.out
    assert "ottleneck: " not in cli("advise", *SLOW_OPTIONS, "--algorithms", "cubic", "--queues", "codel").out


def test_the_lines_to_type_are_those_of_tc():
    settings = {"rate": "50mbit", "rtt": "30ms"}
    assert commands("bbr", "cake", settings) == [
        "sysctl -w net.ipv4.tcp_congestion_control=bbr",
        "tc qdisc replace dev eth0 root cake bandwidth 47500kbit",
    ]
    fifo = commands("cubic", {"kind": "fifo", "limit": "0.5bdp"}, settings)
    assert fifo[-1] == "tc qdisc replace dev eth0 parent 1:1 bfifo limit 93750"
    assert commands("bbr3", None, settings)[0].startswith("sysctl -w net.ipv4.tcp_congestion_control=bbr3  # ")
    cell = commands("cubic", {"kind": "fifo", "limit": "100p"}, {"wifi": "ac", "rtt": "0.2ms"})
    assert cell[-1] == "tc qdisc replace dev wlan0 root pfifo limit 100"
    both = commands("cubic", "fq_codel", {**settings, "up_rate": "10mbit"})
    assert [line for line in both if "htb rate" in line] == [
        "tc class replace dev eth0 parent 1: classid 1:1 htb rate 9500kbit",
        "tc class replace dev ifb0 parent 1: classid 1:1 htb rate 47500kbit",
    ]


def test_the_terminal_shows_evidence_assumptions_and_the_file(cli, tmp_path):
    outcome = cli(
        "advise",
        "--rate",
        "1mbit",
        "--rtt",
        "10ms",
        "--flows",
        "1",
        "--algorithms",
        "cubic",
        "--plot",
        tmp_path / "tradeoff.svg",
    )
    assert (outcome.status, outcome.err) == (0, "")
    for words in ("95 % confidence intervals", "Assumed: 1 bulk flow", "[sweep]", "best"):
        assert words in outcome.out
    assert "Jain" not in outcome.out.split("[network]")[0]
    file, _, lines = outcome.out.split("as a file:")[1].partition("To type")
    tomllib.loads(file)
    assert lines.count("\nsysctl -w net.ipv4.tcp_congestion_control=") == 1
    assert "\ntc qdisc replace dev eth0 " in lines
    assert (tmp_path / "tradeoff.svg").stat().st_size > 10_000


def test_the_plot_shows_every_candidate_whole(tmp_path, monkeypatch):
    drawn = []
    monkeypatch.setattr(Figure, "savefig", lambda figure, path, **_: drawn.append(figure) or path.touch())
    draw(tmp_path / "tradeoff.png", advice([FULL, SHORT, candidate("bbr", "codel", 95.5, 7)], "latency"))
    (axis,) = drawn[0].axes
    marks = [line for line in axis.lines if len(line.get_xdata()) and line.get_marker() not in ("None", "|", "_")]
    assert len(marks) == 4, "one of them has a ring"
    assert not any(mark.get_clip_on() for mark in marks)
    bottom, top = axis.get_ylim()
    assert all(bottom < mark.get_ydata()[0] < top for mark in marks)
    assert (top - bottom) < 3, "not empty below what was measured"
    assert axis.get_title() == "Use cubic with codel."
    assert not drawn[0].legends[0].get_title().get_text()


def test_python_gives_the_same(cli):
    found = fairlane.advise(rate="1mbit", rtt="10ms", want="throughput", algorithms=["cubic", "reno"])
    asked = ["advise", "--rate", "1mbit", "--rtt", "10ms", "--want", "throughput", "--algorithms", "cubic,reno"]
    assert found.as_dict() == json.loads(cli(*asked, "--json").out)
    assert repr(found).startswith("Advice for throughput: ")


def test_a_cell_is_judged_by_the_rtt_of_packets(cli, monkeypatch):
    monkeypatch.setattr("fairlane.search.advise.question.REPEATS", (3,))
    monkeypatch.setattr("fairlane.search.advise.question.LENGTHS", (20,))
    outcome = cli("advise", "--link", "wifi-n", "--algorithms", "cubic")
    assert (outcome.status, outcome.err) == (0, "")
    assert outcome.out.startswith("wifi-n: 802.11 n, rtt 0.2ms, 2 bulk flows")
    for words in ("p95 RTT, ms", "fifo 100p", "uploads of a station each", 'standard = "n"'):
        assert words in outcome.out


def test_a_data_center_has_dctcp_and_a_queue_that_marks(cli, monkeypatch):
    monkeypatch.setattr("fairlane.search.advise.question.REPEATS", (3,))
    monkeypatch.setattr("fairlane.search.advise.question.LEAST_S", Fraction(1, 50))
    found = json.loads(cli("advise", "--link", "dc", "--json").out)
    rows = {(one["algorithm"], one["queue"]): one for one in found["candidates"]}
    marked, plain = rows["dctcp", "codel marking at 78us"], rows["dctcp", "codel"]
    assert marked["delay_ms"]["mean"] < plain["delay_ms"]["mean"] / 2


@pytest.mark.parametrize("rate", ["1mbit", "300mbit", "10gbit"])
@pytest.mark.parametrize(("rtt", "beside"), [("100us", "nothing"), ("20ms", "nothing"), ("20ms", "call")])
def test_an_answer_takes_little_time(rate, rtt, beside):
    assert ask({"rate": rate, "rtt": rtt}, 2, beside=beside).cpu_s <= TOLERABLE_S


def test_candidates_that_take_too_long_are_left_out_unless_they_are_named():
    fast, slow = ask({"rate": "10gbit", "rtt": "20ms"}, 2), ask({"rate": "50mbit", "rtt": "20ms"}, 2)
    assert fast.left_out == ("bbr3", "fifo 0.5bdp", "fifo 4bdp", "codel", "fq", "pie")
    assert list(fast.queues) == ["fifo 1bdp", "fq_codel", "cake"]
    assert slow.left_out == ()
    assert ask({"link": "geo", "loss": "1%"}, 2).left_out == (), "hardly more than is affordable"
    named = ask({"rate": "10gbit", "rtt": "20ms"}, 2, algorithms=["bbr3"], queues=["fifo", "pie"])
    assert list(named.queues) == ["fifo 0.5bdp", "fifo 1bdp", "fifo 4bdp", "pie"]
    assert named.left_out == ()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "--rate 100mbit"),
        (["--rate", "fast", "--rtt", "1ms"], "--rate: 'fast'"),
        (["--link", "lt"], "did you mean lte"),
        (["--link", "lte", "--want", "speed"], "'speed'"),
        (["--link", "lte", "--want", "fairness", "--flows", "1"], "raise --flows"),
        (["--link", "lte", "--algorithms", "cubicc"], "cubic"),
        (["--link", "lte", "--beside", "talk"], "--beside: unknown flow 'talk'"),
        (["--link", "lte", "--queues", "red"], "--queues: unknown queue 'red'"),
        (["--link", "lte", "--up-rate", "0mbit"], "--up-rate"),
        (["--link", "wifi-ac", "--up-rate", "5mbit"], "--up-rate: has no effect with a Wi-Fi link"),
        (["--link", "wifi-ac", "--rate", "20mbit"], "--rate: "),
        (["--link", "wifi-ac", "--buffer", "1bdp"], "--buffer: "),
    ],
)
def test_mistakes_take_one_line(cli, options, message):
    outcome = cli("advise", *options)
    assert outcome.status == 2
    assert message in outcome.err
    assert outcome.err.count("\n") == 1


@pytest.mark.parametrize("name", LINKS)
def test_typical_links_are_valid_and_have_sources(name):
    assert load(tomllib.loads(ask({"link": name}, 2).text)).points
    assert fairlane.duel("cubic", link=name, duration="200ms").flows.height == 1
    for key, (_, source) in LINKS[name].values.items():
        assert key in SETTINGS
        assert source
    assert OBJECTIVES
