"""Steps of a page, in order: files to write, commands to type, Python to run.

A page is Markdown. A block of toml, python, c or pkt whose first line is a comment with a file name is that file. Lines
of `sh` blocks are commands, and so are lines of indented blocks that begin like one. Other Python blocks are run. A
block of text right below a block of commands is the output of the last one; `...` stands for omitted lines.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

_FENCE = re.compile(r"^(?P<mark>`{3,})(?P<language>\w*)\n(?P<text>.*?)^(?P=mark)$", re.DOTALL | re.MULTILINE)
_FILE = re.compile(r"^(?:#|//) (\S+\.\w+)\n")
_INDENTED = re.compile(r"^    (?:sudo )?(?:fairlane|make|cargo) .*$", re.MULTILINE)
_INLINE = re.compile(r"(?<!`)`(fairlane [^`]+)`")


@dataclass(frozen=True)
class Step:
    """One thing to do."""

    kind: Literal["file", "command", "python", "shown"]
    text: str
    name: str = ""
    """Of a file."""


def steps(page: str) -> Iterator[Step]:
    """The steps of a page."""
    at, before = 0, ""
    for block in _FENCE.finditer(page):
        between = page[at : block.start()]
        yield from _indented(between)
        at = block.end()
        language, text = block["language"], block["text"]
        named = _FILE.match(text)
        if language in ("toml", "python", "c", "pkt") and named:
            yield Step("file", text, named[1])
        elif language == "python":
            yield Step("python", text)
        elif language == "sh":
            yield from _commands(text)
        elif language == "text" and before == "sh" and not between.strip():
            yield Step("shown", text)
        before = language
    yield from _indented(page[at:])


def is_shown(text: str, printed: str) -> bool:
    """Whether the output contains the lines that a page shows; `...` stands for omitted lines."""
    parts = [part.strip("\n") for part in re.split(r"^\.\.\.\n", text, flags=re.MULTILINE)]
    lines = "\n".join(line.rstrip() for line in printed.splitlines())
    at = 0
    for part in parts:
        found = lines.find(part, at)
        if found < 0:
            return False
        at = found + len(part)
    return True


def inline_commands(page: str) -> list[str]:
    """Commands that a sentence mentions: `fairlane table --list`."""
    return _INLINE.findall(_FENCE.sub("", page))


def _indented(prose: str) -> Iterator[Step]:
    for line in _INDENTED.findall(prose):
        yield from _commands(line.strip())


def _commands(text: str) -> Iterator[Step]:
    for line in text.replace("\\\n", " ").splitlines():
        command = re.sub(r"\s+# .*$", "", line).strip()
        if command and not command.startswith("#"):
            yield Step("command", command)
