"""Text of a comparison: order of columns, signs, and dashes for missing values."""

from dataclasses import replace
from xml.etree import ElementTree as xml

import matplotlib as mpl
import numpy as np
import pytest
from fairlane.results.metrics.subject import Flow, Link
from fairlane.results.statistics import Interval
from fairlane.show.comparison.comparison_text import comparison_text
from fairlane.show.comparison.pictures import draw_comparison
from fairlane.show.plots.run_timeline import LABELS, Line, draw
from fairlane.show.plots.styles import styles_of
from fairlane.show.report.drawings import drawn
from fairlane.study.paper.comparison import Cell, Comparison, Row
from fairlane.study.paper.definition import Item
from matplotlib.axes import Axes
from matplotlib.figure import Figure

ITEM = {
    "name": "figure-1",
    "source": "Figure 1",
    "title": "a figure",
    "experiments": ["one"],
    "by": ["algorithm", "rate_mbps"],
    "values": [{"metric": "jain_index", "heading": "J", "digits": 3, "compare": "difference", "published": "j"}],
}


def _comparison(**more):
    rows = (
        Row("one", ("cubic", 1000.0), (Cell(0.9, None, 0.95, (0.9,)),), 1),
        Row("one", ("cubic", 100.0), (Cell(0.8, Interval(0.8, 0.79, 0.81, 5), 0.7),), 5),
        Row("one", ("reno", 100.0), (Cell(0.5, None, None),), 1),
    )
    return Comparison(Item.model_validate({**ITEM, **more}), rows, {"rate_mbps": "rate\nMbps"})


def test_an_axis_goes_across_in_its_order():
    """An unfinished sweep has finished its runs in any order."""
    lines = comparison_text(_comparison(across="rate_mbps")).splitlines()
    heading = next(line for line in lines if "1000" in line)
    assert heading.split()[-2:] == ["100", "1000"]
    at = lines.index(heading)
    assert lines[at + 1].split() == ["cubic", "ours", "0.800", "±0.010", "0.900"]
    assert lines[at + 2].split() == ["paper", "0.700", "0.950"]
    assert lines[at + 3].split() == ["diff", "+0.100", "-0.050"]
    assert lines[at + 4].split() == ["reno", "ours", "0.500", "-"]


def test_few_values_stand_side_by_side():
    lines = comparison_text(_comparison()).splitlines()
    row = next(line for line in lines if line.startswith("cubic") and "0.800" in line)
    assert row.split() == ["cubic", "100", "0.800", "±0.010", "0.700", "+0.100", "5"]


def test_a_question_of_our_own_has_no_lines_of_the_paper():
    text = comparison_text(_comparison(across="rate_mbps", values=[{"metric": "jain_index", "heading": "J"}]))
    assert "ours" in text
    assert "paper" not in text


def test_nothing_run_is_said():
    empty = Comparison(Item.model_validate(ITEM), (), {})
    assert "nothing" in comparison_text(empty)


def _words(path):
    """Powers of ten as plain text, without superscripts: 10 and 4 are 104."""
    texts = xml.parse(path).iter("{http://www.w3.org/2000/svg}text")
    return ["".join(text.strip() for text in element.itertext()) for element in texts]


def test_another_unit_has_a_panel_of_its_own(tmp_path):
    """One axis for Jain's index and Mbps shows the index as a line along the bottom."""
    path = tmp_path / "figure.svg"
    values = [{"metric": "jain_index", "heading": "J"}, {"metric": "goodput_mbps", "heading": "good-\nput, Mbps"}]
    two = [
        replace(row, cells=(replace(row.cells[0], paper=None), Cell(90.0, None, None))) for row in _comparison().rows
    ]
    comparison = replace(_comparison(across="rate_mbps", values=values), rows=tuple(two))
    with mpl.rc_context({"svg.fonttype": "none"}):
        draw_comparison(path, comparison)
    assert {"J", "goodput, Mbps", "cubic", "reno", "Fairlane"} <= set(_words(path))
    assert "paper" not in _words(path)  # it has no numbers
    of_one_metric = [{"metric": "goodput_mbps", "of": name, "heading": f"{name}, Mbps"} for name in ("a", "b")]
    with mpl.rc_context({"svg.fonttype": "none"}):
        draw_comparison(path, replace(comparison, item=_comparison(across="rate_mbps", values=of_one_metric).item))
    assert {"cubic, a, Mbps", "cubic, b, Mbps"} <= set(_words(path))


