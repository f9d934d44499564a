"""Finds loops without an end in C text, for machines that have no verifier at hand.

Only the certain cases: `for (;;)`, `while (1)`, `do ... while (true)` and their like, whose body has no way out. The
simulator finds the others when they happen, and the verifier before.
"""

import re

_HEAD = re.compile(r"\b(?:for\s*\(\s*;\s*;[^()]*\)|while\s*\(\s*(?:1|true)\s*\))")
_DO = re.compile(r"\bdo\s*\{")
_DO_END = re.compile(r"\s*while\s*\(\s*(?:1|true)\s*\)")
_WAY_OUT = re.compile(r"\b(?:break|return|goto)\b")
_COMMENT_OR_LITERAL = re.compile(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'", re.DOTALL)


def endless_loop(source: str) -> int | None:
    """The line of the first loop that cannot end.

    >>> endless_loop("void f(void)\\n{\\n\\tfor (;;)\\n\\t\\tx++;\\n}")
    3
    >>> endless_loop("while (1) { if (x) break; }") is None
    True
    """
    text = _COMMENT_OR_LITERAL.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), source)
    starts = []
    for head in _HEAD.finditer(text):
        body = _body(text, head.end())
        if not _WAY_OUT.search(body):
            starts.append(head.start())
    for do in _DO.finditer(text):
        body = _body(text, do.end() - 1)
        if _DO_END.match(text, do.end() - 1 + len(body)) and not _WAY_OUT.search(body):
            starts.append(do.start())
    return text.count("\n", 0, min(starts)) + 1 if starts else None


def _body(text: str, start: int) -> str:
    """The block or the statement that begins at `start`."""
    start += len(text[start:]) - len(text[start:].lstrip())
    if text[start : start + 1] != "{":
        return text[start : text.find(";", start) + 1]
    depth = 0
    for at in range(start, len(text)):
        depth += {"{": 1, "}": -1}.get(text[at], 0)
        if depth == 0:
            return text[start : at + 1]
    return text[start:]
