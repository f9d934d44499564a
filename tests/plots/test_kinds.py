"""Every kind of plot is drawn, in every format, the same each time."""

import re

import fairlane
import pytest
from fairlane.results.metrics.source import runs
from fairlane.show.plots.canvas import ON_DARK, ON_LIGHT, PAPER, canvas, ink_on, legend
from fairlane.show.plots.capacity import EXPLANATION
from fairlane.show.plots.figure import SUFFIXES
from fairlane.show.plots.groups import labels_of, shown
from fairlane.show.plots.kinds import KINDS, OVER_TIME
from fairlane.show.plots.options import COLUMN_INCHES, Options, label_of
from fairlane.show.plots.styles import style_of

ONE = {"against": "reno", "buffer": "25kB"}
# These results watch no members, and have no Wi-Fi and no switches: other tests draw some that do.
OTHERS = ("watched", "medium", "mpdus-cdf", "topology")
PICTURES = [(kind, ONE if kind in OVER_TIME else {}) for kind in KINDS if kind not in OTHERS]


@pytest.mark.parametrize(("kind", "filters"), PICTURES, ids=[kind for kind, _ in PICTURES])
def test_a_picture_of_each_kind(pairs, tmp_path, kind, filters):
    path = pairs.plot(kind, tmp_path / "picture.png", **filters)
    assert path.read_bytes().startswith(b"\x89PNG")
    assert path.stat().st_size > 8_000  # not an empty canvas


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_the_same_data_give_the_same_file(pairs, tmp_path, suffix):
    first, second = tmp_path / f"first{suffix}", tmp_path / f"second{suffix}"
    for path in (first, second):
        pairs.plot("line", path, metric="share_pct", x="buffer")
    assert first.read_bytes() == second.read_bytes()


def texts(results, kind, **options):
    """Titles, labels and legend of a plot."""
    svg = results.plot(kind, **options).svg
    return re.findall(r"<!-- (.*?) -->", svg)


@pytest.mark.parametrize(
    ("kind", "options", "panels"),
    [
        ("line", {"metric": "mean_rtt_ms", "panels": "buffer"}, {"buffer 12.5 kB", "buffer 25 kB"}),
        ("line", {"metric": "mean_rtt_ms", "panels": "against"}, {"against cubic", "against reno"}),
        ("line", {"metric": "mean_rtt_ms", "lines": "against"}, set()),
        ("cwnd", {"panels": "buffer", "against": "cubic"}, {"buffer 12.5 kB", "buffer 25 kB"}),
    ],
)
def test_each_panel_is_titled(pairs, kind, options, panels):
    drawn = texts(pairs, kind, **options)
    assert {text for text in drawn if text.startswith(("buffer ", "against "))} == panels


def test_goodput_above_the_capacity_of_its_direction_is_explained(tmp_path, monkeypatch):
    network = {"rate": "2mbit", "rtt": "20ms", "buffer": "100bdp"}
    settings = {"duration": "1s", "network": network, "flows": [{"algorithm": "reno"}]}
    results = fairlane.run(settings, tmp_path / "results", jobs=1, progress=False)
    assert not any(EXPLANATION in texts(results, kind) for kind in ("goodput", "overview"))
    asked = []
    monkeypatch.setattr("fairlane.show.plots.over_time.capacity", lambda *of: asked.append(of[-1]) or [[0.0, 0.5]])
    assert all(EXPLANATION in texts(results, kind) for kind in ("goodput", "overview"))
    assert set(asked) == {"bottleneck"}


def test_a_page_is_wider_than_a_column(pairs):
    def width(**options):
        return float(re.search(r'<svg [^>]*width="([\d.]+)pt"', pairs.plot("line", **options).svg)[1])

    assert width(metric="mean_rtt_ms", width="page") > 1.5 * width(metric="mean_rtt_ms")


