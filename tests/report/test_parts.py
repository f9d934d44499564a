"""Parts of a report: results, agreement, series that fit, settings that can be run again."""

import base64
import json
import tomllib
import zlib
from dataclasses import replace
from html import unescape

import fairlane
import matplotlib as mpl
import numpy as np
import polars as pl
import pytest
from fairlane.results.metrics.definitions.fairness import jain_over_time
from fairlane.results.metrics.source import runs
from fairlane.results.metrics.subject import Flow
from fairlane.results.store.layout import StoreError
from fairlane.show.comparison.comparison_table import agreement, laid_out
from fairlane.show.plots.capacity import capacity
from fairlane.show.plots.kinds import draw
from fairlane.show.plots.options import Options
from fairlane.show.plots.over_time import QUANTITIES, sampled
from fairlane.show.plots.styles import places
from fairlane.show.report.channels import BETWEEN, LEVELS, STRETCHES, mean_window, packed
from fairlane.show.report.drawings import drawn
from fairlane.show.report.page import page
from fairlane.show.report.part_view import PartView
from fairlane.show.report.series import recorded
from fairlane.show.report.study_contents import gather
from fairlane.show.report.timelines import _panel, _path, timelines
from fairlane.study.paper.comparison import Cell, deviation
from fairlane.study.paper.definition import Value

RATIO, DIFFERENCE = (Value(metric="jain_index", heading="", compare=how) for how in ("ratio", "difference"))


@pytest.mark.parametrize(
    ("value", "ours", "paper", "expected"),
    [
        (RATIO, 11.0, 10.0, 0.1),
        (RATIO, 5.0, 10.0, -1.0),
        (RATIO, 0.0, 0.0, 0.0),
        (RATIO, 1.0, 0.0, float("inf")),
        (RATIO, None, 1.0, None),
        (DIFFERENCE, 0.9, 0.7, 0.2),
        (DIFFERENCE, 0.5, None, None),
    ],
)
def test_how_far_ours_is_from_the_papers(value, ours, paper, expected):
    found = deviation(Cell(ours, None, paper), value, 1.0)
    assert found == (None if expected is None else pytest.approx(expected))


def test_nearness_counts_and_draws():
    found = agreement([0.0, 0.05, -0.2, 0.9, -3.0, float("inf"), None])
    assert (found.total, found.within) == (6, (2, 3, 4))
    assert found.bars[0] > 0, "a quarter of the paper's number is at the left end"
    assert found.bars[-1] > 0, "what is infinitely larger is at the right end"
    assert agreement([None]) is None


def test_tables_have_ours_the_papers_and_a_shade(parts):
    tables = {comparison.item.name: laid_out(comparison) for comparison in parts[0].comparisons}
    table, figure = tables["table-1"], tables["figure-1"]
    assert table.columns == ("goodput", "Jain", "retransmits", "RTT ms", "cwnd packets", "utilisation %")
    cubic = table.lines[0]
    assert (cubic.head, cubic.runs) == (("cubic",), "6")
    assert cubic.pairs[0].paper == "9.20"
    assert cubic.pairs[0].shade == "n"
    assert cubic.pairs[0].ends is None, "buffers are no repeats"
    reno = table.lines[1]
    assert reno.pairs[0].shade == "h3", "more than twice the paper's 4.0"
    assert (reno.pairs[1].shade, reno.pairs[2].paper) == ("", "")
    assert (figure.over, figure.columns) == ("buffer, BDP", ("1", "2"))
    assert all(pair.ends for line in figure.lines for pair in line.pairs)


def test_the_store_says_which_study_runs_belong_to(parts):
    (part,) = parts
    assert (part.name, part.study.name, part.quick) == ("small2020", "small2020", False)
    view = PartView(part)
    assert view.counts == [("holds", 1), ("fails", 1), ("not supported", 1), ("not testable", 1)]
    assert view.unrun == [("other", "beyond the paper")]
    assert [name for name, _ in view.unsupported] == ["radio"]
    assert view.again[0].startswith("fairlane reproduce small2020 --results ")
    assert part.making.runs == part.experiments[0].runs == 12
    assert dict(part.making.algorithms).keys() == {"cubic", "reno"}
    assert all(len(digest) == 32 for _, digest in part.making.algorithms)
    assert dict(part.making.commands) == {"fairlane reproduce --quick small2020": 12}


