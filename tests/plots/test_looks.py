"""One look for each algorithm, whatever else a plot shows."""

from fairlane.engine import algorithms
from fairlane.plots.looks import ALGORITHMS, look, places


def test_every_shipped_algorithm_has_a_look_of_its_own():
    assert sorted(ALGORITHMS) == sorted(one["name"] for one in algorithms())
    assert len({(one.colour, one.dash, one.marker) for one in map(look, places(ALGORITHMS))}) == len(ALGORITHMS)


def test_an_algorithm_looks_the_same_in_any_company():
    alone = {name: places([name])[0] for name in ALGORITHMS}
    assert places(["bbr", "cubic", "vegas"]) == [alone["bbr"], alone["cubic"], alone["vegas"]]
    assert places(list(reversed(ALGORITHMS))) == [alone[name] for name in reversed(ALGORITHMS)]
    assert places(["mine", "bbr"])[1] == alone["bbr"]


def test_no_two_lines_of_a_plot_look_alike():
    for lines in (["cubic"] * 8, ["cubic", "westwood", "cubic"], ["mine", "yours", "cubic", "bbr", "bbr"], [None] * 8):
        assert len(set(places(lines))) == len(lines)