def test_lines_of_numbers_name_their_axis(tmp_path):
    path = tmp_path / "figure.svg"
    with mpl.rc_context({"svg.fonttype": "none"}):
        draw_comparison(path, _comparison(across="algorithm"))
    assert {"J", "rate, Mbps", "100", "1000"} <= set(_words(path))


def test_boxes_name_the_paper_where_it_has_numbers(tmp_path):
    path = tmp_path / "figure.svg"
    ours = _comparison(plot="box")
    alone = tuple(replace(row, cells=(replace(row.cells[0], paper=None),)) for row in ours.rows)
    for comparison in (ours, replace(ours, rows=alone)):
        with mpl.rc_context({"svg.fonttype": "none"}):
            draw_comparison(path, comparison)
        assert "Figure 1: a figure" in _words(path)
        assert ({"Fairlane", "paper"} <= set(_words(path))) == comparison.has_paper


def test_a_logarithmic_axis_has_dots_not_bars(tmp_path, monkeypatch):
    """It has no 0 from which a bar could have a length: the length would say nothing."""
    drawn = []
    monkeypatch.setattr(Axes, "bar", lambda *_, **__: pytest.fail("a bar on a logarithmic axis"))
    plot = Axes.plot
    monkeypatch.setattr(
        Axes, "plot", lambda axis, at, heights, **k: drawn.append(heights) or plot(axis, at, heights, **k)
    )
    comparison = _comparison(values=[ITEM["values"][0] | {"compare": "ratio"}])
    rows = [
        replace(row, cells=(replace(row.cells[0], paper=paper),))
        for row, paper in zip(comparison.rows, (950.0, 0.7, None), strict=True)
    ]
    draw_comparison(tmp_path / "figure.svg", replace(comparison, rows=tuple(rows)))
    assert drawn == [[0.9], [0.8], [0.5], [950.0], [0.7]], "ours, then the paper's"


def test_panels_of_numbers_have_their_unit(tmp_path):
    path = tmp_path / "figure.svg"
    with mpl.rc_context({"svg.fonttype": "none"}):
        draw_comparison(path, _comparison(across="algorithm", panels=["rate_mbps"]))
    assert {"100 Mbps", "1000 Mbps"} <= set(_words(path))


def test_small_numbers_beside_large_ones_have_a_logarithmic_axis(tmp_path):
    path = tmp_path / "figure.svg"
    values = [{"metric": "total_retransmits", "heading": "retransmissions"}]
    sizes = iter((0.0, 30.0, 40_000.0))
    rows = tuple(replace(row, cells=(Cell(next(sizes), None, None),)) for row in _comparison().rows)
    with mpl.rc_context({"svg.fonttype": "none"}):
        draw_comparison(path, replace(_comparison(across="rate_mbps", values=values), rows=rows))
    words = _words(path)
    assert {"0", "1", "10", "100", "1,000", "10,000"} <= set(words)
    assert "100,000" in words, "every value lies between two labels"


def test_no_number_is_not_drawn_as_zero(tmp_path):
    path = tmp_path / "figure.svg"
    with mpl.rc_context({"svg.fonttype": "none"}):
        draw_comparison(path, _comparison())
    assert {"0.9", "0.8", "0.5", "0.95", "0.7"} <= set(_words(path))
    assert "0" not in _words(path)