def test_settings_are_an_experiment_file(parts, tmp_path, monkeypatch, cli):
    one = parts[0].experiments[0]
    monkeypatch.chdir(tmp_path)
    (tmp_path / "again.toml").write_text(one.settings)
    assert tomllib.loads(one.settings) == parts[0].results["small"].plans[0].settings
    assert cli("show", "again.toml").status == 0


def test_series_keep_means_and_extremes(parts):
    results = parts[0].results["small"]
    recording = recorded(results, 1e6)
    assert (recording.shown, recording.points, recording.has_groups) == (4, 4, False)
    content = json.loads(zlib.decompress(base64.b64decode(recording.packed), -15))
    assert [axis["name"] for axis in content["axes"]] == ["algorithm_a", "buffer"]
    run = content["runs"][0]
    assert run["lines"] == ["a: cubic", "b: cubic"]
    key = results.runs.filter(results.runs["repeat"] == 0)["run"][0]
    flows = results.series("flow", ["mbps", "cwnd_packets"], run=[key], flow=0)
    assert recording.full == 4, "there is room for every sample"
    assert _drawn(run["series"]["cwnd_packets"][0]) == pytest.approx(flows["cwnd_packets"].to_numpy(), abs=0.1)
    run = recording.runs[0]  # as small drawings have it
    scale, steps = run.series["cwnd_packets"][0]
    points = np.cumsum(steps)
    assert len(points) == 2 * STRETCHES
    assert points.max() == LEVELS + 1
    assert scale == pytest.approx(flows["cwnd_packets"].max())
    drawn = (points[points > 0] - 1) / LEVELS * scale
    assert drawn.min() == pytest.approx(flows["cwnd_packets"].min(), abs=scale / LEVELS)
    scale, steps = run.series["mbps"][0]
    points = np.cumsum(steps)
    assert (points[points > 0] - 1).mean() / LEVELS * scale == pytest.approx(flows["mbps"].mean(), rel=0.03)


def _drawn(packed):
    scale, steps = packed
    points = np.cumsum(steps)
    return (points[points > 0] - 1) / LEVELS * scale


def test_retransmissions_and_fairness_are_drawn_over_time(parts):
    results = parts[0].results["small"]
    run = recorded(results, 1e6).runs[0]
    (measured,) = (one for one in runs(results, {"repeat": 0, "algorithm_a": "cubic", "buffer": "1bdp"}))
    for flow, line in zip(measured.flows, run.series["retransmits"], strict=True):
        drawn = _drawn(line)
        seconds = float(np.ptp(flow.series("t_s"))) + 0.1
        assert flow["retransmits"] > 0
        assert drawn.mean() * seconds == pytest.approx(flow["retransmits"], rel=0.02), "each packet that was sent again"
    (index,) = run.series["jain"]
    assert run.shares == ["Jain's index"]
    values = jain_over_time(measured.flows, 0.1)[1]
    assert _drawn(index).mean() == pytest.approx(np.nanmean(values), rel=0.01)
    assert 0.5 < _drawn(index).min() < _drawn(index).max() <= 1


def test_a_flow_alone_shares_nothing(tmp_path):
    alone = {"duration": "2s", "network": {"rate": "10mbit", "rtt": "20ms"}, "flows": [{"algorithm": "cubic"}]}
    (run,) = recorded(fairlane.run(alone), 1e6).runs
    assert (run.series["jain"], run.shares) == ([], [])
    assert len(run.series["retransmits"]) == 1


def test_series_that_do_not_fit_are_left_out_evenly(parts):
    results = parts[0].results["small"]
    assert recorded(results, 0) is None
    half = recorded(results, 2 * (4 * 2 + 2) * 2 * STRETCHES)
    assert (half.shown, half.points) == (2, 4)
    content = json.loads(zlib.decompress(base64.b64decode(half.packed), -15))
    assert [run["at"] for run in content["runs"]] == [[0, 0], [1, 0]]
    of_reno = recorded(results, 2 * (4 * 2 + 2) * 2 * STRETCHES, lambda axes: axes["algorithm_a"] == "reno")
    assert [run.at for run in of_reno.runs] == [[1, 0], [1, 1]], "what a figure shows comes first"