@pytest.mark.parametrize(
    ("metric", "label"),
    [
        ("jain_index", "Jain's index"),
        ("bottleneck_utilisation_pct", "utilisation of the bottleneck, %"),
        ("mean_queue_kb", "mean queue, kB"),
        ("convergence_time_3s_s", "convergence time (W = 3 s), s"),
    ],
)
@pytest.mark.parametrize("kind", ["line", "box", "cdf", "heatmap"])
def test_metrics_of_runs_links_and_flows_have_a_labelled_axis(pairs, kind, metric, label):
    drawn = texts(pairs, kind, metric=metric)
    assert label in drawn
    assert any(text.startswith("reno") for text in drawn)


def test_a_line_is_of_one_point_and_one_algorithm(pairs):
    """One flat line would be the mean of Reno's and CUBIC's total."""
    words = texts(pairs, "line", metric="total_goodput_mbps", x="buffer")
    assert {"reno", "cubic"} <= set(words)
    assert not any("averaged" in word for word in words)
    both = texts(pairs, "line", metric="goodput_mbps", x="buffer")
    assert {"first, cubic", "first, reno", "second, reno"} <= set(both) or {"cubic, reno", "reno, reno"} <= set(both)


@pytest.mark.parametrize(
    ("kind", "options", "said"),
    [
        ("line", {"metric": "jain_index", "x": "buffer", "lines": "buffer"}, "averaged over against"),
        ("jain", {"lines": "buffer"}, "averaged over against"),
        ("cdf", {"metric": "goodput_mbps", "lines": "buffer"}, "pooled over against"),
        ("shares", {}, "averaged over buffer"),
        ("heatmap", {"metric": "goodput_mbps"}, "averaged over the flows of each run"),
    ],
)
def test_the_title_names_averaged_axes(pairs, kind, options, said):
    assert said in texts(pairs, kind, **options)


def test_a_share_matrix_names_the_time_in_common():
    late = fairlane.duel("cubic", "reno", rate="10mbit", duration="2s", start=["0s", "500ms"])
    words = " ".join(texts(late, "shares"))
    assert "from 0.5 s to 2 s" in words


def test_type_is_legible_in_a_column():
    assert min(size for name, size in PAPER.items() if name.endswith("size") and name != "lines.markersize") >= 7


def test_lines_differ_in_more_than_colour():
    styles = [style_of(place) for place in range(8)]
    assert len({one.colour for one in styles}) == 8
    assert len({one.marker for one in styles}) == 8
    assert all(styles[place].dashes != styles[place + 1].dashes for place in range(7))
    assert len({(one.colour, one.dashes) for one in map(style_of, range(24))}) == 24


def test_flows_are_labelled_by_their_swept_algorithm(pairs):
    """The flow named `first` is Reno here and CUBIC there: a legend that says `first` says nothing."""
    (reno, *_), (cubic, *_) = (list(runs(pairs, {"against": name})) for name in ("reno", "cubic"))
    assert labels_of(reno.flows, pairs) == ["reno", "cubic"]
    assert labels_of(cubic.flows, pairs) == ["cubic (first)", "cubic (second)"]


def test_axes_and_values_are_those_of_a_paper(pairs):
    buffer = pairs.axis("buffer")
    assert label_of(buffer) == "buffer, kB"
    assert shown(12.5, "buffer_kb", pairs) == "12.5 kB"
    assert shown(12.5, "buffer_kb", pairs, unit=False) == "12.5"
    assert shown("reno", "against", pairs) == "reno"


def test_ink_is_legible_on_every_colour():
    assert [ink_on(colour) for colour in ((1, 1, 1), (0, 0, 0), (0.9, 0.5, 0.1), (0.4, 0.3, 0.6))] == [
        ON_LIGHT, ON_DARK, ON_LIGHT, ON_DARK,
    ]  # fmt: skip


def test_a_long_legend_takes_no_room_from_the_axes(tmp_path):
    heights = []
    for count in (2, 16):
        with canvas(tmp_path / "picture.png", COLUMN_INCHES, 2.2, None) as made:
            axis = made.subplots()
            lines = [axis.plot([0, 1], label=f"algorithm {number}")[0] for number in range(count)]
            legend(made, lines, Options())
        heights.append(axis.get_position().height * made.get_figheight())
    assert heights[1] == pytest.approx(heights[0], rel=0.1)