def test_pictures_are_drawn(tmp_path):
    kinds = (
        {},
        {"across": "rate_mbps"},
        {"across": "rate_mbps", "panels": ["algorithm"]},
        {"plot": "box"},
        {"across": "rate_mbps", "plot": "heatmap"},
    )
    for number, more in enumerate(kinds):
        path = tmp_path / f"{number}.png"
        draw_comparison(path, _comparison(**more))
        assert path.stat().st_size > 5000


def test_runs_over_time_have_the_panels_that_were_asked_for(tmp_path):
    names = ("t_s", "mbps", "cwnd_packets", "rtt_ms", "retransmits", "queue_bytes")
    series = {name: [1.0, 2.0, 3.0] for name in names}
    lines = [Line(label, group, Flow({"start_s": 0.0}, series)) for label, group in (("a", "cubic"), ("b", "reno"))]
    limits = {"end_s": 3.0, "capacity": [(0.0, 4.0)], "limit_bytes": None}
    for panels in (tuple(LABELS), ("retransmissions",), ("jain", "rtt", "window")):
        path = tmp_path / f"{len(panels)}.svg"
        with mpl.rc_context({"svg.fonttype": "none"}):
            draw(path, "a title", lines, [Link({}, series)], panels=panels, **limits)
        words = _words(path)
        assert {word for word in words if word in LABELS.values()} == {LABELS[one] for one in panels}
        assert {"a title", "a", "b", "time, s"} <= set(words)
        assert ("capacity, limit of the queue" in words) == ("goodput" in panels)
        assert words.count("time, s") == min(2, len(panels)), "below each column, full or not"
        assert sum(word == "2.5" for word in words) >= 1, "times at the lowest panels"


def test_goodput_over_time_has_the_bins_of_the_paper(tmp_path, monkeypatch):
    """Bins of 100 ms are the samples themselves; without bins, five samples are averaged."""
    curves = []
    plot = Axes.plot
    monkeypatch.setattr(Axes, "plot", lambda axis, *a, **k: curves.append(a[:2]) or plot(axis, *a, **k))
    series = {"t_s": np.arange(1, 101) / 10, "mbps": np.tile([0.0, 10.0], 50)}
    lines = [Line("a", "cubic", Flow({"start_s": 0.0}, series))]
    for bin_s, most in ((None, 6.0), (0.1, 10.0), (1.0, 5.0)):
        curves.clear()
        limits = {"end_s": 10.0, "capacity": [(0.0, 20.0)], "limit_bytes": None}
        draw(tmp_path / "x.svg", "a title", lines, [], panels=["goodput"], bin_s=bin_s, **limits)
        (times_s, values), _capacity = curves
        assert max(values[5:]) == pytest.approx(most), bin_s
        assert len(times_s) == (10 if bin_s == 1.0 else 100)


def test_goodput_above_capacity_is_explained(tmp_path):
    series = {"t_s": np.arange(1, 11) / 10, "mbps": np.full(10, 10.0)}
    lines = [Line("a", "cubic", Flow({"start_s": 0.0}, series))]
    for capacity_mbps in (9.0, 11.0):
        path = tmp_path / "x.svg"
        with mpl.rc_context({"svg.fonttype": "none"}):
            draw(path, "", lines, [], panels=["goodput"], end_s=1.0, capacity=[(0.0, capacity_mbps)], limit_bytes=None)
        assert any("a hole was filled" in word for word in _words(path)) == (capacity_mbps < 10)


def test_lines_and_bars_have_the_looks_of_their_algorithms(tmp_path):
    path = tmp_path / "figure.svg"
    for more in ({"across": "rate_mbps"}, {"plot": "box"}, {}):
        draw_comparison(path, _comparison(**more))
        drawn = path.read_text().lower()
        for name in ("cubic", "reno"):
            assert styles_of([name])[0].colour.lower() in drawn, more


def test_panels_of_one_quantity_have_one_scale(tmp_path, monkeypatch):
    made = []
    subplots = Figure.subplots
    monkeypatch.setattr(Figure, "subplots", lambda *a, **k: made.append(subplots(*a, **k)) or made[-1])
    draw_comparison(tmp_path / "figure.svg", _comparison(across="rate_mbps", panels=["algorithm"]))
    (axes,) = made
    assert len({axis.get_ylim() for axis in axes.flat}) == 1


