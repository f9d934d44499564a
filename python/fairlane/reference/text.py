"""Plain text as Markdown."""

import re


def cell(text: str) -> str:
    """Text for a cell of a table: one line, nothing in it that ends the cell or begins a tag."""
    return prose(" ".join(text.split())).replace("|", "\\|")


def prose(text: str) -> str:
    """Text of people, in which a star or a lower-than sign means itself; what stands in backticks stays as it is."""
    parts = re.split(r"(`[^`]*`)", text)
    return "".join(part if part.startswith("`") else re.sub(r"([*_<])", r"\\\1", part) for part in parts)