def test_a_page_is_never_too_large(parts, monkeypatch):
    monkeypatch.setattr("fairlane.show.report.page.MOST_SERIES_BYTES", 0)
    bare = len(page(parts, "").encode())
    for room in (0, 4_000, 25_000):
        monkeypatch.setattr("fairlane.show.report.page.MOST_SERIES_BYTES", 10**6)
        monkeypatch.setattr("fairlane.show.report.page.MOST_BYTES", bare + room)
        text = page(parts, "")
        assert len(text.encode()) <= bare + room
        assert ('id="data-' in text) == (room > 4_000)


@pytest.mark.parametrize("picture", [None, "box"])
def test_a_long_title_is_on_the_page_once(parts, picture):
    """In a picture of its own it takes two lines; on the page the heading says it."""
    comparison = parts[0].comparisons[0]
    title = "goodput that is counted again " * 5
    changes = {"title": title.strip(), "plot": picture}
    longer = replace(comparison, item=comparison.item.model_copy(update=changes))
    svg = drawn(longer, "figure")
    assert "counted again" not in svg.partition(">")[2]
    assert "counted again" in svg.partition(">")[0]


def _heights(path):
    """Heights of a line of a small drawing, from the top down."""
    begin, _, steps = path.partition("l")
    return list(int(begin.split()[1]) + np.cumsum([int(step) for step in steps.split()[1::2]]))


def test_time_series_of_the_paper_are_drawn_small(parts):
    item = next(one.item for one in parts[0].comparisons if one.item.time_series)
    found = timelines(recorded(parts[0].results["small"], 1e6), item)
    assert [one.title for one in found] == ["cubic 1bdp", "cubic 2bdp", "reno 1bdp", "reno 2bdp"]
    goodput, window, *others = found[0].panels
    assert [one.label.partition(",")[0] for one in others] == ["smoothed RTT", "retransmissions", "Jain's index"]
    assert others[-1].label.endswith(", to 1")
    assert len(others[-1].paths) == 1
    assert len(goodput.paths) == len(found[0].lines) == 2
    assert goodput.label.startswith("goodput, to ")
    assert goodput.label.endswith(" Mbps")
    assert set(_heights(window.paths[0])) <= set(range(101))
    labels = {panel.label for one in found for panel in one.panels}
    assert len(labels) == 5, "each metric has one scale in all runs"
    highest = [min(_heights(path)) for one in found for path in one.panels[1].paths]
    assert min(highest) == 0, "the largest window of all runs is at the top"
    assert max(highest) > 0


def test_only_series_of_the_figure_are_drawn(parts):
    item = next(one.item for one in parts[0].comparisons if one.item.time_series)
    recording = recorded(parts[0].results["small"], 1e6)
    one, *_ = timelines(recording, item.model_copy(update={"time_series": ["retransmissions"]}))
    assert [panel.label.partition(",")[0] for panel in one.panels] == ["retransmissions"]
    assert one.panels[0].label.endswith(" per second")
    assert timelines(recording, item.model_copy(update={"time_series": False}))[0].panels == []


def test_the_mean_window_begins_after_thirty_seconds_and_is_smoother():
    times_s = np.arange(1, 601) / 10
    sawtooth = pl.DataFrame({"t_s": times_s, "cwnd_packets": 50 + times_s % 10})
    smooth = mean_window(sawtooth)
    assert smooth["t_s"][0] == pytest.approx(30)
    assert smooth["mean_cwnd_packets"].to_numpy() == pytest.approx(54.95), "thirty seconds are three whole teeth"


def test_level_stretches_are_one_step():
    """Without retransmissions a line along the bottom takes hardly any bytes."""
    levels = [101, 101, 101, 101, 501, 501, 1, 1, 1]
    steps = np.diff([0, *levels]).tolist()
    assert "".join(_path(1.0, steps, 1.0)) == "M0 90l0 0 3 0 1 -40 1 0 1 50 2 0"
    assert "".join(_path(1.0, [1, 0, 0, 0], 1.0)) == "M0 100l0 0 3 0"


