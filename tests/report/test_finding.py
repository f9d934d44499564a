"""The finding of an experiment and its trade-off picture follow from the measured values."""

import re
from dataclasses import replace
from xml.etree import ElementTree as xml

import polars as pl
import pytest
from fairlane.api.run import simulated
from fairlane.results.statistics import Interval, interval_of_mean
from fairlane.scenario.load import load
from fairlane.show.plots.capacity import capacity
from fairlane.show.plots.delay_throughput import Mark, draw_marks
from fairlane.show.report.effects import effects, sentence_of
from fairlane.show.report.flow_roles import competing
from fairlane.show.report.outcome import finding, plain_tables
from fairlane.show.report.tradeoff import tradeoff
from matplotlib.figure import Figure


def experiment(**changes):
    settings = {
        "duration": "2s",
        "repeats": 3,
        "start_jitter": "100ms",
        "network": {"rate": "10mbit", "rtt": "20ms", "buffer": "1bdp"},
        "flows": [{"name": "a", "algorithm": "cubic"}, {"name": "b", "algorithm": "bbr"}],
    }
    return simulated(load({**settings, **changes}))


@pytest.fixture(scope="module")
def buffers():
    """CUBIC against BBR in a small and a large buffer."""
    return experiment(sweep={"network.buffer": ["0.5bdp", "8bdp"]})


def test_the_first_sentence_says_who_gets_how_much():
    results = experiment(network={"rate": "10mbit", "rtt": "20ms", "buffer": "0.5bdp"})
    found = finding(results)
    shares = results.table(["share_pct"], per="flow").filter(pl.col("algorithm") == "cubic")["share_pct"].to_list()
    mean = interval_of_mean(shares)
    numbers = re.search(r"cubic gets ([\d.]+)\s%.*interval ([\d.]+) to ([\d.]+)\)", found.first)
    assert [float(one) for one in numbers.groups()] == pytest.approx([mean.estimate, mean.low, mean.high], abs=0.51)
    assert found.first.endswith("of the goodput next to bbr, where 50 % would be fair.")
    assert found.caveat == ""


def test_a_sweep_says_where_who_wins(buffers):
    found = finding(buffers)
    assert "bbr gets more than its fair share at buffer 0.5bdp" in found.first
    assert "8bdp" in found.first
    queue = next(text for text in found.more if "queuing delay" in text)
    assert queue.startswith("Going from 0.5bdp to 8bdp of buffer raises the 95th percentile of queuing delay from")


def test_flows_of_one_algorithm_compare_the_axis():
    both = [{"name": "a", "algorithm": "cubic", "count": 2}]
    sweep = {"flows.*.algorithm": ["cubic", "vegas"], "network.rtt": ["20ms", "24ms"]}
    results = experiment(flows=both, sweep=sweep, duration="4s", metrics={"warm_up": "2s"})
    found = effects(results)
    delay = next(one for one in found if one.metric.name == "p95_queue_delay_ms")
    assert (delay.axis.name, list(delay.averaged)) == ("algorithm", ["RTT"])
    per_repeat = (
        results.table(["p95_queue_delay_ms"], per="run")
        .group_by("algorithm", "repeat")
        .agg(pl.col("p95_queue_delay_ms").mean())
    )
    of_vegas = per_repeat.filter(pl.col("algorithm") == "vegas")["p95_queue_delay_ms"].to_list()
    assert delay.low[1].estimate == pytest.approx(interval_of_mean(of_vegas).estimate)
    text = "\n".join([finding(results).first, *finding(results).more])
    assert "(mean over RTT) is lower with algorithm vegas than with cubic" in text


LINE = {"rate": "20mbit", "rtt": "20ms", "buffer": "4bdp"}
CALL = {"name": "call", "algorithm": "cubic", "workload": {"kind": "ping", "interval": "20ms", "bytes": "1kB"}}
UPLOAD = {"name": "upload", "algorithm": "cubic"}


def texts(found):
    return [found.first, *found.more]


