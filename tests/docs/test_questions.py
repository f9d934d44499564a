"""Engineers find their question by its words: in the menu, and in the text that the search of the site reads."""

import pytest

from .conftest import PAGES, ROOT

MENU = (ROOT / "mkdocs.yml").read_text()


@pytest.mark.parametrize(
    ("page", "words", "command"),
    [
        (
            "guides/slow-when-uploading.md",
            ("bufferbloat", "upload", "gaming", "video call"),
            "fairlane advise --rate 300mbit --up-rate 30mbit --rtt 20ms --buffer 250ms --want latency --beside call",
        ),
        ("guides/satellite.md", ("satellite", "loss", "bbr", "600 ms"), "fairlane advise --link geo --loss 1%"),
        ("guides/duel.md", ("is bbr safe beside cubic?", "harm"), "--baseline"),
    ],
)
def test_a_question_has_a_page_with_one_command(page, words, command):
    text = PAGES[f"docs/{page}"]
    assert all(word in text.lower() for word in words)
    assert command in text
    assert page in MENU