def test_a_line_is_interrupted_where_nothing_was_measured():
    steps = np.diff([0, 501, 501, 0, 0, 1, 501]).tolist()
    assert "".join(_path(1.0, steps, 1.0)) == "M0 50l0 0 1 0M4 100l0 0 1 -50"


def test_where_no_flow_exists_rates_are_0_and_windows_have_no_value():
    """Pages that are loaded from 0 to 2 s and from 6 to 8 s, of a run of 10 s."""
    times_s = np.r_[np.arange(1, 21), np.arange(61, 81)] / 10
    frame = pl.DataFrame({"t_s": times_s, "retransmits": 80.0, "cwnd_packets": 10.0})
    for samples, pairs in ((100, False), (STRETCHES, True)):
        (_, steps), (_, windows) = (
            packed(frame, name, 10.0, samples, pairs=pairs, means=pairs) for name in ("retransmits", "cwnd_packets")
        )
        levels, of_windows = (np.cumsum(one).reshape(10, -1) for one in (steps, windows))
        for found in (levels, of_windows):
            assert set(found[[0, 1, 7]][:, 2:].ravel()) <= {LEVELS + 1, BETWEEN}
            assert (found[8:] == 0).all()
        assert (levels[2:6] == 1).all(), "not one retransmission"
        assert (of_windows[2:6] == 0).all()


def test_samples_further_apart_than_points_leave_no_gap():
    frame = pl.DataFrame({"t_s": np.arange(1.0, 11.0), "cwnd_packets": np.arange(1.0, 11.0)})
    for name in ("mbps", "cwnd_packets"):
        levels = np.cumsum(packed(frame.rename({"cwnd_packets": name}), name, 10.0, 40)[1])
        assert set(levels[4:-1]) - {BETWEEN} <= set(range(1, LEVELS + 2))
        assert (levels[4:] != 0).all()


def test_plots_interrupt_windows_and_drop_rates_to_0():
    times_s = np.r_[np.arange(1, 21), np.arange(61, 81)] / 10
    flow = Flow({"start_s": 0.0}, {"t_s": times_s, "retransmits": times_s * 0 + 8, "cwnd_packets": times_s * 0 + 10})
    at_s, rates = sampled(flow, QUANTITIES["retransmits"], Options(), 10.0)
    assert rates[(at_s > 2.05) & (at_s < 6.05)] == pytest.approx(0.0)
    assert rates[(at_s < 2.05) | (at_s > 6.05)] == pytest.approx(80.0)
    at_s, windows = sampled(flow, QUANTITIES["cwnd"], Options(), 10.0)
    assert np.isnan(windows[(at_s > 2.05) & (at_s < 6.05)]).all()
    assert windows[(at_s < 2.05) | (at_s > 6.05)] == pytest.approx(10.0)


def test_large_numbers_are_written_out():
    assert _panel("cwnd_packets", [[1054.6, [1]]], 1054.6).label == "congestion window, to 1,055 packets"
    assert _panel("rtt_ms", [[4.163, [1]]], 4.163).label == "smoothed RTT, to 4.16 ms"


def test_many_flows_are_drawn_together(tmp_path):
    results = fairlane.run(
        {
            "duration": "2s",
            "network": {"rate": "10mbit", "rtt": "20ms", "buffer": "4bdp"},
            "flows": [{"name": "many", "algorithm": "cubic", "count": 9}, {"name": "one", "algorithm": "reno"}],
        }
    )
    recording = recorded(results, 1e6)
    assert recording.has_groups
    run = json.loads(zlib.decompress(base64.b64decode(recording.packed), -15))["runs"][0]
    assert run["lines"] == ["9 × cubic (many)", "1 × reno (one)"]
    scale, steps = run["series"]["mbps"][0]
    total = results.series("flow", ["mbps"], name="many").group_by("t_s").agg(pl.col("mbps").sum())["mbps"]
    assert scale == pytest.approx(total.max(), rel=1e-4)
    assert len(steps) == 20, "a point for each sample"


