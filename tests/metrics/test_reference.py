"""The reference of the metrics is up to date."""

from pathlib import Path

from tools.reference.metrics import markdown

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "metrics.md"


def test_the_page_is_up_to_date():
    assert PAGE.read_text() == markdown(), "write it again: python -m tools.reference"
