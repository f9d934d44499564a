"""Pairs of many algorithms are drawn as a heat map, few as lines."""

from fairlane.show.comparison import heat_maps
from fairlane.study.paper.comparison import Cell, Comparison, Row
from fairlane.study.paper.definition import Item, Value
from PIL import Image


def comparison(words, value=0.5, heading="Jain"):
    item = Item(
        name="pairs", source="Table 1", title="pairs", experiments=["x"], by=["a", "b"], across="b",
        values=[Value(metric="jain_index", heading=heading)],
    )  # fmt: skip
    rows = [Row("x", (a, b), (Cell(value, None, None if a == b else 0.9),), 1) for a in words for b in words]
    return Comparison(item, tuple(rows), {})


def test_only_a_large_table_of_one_value_fits(tmp_path):
    assert not heat_maps.fits(comparison("abc"))
    large = comparison("abcdefgh")
    assert heat_maps.fits(large)
    heat_maps.draw(tmp_path / "pairs.png", large)
    with Image.open(tmp_path / "pairs.png") as picture:
        assert min(picture.size) > 300


def test_large_values_and_broken_headings_are_written_out(tmp_path):
    heat_maps.draw(tmp_path / "pairs.svg", comparison("abcdefgh", 7980.4, "retrans-\nmits/s"))
    drawn = (tmp_path / "pairs.svg").read_text(encoding="utf-8")
    assert "<!-- 7980 -->" in drawn
    assert "<!-- retransmits/s -->" in drawn