def test_an_application_is_judged_by_its_own_metric_first():
    found = finding(experiment(network=LINE, flows=[UPLOAD, CALL], metrics={"warm_up": "500ms"}))
    assert found.first.startswith("The 95th percentile of request times of call is ")
    assert not any("share" in text for text in texts(found)), "a call that offers 0.4 Mbit/s loses no share"
    swept = finding(experiment(network=LINE, flows=[UPLOAD, CALL], sweep={"network.queue": ["fifo", "fq_codel"]}))
    assert re.match(
        r"The 95th percentile of request times of call is lower with queue fq_codel than with fifo: ", swept.first
    )


def test_a_page_and_a_video_are_judged_by_their_own_metrics_and_not_by_their_requests():
    of = {
        "web": ("The median page load time of web", {"think": "200ms"}),
        "video": ("The video bitrate of video", {"segment": "1s"}),
    }
    for kind, (words, options) in of.items():
        flow = {"name": kind, "algorithm": "cubic", "workload": {"kind": kind, **options}}
        found = finding(experiment(network=LINE, flows=[UPLOAD, flow], repeats=1))
        assert found.first.startswith(words), found.first
        assert not any("request" in text for text in texts(found))
        assert found.checks == [], "that applications pause is no limit"


def test_shares_are_among_bulk_flows():
    backup = {"name": "backup", "algorithm": "bbr"}
    results = experiment(network=LINE | {"buffer": "1bdp"}, flows=[CALL, UPLOAD, backup])
    shares = results.table(["share_pct"], per="flow")
    of = {name: rows["share_pct"].to_list() for (name,), rows in shares.group_by("name", maintain_order=True)}
    of_bulk = [100 * one / (one + other) for one, other in zip(of["upload"], of["backup"], strict=True)]
    sentence = next(text for text in finding(results).more if "of the goodput next to bbr" in text)
    number = float(re.search(r"cubic gets ([\d.]+)", sentence)[1])
    assert number == pytest.approx(sum(of_bulk) / 3, abs=0.06)
    assert "where 50 % would be fair" in sentence


def test_a_download_and_an_upload_do_not_share_a_link():
    network = {"rate": "10mbit", "rtt": "20ms", "buffer": "1bdp", "reverse": {"rate": "5mbit", "buffer": "1bdp"}}
    flows = [{"name": "download", "algorithm": "cubic"}, {"name": "up", "algorithm": "bbr", "direction": "reverse"}]
    results = experiment(network=network, flows=flows)
    assert competing(results) == [[0], [1]]
    assert "jain_index" not in [one.metric.name for one in effects(results)]
    assert not any("Jain" in heading for one in plain_tables(results) for heading in one.headings)
    assert not any("next to" in text or "fair" in text for text in texts(finding(results)))
    assert competing(experiment(flows=[flows[0], {**flows[1], "direction": "forward"}])) == [[0, 1]]


def test_an_effect_that_another_axis_changes_is_not_averaged_over_it():
    sweep = {"network.queue": ["fifo", "fq_codel"], "network.buffer": ["1bdp", "8bdp"]}
    results = experiment(flows=[{"algorithm": "cubic"}], sweep=sweep)
    first = finding(results).first
    assert first.startswith("With buffer 8bdp, the 95th percentile of queuing delay is lower with queue fq_codel than ")
    assert "; with buffer 1bdp, it is " in first
    assert "mean over" not in first
    [delay] = [one for one in effects(results) if one.metric.name == "p95_queue_delay_ms"]
    at = results.table(["p95_queue_delay_ms"], per="run", queue="fifo", buffer="8bdp")["p95_queue_delay_ms"]
    assert delay.high[1].estimate == pytest.approx(at.mean())


def test_flows_without_a_name_are_called_by_their_algorithms():
    flows = [{"name": "1", "algorithm": "cubic"}, {"name": "2", "algorithm": "bbr"}]
    swept = finding(experiment(flows=flows, sweep={"flows.1.algorithm": ["cubic", "vegas", "bbr"]}))
    first = re.match(r"bbr gets up to [\d.]+\s% \(.*\) of the goodput next to vegas, where 50 % would", swept.first)
    assert first
    assert swept.first.endswith("it gets more than its fair share at 2 of 2 points with different algorithms.")


