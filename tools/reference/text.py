"""Plain text as Markdown."""

import re


def cell(text: str) -> str:
    """Text for a cell of a table: one line, without characters that end the cell or start a tag."""
    return prose(" ".join(text.split())).replace("|", "\\|")


def prose(text: str) -> str:
    """Plain text with stars and less-than signs escaped; text in backticks is unchanged."""
    parts = re.split(r"(`[^`]*`)", text)
    return "".join(part if part.startswith("`") else re.sub(r"([*_<])", r"\\\1", part) for part in parts)
