"""Plots in the terminal."""

from fairlane.show.text.terminal_plot import COLOURS, strips


def test_a_strip_is_as_high_as_its_value():
    times_s = [0.5, 1.5, 2.5, 3.5]
    plot = strips([("x", times_s, [0, 5, 10, 10])], title="t", most=10, end_s=4, width=23)
    *bars, axis = plot.splitlines()[1:]
    assert len(bars) == 6
    assert bars[0].rstrip().endswith("█" * 10), "the full value fills the top row in the second half"
    assert "█" not in bars[-1][:6], "nothing where the value is 0"
    assert axis.split() == ["0", "s", "2", "s", "4", "s"]


def test_nothing_before_the_first_sample():
    plot = strips([("late", [9.5], [10])], title="t", most=10, end_s=10, width=26)
    assert plot.splitlines()[-2] == "late" + " " * 2 + " " * 18 + "█"


def test_plain_characters_for_plain_terminals():
    plot = strips([("x", [1, 2], [5, 10])], title="t", most=10, end_s=2, width=40, blocks=False)
    assert plot.isascii()


def test_colour_only_when_asked_for():
    arguments = {"title": "t", "most": 10, "end_s": 1, "width": 40}
    assert f"\x1b[{COLOURS[1]}m" in strips([("x", [1], [5])], colours=[17], **arguments)
    assert "\x1b[" not in strips([("x", [1], [5])], **arguments)


def test_the_scale_is_a_round_part_of_the_most():
    plot = strips([("x", [1], [17])], title="t", most=100, end_s=1, width=40, show="{:g} Mbps".format)
    assert "0 to 20 Mbps" in plot.splitlines()[0]
