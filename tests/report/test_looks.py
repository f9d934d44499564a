"""The looks of a report in a browser: nothing is cut off, and text is legible on every colour."""

import re
from dataclasses import replace

import pytest
from fairlane.show.report.drawings import drawn
from fairlane.show.report.page import page
from fairlane.study.paper.comparison import Cell, Row
from fairlane.study.paper.definition import Item

LEAST_CONTRAST = 4.5
"""WCAG 2.2, 1.4.3: of text with its background."""
CONTRASTS = """() => {
    const parts = (text) => text.match(/[\\d.]+/g).map(Number);
    const light = ([r, g, b]) => [r, g, b].map((v) => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
        .reduce((sum, v, at) => sum + v * [0.2126, 0.7152, 0.0722][at], 0);
    const found = {};
    for (const cell of document.querySelectorAll(".pairs td, .swatches span")) {
        const ground = parts(getComputedStyle(cell).backgroundColor);
        if (ground[3] === 0) continue;
        for (const one of [cell, ...cell.querySelectorAll("*")]) {
            const [a, b] = [light(ground), light(parts(getComputedStyle(one).color))];
            const name = `${cell.className} ${one.tagName}`;
            found[name] = Math.min(found[name] ?? 99, (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05));
        }
    }
    return found;
}"""


@pytest.fixture(scope="module")
def matrix(parts, studied, tmp_path_factory):
    """A report with the Jain's index of thirteen algorithms against each other, with all shades."""
    item = Item.model_validate(
        {
            "name": "table-6",
            "source": "Table VI",
            "title": "every pair",
            "experiments": ["small"],
            "by": ["algorithm_a", "algorithm_b"],
            "across": "algorithm_b",
            "values": [{"metric": "jain_index", "heading": "Jain", "published": "jain"}],
        }
    )
    factors = (0.3, 0.6, 0.85, 1.0, 1.15, 1.5, 3.0)
    rows = tuple(
        Row("small", (one, other), (Cell(0.5, None, round(0.5 * factors[(i + j) % len(factors)], 3)),), 10)
        for i, one in enumerate(studied)
        for j, other in enumerate(studied)
    )
    (part,) = parts
    comparison = replace(part.comparisons[0], item=item, rows=rows)
    path = tmp_path_factory.mktemp("matrix") / "report.html"
    path.write_text(page([replace(part, comparisons=[comparison])], ""), encoding="utf-8")
    return path


def test_a_matrix_of_thirteen_algorithms_fits_the_page(read, matrix):
    tab = read("small2020.table-6", matrix, viewport={"width": 1280, "height": 900})
    (width, room) = tab.evaluate("() => { const one = document.querySelector('.pairs').parentElement;"
                                 " return [one.scrollWidth, one.clientWidth]; }")  # fmt: skip
    assert width <= room


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_numbers_are_legible_on_every_shade(read, matrix, scheme):
    found = read("small2020.table-6", matrix, color_scheme=scheme).evaluate(CONTRASTS)
    assert {name.split()[0] for name in found} >= {"h1", "h2", "h3", "l1", "l2", "l3"}
    assert {name: contrast for name, contrast in found.items() if contrast < LEAST_CONTRAST} == {}


def test_numbers_in_a_drawn_matrix_are_legible_on_both_ends_of_the_scale(matrix):
    text = matrix.read_text()
    assert 'fill="#fefefe"' in text
    assert 'fill="#010101"' in text


def test_names_below_many_bars_have_room(parts, studied):
    value = {"metric": "goodput_mbps", "heading": "goodput", "published": "goodput"}
    item = Item.model_validate(
        {"name": "t", "source": "Table", "title": "t", "experiments": ["small"], "by": ["a"], "values": [value] * 7}
    )
    rows = tuple(Row("small", (name,), (Cell(5.0, None, 5.0),) * 7, 10) for name in studied)
    svg = drawn(replace(parts[0].comparisons[0], item=item, rows=rows), "bars")
    wide = float(re.search(r'<svg[^>]*\bwidth="([\d.]+)', svg)[1])
    sizes = [float(size) for size in re.findall(r'font-size="([\d.]+)', svg)]
    assert wide / 4 > 13 * 0.15 * 96, "four panels side by side, a name each 0.15 inches"
    assert min(sizes) >= 7.5