def test_of_many_kinds_nothing_is_averaged_over_the_sweep():
    flows = [{"algorithm": name} for name in ("cubic", "bbr", "vegas")]
    found = finding(experiment(flows=flows, sweep={"network.buffer": ["0.5bdp", "8bdp"]}))
    assert re.match(r"Of 3 kinds of flows, bbr gets the most of the goodput at [12] of 2 points: ", found.first)
    assert "mean over" not in found.first
    assert "at buffer " in found.first


def test_equal_values_are_no_finding():
    """Two RTTs that are 1 us apart."""
    alone = [{"name": "a", "algorithm": "reno"}]
    results = experiment(flows=alone, sweep={"network.rtt": ["20ms", "20.001ms"]})
    assert "2 %" in finding(results).first


def test_a_name_keeps_its_capital_behind_a_condition(monkeypatch, buffers):
    one = replace(effects(buffers)[0], condition="queue fifo")
    for along, text in (("The Jain's index is", "With queue fifo, Jain's index is."), ("Going up", ", going up.")):
        monkeypatch.setattr("fairlane.show.report.effects._along", lambda *_, along=along, **__: f"{along}.")
        assert sentence_of(one).endswith(text)


def test_one_repeat_is_a_hint():
    found = finding(experiment(repeats=1, flows=[{"algorithm": "cubic"}]))
    assert found.first.startswith("Total goodput ")
    assert "(" not in found.first
    assert found.caveat.startswith("One repeat")


def test_the_tradeoff_has_a_mark_for_each_kind_of_flow_at_each_point(buffers):
    drawn = tradeoff(buffers, "buffers")
    svg = xml.fromstring(drawn.svg)
    marks = [(mark, mark.find("title").text) for mark in svg.iter("use") if mark.find("title") is not None]
    titles = [title for _, title in marks]
    assert sorted(title.partition(":")[0] for title in titles) == [
        "bbr, 0.5bdp",
        "bbr, 8bdp",
        "cubic, 0.5bdp",
        "cubic, 8bdp",
    ]
    mean = buffers.table(["goodput_mbps"], per="flow").filter(pl.col("algorithm") == "bbr", pl.col("buffer_bdp") == 8)
    assert float(titles[-1].partition(": ")[2].split("\N{NO-BREAK SPACE}")[0]) == pytest.approx(
        mean["goodput_mbps"].mean(), abs=0.5
    )
    colours = {(title.partition(",")[0], mark.get("fill")) for mark, title in marks}
    assert colours == {("cubic", "var(--c0)"), ("bbr", "var(--c1)")}, "the colours of CUBIC and BBR everywhere"
    joined = {path.get("d") for path in svg.iter("path") if path.get("stroke-opacity") == "0.55"}
    assert len(joined) == 2, "the two buffers of each are joined"


@pytest.mark.parametrize("highest", [0.003, 0.7, 1.0, 9.4, 95.6, 1234.5])
def test_axes_include_0_and_everything(highest, tmp_path, monkeypatch):
    drawn = []
    monkeypatch.setattr(Figure, "savefig", lambda figure, path, **_: drawn.append(figure.axes[0]) or path.touch())
    means = [Interval(part * highest, part * highest, part * highest, 3) for part in (0.5, 1.0)]
    draw_marks(tmp_path / "picture.svg", [Mark(one, one, 0, 0, "", "", "") for one in means], "right", "up")
    (left, right), (bottom, top) = drawn[0].get_xlim(), drawn[0].get_ylim()
    assert left >= highest > 0 >= right, "less to the right"
    assert bottom == 0 < highest <= top
    assert 3 <= sum(bottom <= tick <= top for tick in drawn[0].get_yticks()) <= 12


