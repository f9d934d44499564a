"""Plots over time of more flows than anybody can tell apart."""

import matplotlib as mpl
import numpy as np
import pytest
from fairlane.results.metrics.subject import Flow
from fairlane.show.plots.options import Options
from fairlane.show.plots.over_time import MOST_DRAWN, QUANTITIES, _draw_flows
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
    assert handles["cubic"].get_label() == "cubic: median of 1,001 flows, 10th to 90th percentile"


def test_few_flows_are_lines():
    assert len(drawn(MOST_DRAWN)[0].lines) == MOST_DRAWN
