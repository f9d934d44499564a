"""Checks the formats of `bpf_printk`: compilers do not, and the kernel prints nothing for one that it does not know."""

import re
from pathlib import Path

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