def test_an_axis_of_similar_values_is_not_mostly_empty(tmp_path, monkeypatch):
    drawn = []
    monkeypatch.setattr(Figure, "savefig", lambda figure, path, **_: drawn.append(figure.axes[0]) or path.touch())
    means = [Interval(value, value, value, 3) for value in (90.0, 100.0)]
    draw_marks(tmp_path / "picture.svg", [Mark(one, one, 0, 0, "", "", "") for one in means], "right", "up")
    (left, right), (bottom, top) = drawn[0].get_xlim(), drawn[0].get_ylim()
    assert 10 / (left - right) > 0.6
    assert 10 / (top - bottom) > 0.6
    assert not any(line.get_clip_on() for line in drawn[0].lines if line.get_marker() == "o"), "whole at the edge"


def test_names_stand_beside_the_whiskers(tmp_path, monkeypatch):
    """A name to the right of its mark would be struck through by the interval."""
    drawn = []
    monkeypatch.setattr(Figure, "savefig", lambda figure, path, **_: drawn.append(figure.axes[0]) or path.touch())
    wide = [Interval(value, value - 8, value + 8, 3) for value in (20.0, 60.0)]
    marks = [Mark(one, one, place, 0, name, "", "") for place, (one, name) in enumerate(zip(wide, "ab", strict=True))]
    draw_marks(tmp_path / "picture.svg", marks, "right", "up")
    texts = {one.get_text(): one.xyann for one in drawn[0].texts}
    assert set(texts) == {"a", "b"}
    assert all(abs(right) == 5 for right, _ in texts.values())


def test_a_narrow_page_has_a_tradeoff_of_its_width(buffers):
    drawn = tradeoff(buffers, "buffers")
    wide, narrow = (float(xml.fromstring(one).get("width")) for one in (drawn.svg, drawn.narrow_svg))
    assert narrow <= 358 < wide, "390 pixels without the margins"
    assert drawn.narrow_svg.count("<title>") == drawn.svg.count("<title>")


def test_capacity_follows_the_scenario():
    link = {"name": "bottleneck", "rate_bps": 10_000_000, "changes": [{"at_ns": 10**9, "rate_bps": 5_000_000}]}
    assert capacity(f'{{"links": [{str(link).replace(chr(39), chr(34))}]}}', 3.0, 10) == [[0.0, 10.0], [1.0, 5.0]]
    assert capacity('{"links": [{"name": "up", "rate_bps": 1}]}', 3.0, 10) == []
    assert capacity(None, 3.0, 10) == []
    # A packet of 1500 bytes every ms is 12 Mbps.
    traced = capacity('{"links": [{"name": "bottleneck", "trace_ms": [1, 2, 3, 4]}]}', 0.4, 4)
    assert [rate for _, rate in traced] == pytest.approx([12.0] * 4)


def test_algorithms_that_a_limit_hides_are_in_the_finding():
    """Three algorithms behind a receive window, in the finding as `fairlane run` reports them."""
    hidden = [{"name": "a", "algorithm": "cubic", "receiver": {"rmem_max": "32KiB", "autotune": False}}]
    network = {"rate": "10mbit", "rtt": "80ms", "buffer": "4bdp"}
    found = finding(experiment(flows=hidden, network=network, sweep={"flows.a.algorithm": ["reno", "htcp", "bic"]}))
    limit, check = found.checks
    assert limit.startswith("9 of 9 flows are limited by the receive window, ")
    assert check.startswith("3 algorithms behave identically in 3 of 3 conditions, to the last digit (reno, htcp, bic)")
    assert finding(experiment()).checks == []


def test_short_times_are_in_ms_and_of_all_flows_where_a_sweep_changes_the_algorithm():
    flows = [{"algorithm": "cubic", "workload": {"kind": "bytes", "bytes": "20kB"}}]
    first = finding(experiment(flows=flows, sweep={"flows.*.algorithm": ["cubic", "reno"]})).first
    found = re.match(r"The completion time of all flows is ([\d.]+)\sms .* to ([\d.]+)\sms .* at both points\.", first)
    assert [float(one) for one in found.groups()] == pytest.approx([60, 60], abs=20)  # three round trips of 20 ms