def test_a_panel_that_was_not_run_keeps_its_place(tmp_path, monkeypatch):
    made = []
    subplots = Figure.subplots
    monkeypatch.setattr(Figure, "subplots", lambda *a, **k: made.append(subplots(*a, **k)) or made[-1])
    whole = _comparison(across="rate_mbps", panels=["algorithm"])
    planned = tuple(("one", (name,)) for name in ("bbr", "cubic", "vegas", "reno"))
    path = tmp_path / "figure.svg"
    with mpl.rc_context({"svg.fonttype": "none"}):
        draw_comparison(path, replace(whole, planned_panels=planned))
    ((axes,),) = made
    assert [axis.get_title() for axis in axes] == ["bbr", "cubic", "vegas", "reno"]
    assert [len(axis.lines) > 0 for axis in axes] == [False, True, False, True]
    assert _words(path).count("not run") == 2
    assert not axes[0].get_ylabel()


def test_a_heat_map_that_was_not_run_keeps_its_place(tmp_path):
    comparison = _comparison(across="rate_mbps", plot="heatmap", by=["algorithm", "x", "rate_mbps"], panels=["x"])
    rows = tuple(replace(row, place=(row.place[0], "b", row.place[1])) for row in comparison.rows)
    planned = (("one", ("a",)), ("one", ("b",)))
    path = tmp_path / "figure.svg"
    with mpl.rc_context({"svg.fonttype": "none"}):
        draw_comparison(path, replace(comparison, rows=rows, planned_panels=planned))
    words = _words(path)
    assert words.count("not run") == 1
    assert [word for word in words if word.endswith((", Fairlane", ", paper"))] == [
        "a, Fairlane",
        "b, Fairlane",
        "b, paper",
    ]


def test_thirteen_lines_of_a_figure_differ_without_the_pointer(studied, tmp_path, monkeypatch):
    """The thirteen algorithms that studies compare have a colour each, or other dashes and another marker."""
    drawn_lines = []
    plot = Axes.plot
    monkeypatch.setattr(Axes, "plot", lambda axis, *a, **k: drawn_lines.append(k) or plot(axis, *a, **k))
    rows = tuple(Row("one", (name, rate), (Cell(1.0, None, 2.0),) * 2, 1) for name in studied for rate in (1.0, 2.0))
    values = [{"metric": name, "heading": name} for name in ("jain_index", "goodput_mbps")]
    draw_comparison(tmp_path / "figure.svg", replace(_comparison(across="rate_mbps", values=values), rows=rows))
    ours, papers = drawn_lines[0:26:2], drawn_lines[1:26:2]
    assert len({one["color"] for one in ours}) >= 12
    assert len({(one["color"], str(one["linestyle"]), one["marker"]) for one in ours}) == 13
    for one in ours:
        alike = [other for other in ours if other["color"] == one["color"]]
        assert (
            len({str(other["linestyle"]) for other in alike}) == len({other["marker"] for other in alike}) == len(alike)
        )
    assert {one["markerfacecolor"] for one in papers} == {"none"}


def test_in_a_page_the_pointer_shows_values():
    svg = drawn(_comparison(across="rate_mbps"), "x")
    assert "<title>cubic, J, 1000: Fairlane 0.9, paper 0.95</title>" in svg
    assert drawn(_comparison(), "x").count("<title>") == 6, (
        "a bar of ours and one of the paper's for each of three rows"
    )
    assert drawn(_comparison(plot="box"), "x").count("<title>") == 3


def test_the_legend_of_ours_and_the_papers_has_a_colour_of_the_page():
    for more in ({"across": "rate_mbps"}, {"plot": "box"}, {}):
        svg = drawn(_comparison(**more), "x")
        assert 'stroke="var(--muted)"' in svg, more
        assert "#4" not in svg, "a grey that does not give way where a page is dark"