def test_points_with_the_same_scenario_are_not_added_up():
    group = {"algorithm": "reno", "count": 5}
    results = fairlane.run(
        {
            "duration": "2s",
            "network": {"rate": "20mbit", "rtt": "20ms"},
            "flows": [{**group, "name": "a"}, {**group, "name": "b"}],
            "sweep": {"network.buffer": {"name": "size", "values": ["1bdp", "50000B"]}},
        }
    )
    assert results.runs["run"].n_unique() == 1
    total = results.series("flow", ["mbps"], name="a", size="1bdp").group_by("t_s").agg(pl.col("mbps").sum())["mbps"]
    for run in recorded(results, 1e6).runs:
        assert run.series["mbps"][0][0] == pytest.approx(total.max(), rel=1e-4)


def test_results_of_no_study(pairs):
    (part,) = gather([pairs.path])
    assert part.study is None
    view = PartView(part)
    (one,) = view.outcomes
    whole, flows = one.tables
    assert (whole.headings[0], len(whole.rows)) == ("against", 4)
    assert (flows.headings[0], len(flows.rows)) == ("against", 8)
    assert one.tradeoff.svg.startswith("<svg")
    assert one.finding.caveat.startswith("Two repeats")
    assert view.again[-1].startswith("fairlane report ")


def test_mistakes_take_one_line(cli, tmp_path, monkeypatch, pairs):
    monkeypatch.chdir(tmp_path)
    nothing = cli("report")
    assert (nothing.status, nothing.err.count("\n")) == (2, 1)
    assert "name one" in nothing.err
    other = cli("report", tmp_path)
    assert other.status == 2
    assert "no results" in other.err
    (tmp_path / "file").write_text("")
    outcome = cli("report", pairs.path, "--latex", tmp_path / "file")
    assert outcome.status == 2
    with pytest.raises(StoreError):
        gather([tmp_path])


def test_the_command_writes_beside_the_results(cli, pairs):
    outcome = cli("report", pairs.path)
    assert (outcome.status, outcome.err) == (0, "")
    path = pairs.path / "report.html"
    assert outcome.out.startswith(f"report: {path} (")
    text = path.read_text(encoding="utf-8")
    assert text.startswith("<!doctype html>")
    assert f"fairlane report {pairs.path}" in text
    path.unlink()


def test_an_experiment_of_a_study_begins_with_its_finding(parts):
    view = next(PartView(part) for part in parts if part.study)
    assert set(view.findings) == {one.name for one in view.experiments}
    assert all(found.first.endswith(".") for found in view.findings.values())
    assert next(iter(view.findings.values())).first in unescape(page(parts, "fairlane report"))


def test_tables_show_the_look_of_each_algorithm(parts):
    text = page(parts, "fairlane report")
    for name in ("cubic", "reno"):
        assert f'<i class="key k{places([name])[0]}"></i>{name}</span></th>' in text


def test_flows_that_are_numbered_are_called_by_their_algorithms(tmp_path):
    flows = [{"name": "1", "algorithm": "cubic"}, {"name": "2", "algorithm": "reno"}]
    results = fairlane.run({"duration": "2s", "network": {"rate": "10mbit", "rtt": "20ms"}, "flows": flows})
    assert recorded(results, 1e6).runs[0].lines == ["cubic", "reno"]
    path = tmp_path / "goodput.svg"
    with mpl.rc_context({"svg.fonttype": "none"}):
        draw("goodput", path, results, Options())
    text = path.read_text()
    assert ">cubic</text>" in text
    assert ">reno</text>" in text


def test_the_capacity_is_that_of_the_router_before_the_link():
    """163 us for each packet of 1500 bytes are 73.6 Mbps; a router that merges packets has no such limit."""
    link = {"name": "bottleneck", "rate_bps": 100_000_000, "queue": {"kind": "router", "forwarding_ns": 163_000}}
    scenario = {"links": [link], "flows": [{"mtu": 1500}]}
    assert capacity(json.dumps(scenario), 60.0, 150) == [[0.0, pytest.approx(73.62, abs=0.01)]]
    for more in ({"merge_interval_ns": 20_000}, {"forwarding_ns": 0}):
        merging = {**scenario, "links": [{**link, "queue": {**link["queue"], **more}}]}
        assert capacity(json.dumps(merging), 60.0, 150) == [[0.0, 100.0]]
    shaped = {**scenario, "links": [{**link, "queue": {"kind": "tbf", "rate_bps": 20_000_000}}]}
    assert capacity(json.dumps(shaped), 60.0, 150) == [[0.0, 20.0]]
