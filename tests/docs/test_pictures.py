"""Every picture of the documentation is drawn by the command above it.

Pictures are compared in blocks of 8 by 8 pixels, so that another version of a font or of the drawing library changes
nothing, and another curve does.
"""

import re

import numpy as np
import pytest
from PIL import Image

from .conftest import PAGES, ROOT, tool

pictures = tool("site/pictures.py")
BLOCK = 8
MOST_GREY = 40
"""A block differs if its mean grey differs by more; of 255."""
MOST_BLOCKS = 0.002
"""Share of the blocks that may differ."""
OTHERWISE = {
    "fidelity-windows.png": "drawn by `make fidelity`, from the runs of its table",
}
"""Pictures that no command of a page draws."""


def blocks(path):
    with Image.open(path) as picture:
        grey = picture.convert("L")
        small = grey.resize((grey.width // BLOCK, grey.height // BLOCK), Image.Resampling.BOX)
        return np.asarray(small, dtype=float)


def difference(first, second):
    """The share of blocks that differ; 1 for pictures of different sizes."""
    one, other = blocks(first), blocks(second)
    return float(np.mean(np.abs(one - other) > MOST_GREY)) if one.shape == other.shape else 1.0


@pytest.mark.timeout(600)  # a limit for a machine that is busy
@pytest.mark.parametrize("name", pictures.PICTURES)
def test_the_command_draws_it(name, tmp_path):
    drawn = tmp_path / name
    pictures.draw(name, drawn)
    share = difference(ROOT / "docs/images" / name, drawn)
    assert share <= MOST_BLOCKS, f"{name} is out of date ({100 * share:.2f} % of it); draw it with `make images`"


def test_every_picture_of_a_page_is_checked():
    shown = {name for text in PAGES.values() for name in re.findall(r"images/([\w-]+\.png)\)", text)}
    assert shown == set(pictures.PICTURES) | set(OTHERWISE)
    for name, (page, _) in pictures.PICTURES.items():
        assert f"images/{name}" in PAGES[page], f"{page} does not show {name}"


def test_another_curve_is_another_picture(tmp_path, cli, monkeypatch):
    monkeypatch.chdir(tmp_path)
    duel = ["duel", "cubic", "--rate", "5mbit", "--time", "2s", "--plot"]
    assert cli(*duel, "one.png").status == cli(*duel, "two.png", "--rtt", "22ms").status == 0
    assert difference("one.png", "one.png") == 0
    assert difference("one.png", "two.png") > 2 * MOST_BLOCKS
