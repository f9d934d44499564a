"""Text on its way to the terminal: the only place that prints.

Names, titles and error messages may come from other people's files. A control character in them could move the cursor,
set the window title or overwrite earlier output, so each is printed as its code: `\\x1b`.
"""

import os
import re
import shutil
import sys

import click

from fairlane.files import shortened

_CONTROLS = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f"  # C0 and C1, but tab and line end
    "\u200e\u200f\u2028-\u202e\u2066-\u2069"  # line ends and changes of direction
    "\ud800-\udfff]"  # bytes of a file name that are not text
    "|\r(?!\n)"
)
_COLOURS = re.compile("(\x1b\\[(?:38;5;\\d{1,3}|0)m)")
"""The colours of `terminal_plot`."""


def printable(text: str) -> str:
    r"""Text of one or several lines in which control characters are codes.

    >>> print(printable("red: \x1b[31m"))
    red: \x1b[31m
    """
    return _CONTROLS.sub(_code, text)


def in_one_line(text: str) -> str:
    r"""The same with line ends and tabs as codes.

    >>> print(in_one_line("two\nlines"))
    two\nlines
    """
    return printable(text.replace("\r", "\\r").replace("\n", "\\n").replace("\t", "\\t"))


def echo(message: object = "", *, nl: bool = True, err: bool = False, coloured: bool = False) -> None:
    """Prints a message; `coloured` keeps the colours of `terminal_plot`. Lines of standard error are shortened."""
    text = str(message)
    if err:
        text = "\n".join(map(shortened, text.split("\n")))
    parts = _COLOURS.split(text) if coloured else [text]
    shown = "".join(part if number % 2 else printable(part) for number, part in enumerate(parts))
    click.echo(shown, nl=nl, err=err, color=True if coloured else None)


def print_live(line: str) -> None:
    """Prints a line of standard error that the next one replaces."""
    click.echo(f"\r\x1b[2K{printable(line)}", nl=False, err=True)


def echo_exactly(text: str) -> None:
    """Prints the contents of a file: as they are into a file or pipe, with codes on a terminal."""
    click.echo(printable(text) if sys.stdout.isatty() else text, nl=False)


def width(most: int = 100) -> int:
    """Columns for text: those of the terminal, at most `most`."""
    return min(most, shutil.get_terminal_size().columns)


def shows_colour() -> bool:
    """Whether standard output is a terminal with colours (https://no-color.org)."""
    return sys.stdout.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"


def can_print(character: str) -> bool:
    """Whether the encoding of standard output has this character."""
    try:
        character.encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        return False
    return True


def print_what_cannot_be_encoded() -> None:
    """Prints characters that the terminal's encoding lacks as codes, too."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def _code(found: re.Match[str]) -> str:
    number = ord(found[0])
    return f"\\x{number:02x}" if number < 0x100 else f"\\u{number:04x}"
