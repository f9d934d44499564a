"""Searches C text: for lines that may have caused a fault, formats that `bpf_printk` does not print, and requests."""

import re
from functools import cache
from pathlib import Path

from fairlane import engine


def _written(member: str) -> str:
    return rf"{member}\s*(?:(?:[-+*/%&|^]|<<|>>)?=(?!=)|\+\+|--)|(?:\+\+|--)[^;,]*{member}\b"


_SUSPECTS = {
    "set cwnd to": re.compile(rf"{_written('snd_cwnd')}|tcp_snd_cwnd_set\s*\("),
    "set ssthresh to": re.compile(_written("snd_ssthresh")),
    "set the pacing rate to": re.compile(_written("sk_pacing_rate")),
    "returned": re.compile(r"\breturn\b"),
    "divided by zero": re.compile(r"[/%]=?\s*(?![\s\d=])"),
}
"""By a phrase of the fault: the statements that may cause it. A division by a number does not."""
_REQUESTS = {
    "ecn": re.compile(r"\.flags\s*=[^,;}]*\bTCP_CONG_NEEDS_\w*ECN\b"),
    "pacing": re.compile(r"->sk_pacing_status\s*=\s*SK_PACING_NEEDED\b"),
    "rate": re.compile(r"->sk_pacing_rate\s*=(?!=)"),
}
_INCLUDE = re.compile(r'^\s*#\s*include\s*"(?:[^"]*/)?([^"/]+)"', re.MULTILINE)
_MOST = 4
_CALLBACK = re.compile(r" in callback (\w+)")
_NO_CODE = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:[^"\\\n]|\\.)*"', re.DOTALL)


@cache
def requests(source: str) -> frozenset[str]:
    """The requests of a C program, by its text and our headers: `ecn`, `pacing`, and a pacing `rate` of its own.

    >>> texts = (engine.describe(name)["source"] for name in ("prague", "lola", "bbr", "cubic"))
    >>> [sorted(requests(text)) for text in texts]
    [['ecn', 'pacing', 'rate'], ['pacing'], ['pacing', 'rate'], []]
    """
    headers = engine.interface()
    texts, waiting, seen = [source], _INCLUDE.findall(source), set()
    while waiting:
        name = waiting.pop()
        if name not in seen:
            seen.add(name)
            texts += (found := [text for path, text in headers.items() if path.rpartition("/")[2] == name])
            waiting += [inner for text in found for inner in _INCLUDE.findall(text)]
    code = _NO_CODE.sub("", "\n".join(texts))
    return frozenset(name for name, pattern in _REQUESTS.items() if pattern.search(code))


def with_lines(fault: str, path: Path) -> str:
    """The message of a fault, with the lines in the C file `path` that may have caused it.

    The line comes first if it is the only one. A file that cannot be read adds nothing.
    """
    try:
        lines = _lines(fault, path.read_text(encoding="utf-8", errors="replace"))
    except OSError:
        return fault
    if not lines or len(lines) > _MOST:
        return fault
    if len(lines) == 1:
        return f"{path}:{lines[0]}: {fault}"
    *others, last = lines
    return f"{fault}; look at lines {', '.join(map(str, others))} and {last} of {path}"


def _lines(fault: str, text: str) -> list[int]:
    called = _CALLBACK.search(fault)
    suspects = next((pattern for phrase, pattern in _SUSPECTS.items() if phrase in fault), None)
    if called is None or suspects is None:
        return []
    code = _NO_CODE.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)
    start, end = _body(code, called[1])
    within = [match.start() for match in suspects.finditer(code, start, end)]
    # A helper may have done it.
    found = within or [match.start() for match in suspects.finditer(code)]
    return sorted({code.count("\n", 0, at) + 1 for at in found})


def _body(code: str, callback: str) -> tuple[int, int]:
    """Start and end of the function that the table names for the callback; the whole text if it is not found."""
    named = re.search(rf"\.{callback}\s*=\s*(?:\([^)]*\)\s*)?(\w+)", code)
    opened = re.search(rf"\b{named[1]}\b[^;{{}}]*\{{", code) if named else None
    if opened is None:
        return 0, len(code)
    depth = 0
    for brace in re.finditer(r"[{}]", code[opened.end() - 1 :]):
        depth += 1 if brace[0] == "{" else -1
        if depth == 0:
            return opened.end(), opened.end() + brace.start()
    return opened.end(), len(code)


_CALL = re.compile(r'\bbpf_(?:trace_)?printk\s*\(\s*((?:"(?:[^"\\\n]|\\.)*"\s*)+)')
_CONVERSION = re.compile(r"%([-+ #0]*)([\d.*]*)([hljzt]*)(.?)")
_KNOWN = re.compile(r"%(?:%|0?\d*l{0,2}[diuxXpcs])")
"""Those of `bpf_trace_printk`, which the simulator prints alike."""


def unprintable(text: str, path: Path) -> list[str]:
    """A line for each conversion of a C text that is not printed, with its place; strings of macros are not read."""
    found = []
    for call in _CALL.finditer(text):
        for conversion in _CONVERSION.finditer(call[1]):
            if not _KNOWN.match(conversion[0]):
                line = text.count("\n", 0, call.start(1) + conversion.start()) + 1
                found.append(f"{path}:{line}: bpf_printk does not print '{conversion[0]}'; {_remedy(conversion[4])}")
    return found


def _remedy(conversion: str) -> str:
    if conversion and conversion in "fFeEgGaA":
        return "the kernel has no floating point: print a share in 1/1024 with %u"
    return "use %d, %u, %x, %p, %c or %s, with l or ll, a width and leading zeros"
