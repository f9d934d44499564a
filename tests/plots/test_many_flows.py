"""Plots over time of more flows than anybody can tell apart."""

import matplotlib as mpl
import numpy as np
import pytest
from fairlane.results.metrics.subject import Flow
from fairlane.show.plots import run_timeline
from fairlane.show.plots.options import Options
from fairlane.show.plots.over_time import MOST_ALIKE, QUANTITIES, _draw_flows, sampled
from matplotlib.figure import Figure


def drawn(count):
    times_s = np.arange(1, 101) / 10
    flows = [
        Flow({"start_s": 0.0, "algorithm": "cubic"}, {"t_s": times_s, "mbps": np.full(100, 0.01 * number)})
        for number in range(count)
    ]
    with mpl.rc_context():
        axis = Figure().subplots()
        handles = {}
        _draw_flows(axis, flows, ["cubic"] * count, QUANTITIES["goodput"], Options(), 10.0, handles)
    return axis, handles


def test_many_flows_are_a_median_and_a_band():
    axis, handles = drawn(1001)
    (line,) = axis.lines
    assert line.get_ydata() == pytest.approx(np.full(100, 5.0))
    (band,) = axis.collections
    heights = band.get_paths()[0].vertices[:, 1]
    assert (heights.min(), heights.max()) == (pytest.approx(1.0), pytest.approx(9.0))
    assert handles["cubic"].get_label() == "cubic (1,001 flows): median, p10 to p90"


def test_a_time_without_a_flow_is_a_gap_of_windows_and_no_retransmission():
    """Samples end at 2 s and go on at 8 s: nothing is drawn across, and no count falls slowly."""
    times_s = np.array([*np.arange(1, 21), *np.arange(80, 101)]) / 10
    flow = Flow({}, {"t_s": times_s, **{name: np.full(41, 8.0) for name in ("cwnd_packets", "rtt_ms", "retransmits")}})
    for name, is_rate in (("cwnd", False), ("rtt", False), ("retransmits", True)):
        at_s, values = sampled(flow, QUANTITIES[name], Options(), 10.0)
        between = values[(at_s > 2.1) & (at_s < 7.9)]
        assert len(between) > 50
        assert (between == 0).all() if is_rate else np.isnan(between).all()
    line = run_timeline.Line("1 reno", "reno", flow)
    assert np.isnan(run_timeline._curve(line, "window", 10.0, 0.1, None)[1]).any()
    assert np.isnan(run_timeline._curve(line, "rtt", 10.0, 0.1, None)[1]).any()


def test_few_flows_are_lines_whose_number_the_legend_names():
    axis, handles = drawn(MOST_ALIKE)
    assert len(axis.lines) == MOST_ALIKE
    assert handles["cubic"].get_label() == f"cubic ({MOST_ALIKE} flows)"


def test_the_plot_of_a_duel_draws_many_flows_as_a_band(tmp_path, monkeypatch):
    flow = Flow(
        {"start_s": 0.0},
        {"t_s": np.arange(1, 11) / 10, **dict.fromkeys(("mbps", "cwnd_packets", "rtt_ms"), np.ones(10))},
    )
    axes = []
    monkeypatch.setattr(run_timeline, "entitle", lambda figure, _: axes.extend(figure.axes))
    lines = [run_timeline.Line(f"{number} bbr", "bbr", flow) for number in range(MOST_ALIKE + 1)]
    run_timeline.draw(
        tmp_path / "duel.png", "", lines, [], end_s=1.0, capacity=[(0.0, 100.0)], limit_bytes=None, panels=("goodput",)
    )
    assert [len(axis.lines) for axis in axes] == [1]
    assert axes[0].get_ylim()[1] < 10, "the capacity does not stretch the axis"
