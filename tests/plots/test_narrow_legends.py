"""Legends fit the width of their figure, with type of any size."""

import pytest
from fairlane.results.statistics import Interval
from fairlane.show.plots import delay_throughput
from fairlane.show.plots.delay_throughput import NARROW_INCHES, SIZE_INCHES, Mark, draw_marks


def mark(number):
    return Mark(
        x=Interval(10.0 + number, 9.0 + number, 11.0 + number, 3),
        y=Interval(5.0 + number, 4.0 + number, 6.0 + number, 3),
        colour=number % 4,
        shape=number,
        kind=("cubic", "bbr", "vegas", "reno")[number % 4],
        label="",
        title="",
        shape_name=("bbr", "vegas", "reno")[number % 3],
    )


@pytest.mark.parametrize("size", [NARROW_INCHES, SIZE_INCHES])
def test_a_legend_is_within_its_figure(size, tmp_path, monkeypatch):
    figures = []
    original = delay_throughput.legend
    monkeypatch.setattr(delay_throughput, "legend", lambda made, *more: figures.append(made) or original(made, *more))
    draw_marks(tmp_path / "marks.svg", [mark(number) for number in range(6)], "delay, ms", "goodput, Mbps", size)
    [made] = figures
    [legend] = made.legends
    assert len(legend.get_texts()) == 7
    box = legend.get_window_extent()
    assert 0 <= box.x0 < box.x1 <= made.bbox.x1
