"""One style for each algorithm, whatever else a plot shows."""

from fairlane.engine import algorithms
from fairlane.show.plots.figure import WIDEST_INCHES, entitle, figure, styled
from fairlane.show.plots.styles import ALGORITHMS, places, style_of


def test_every_shipped_algorithm_has_a_look_of_its_own():
    assert sorted(ALGORITHMS) == sorted(one["name"] for one in algorithms())
    assert len({(one.colour, one.dash, one.marker) for one in map(style_of, places(ALGORITHMS))}) == len(ALGORITHMS)


def test_an_algorithm_looks_the_same_in_any_company():
    alone = {name: places([name])[0] for name in ALGORITHMS}
    assert places(["bbr", "cubic", "vegas"]) == [alone["bbr"], alone["cubic"], alone["vegas"]]
    assert places(list(reversed(ALGORITHMS))) == [alone[name] for name in reversed(ALGORITHMS)]
    assert places(["mine", "bbr"])[1] == alone["bbr"]


def test_no_two_lines_of_a_plot_look_alike():
    for lines in (["cubic"] * 8, ["cubic", "westwood", "cubic"], ["mine", "yours", "cubic", "bbr", "bbr"], [None] * 8):
        assert len(set(places(lines))) == len(lines)


def test_a_paper_has_its_own_style(tmp_path):
    """Times-like type, nothing wider than a page, and a caption instead of a title."""
    with styled("paper"), figure(tmp_path / "wide.pdf", 14.0, 5.0) as made:
        entitle(made, "in the caption")
        axis = made.subplots()
        assert (axis.spines["top"].get_visible(), axis.xaxis.get_major_ticks()[0].get_tickdir()) == (True, "in")
        assert made.get_figwidth() == WIDEST_INCHES
        assert made.get_suptitle() == ""
    with figure(tmp_path / "wide.pdf", 14.0, 5.0) as made:
        entitle(made, "a title")
        assert (made.get_figwidth(), made.get_suptitle()) == (14.0, "a title")
