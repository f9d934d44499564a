"""Explains why the kernel rejected a program: where, why, what to do, and its own last lines.

The verifier checks every path through a program and notes the source line of each step; the last line before the error
message is where the error is.
"""

import re
from dataclasses import dataclass

from fairlane.engine import kernel_members

LAST_LINES = 8

_OLD_ARGUMENTS = (
    "reads an argument that this kernel does not pass; cong_control has four since Linux 6.10, write it with the macro"
    " CONG_CONTROL(name, sk, sample)"
)

_REMEDIES = (
    (
        r"infinite loop detected|back-edge from insn|loop detected",
        "a loop that the verifier cannot prove bounded; write for (i = 0; i < 64; i++), with a break inside",
    ),
    (
        r"program is too large|too many states|sequence of \d+ jumps is too complex|too complex",
        "more paths than the verifier checks; shorten loops, or reduce the branches inside them",
    ),
    (
        r"_or_null'|expected=.*_or_null|R\d+ pointer .*_or_null",
        "a pointer that may be NULL; compare it with NULL before it is used",
    ),
    (
        r"no write support|only read is supported|write access|cannot write into",
        "writes what a congestion control may not write; it may write "
        + ", ".join(member["path"] for member in kernel_members() if member["writable"]),
    ),
    (
        r"func '\w*cong_control'|invalid bpf_context access",
        _OLD_ARGUMENTS,
    ),
    (
        r"unknown func|program of this type cannot use helper|calling kernel function \S+ is not allowed",
        "calls a function that this kernel does not offer to congestion controls; algorithms/README.md lists the"
        " available ones",
    ),
    (r"GPL", 'has no licence that the kernel accepts; write char _license[] SEC("license") = "Dual MIT/GPL"'),
    (r"stack|off=-5[12]\d", "more than 512 bytes of local variables; keep state in inet_csk_ca(sk) or in a map"),
    (
        r"unbounded memory access|min value is negative|outside of the allowed memory range|invalid access to",
        "an index that may leave its array; compare it with the array's size first",
    ),
    (
        r"invalid mem access|access beyond struct|access beyond the end|pointer arithmetic|R\d+ type=",
        "follows a pointer that the verifier does not know; take only tcp_sk(sk), inet_csk_ca(sk) and the callback's"
        " arguments",
    ),
    (r"!read_ok", "uses a variable that has no value on some path; give it one where it is declared"),
)


@dataclass(frozen=True)
class Refusal:
    """The kernel's verdict on a program."""

    function: str
    """The callback that it rejects; empty if it is none."""
    location: str
    """`file:line`, or empty."""
    reason: str
    """The verifier's own words."""
    remedy: str
    last_lines: tuple[str, ...]
    """The end of its log."""

    def __str__(self) -> str:
        where = f"{self.location}: " if self.location else ""
        who = f" in {self.function}()" if self.function else ""
        first = f"{where}the kernel rejects this{who}: {self.remedy or self.reason}"
        shown = "".join(f"\n    {line}" for line in self.last_lines)
        return f"{first}\n  the verifier's last lines:{shown}" if shown else first


def explain(lines: list[str], source: str, path: str) -> Refusal | None:
    """Explains libbpf's `lines` about a program made of `source`; None if the verifier did not run."""
    begin = next((i for i, line in enumerate(lines) if "BEGIN PROG LOAD LOG" in line), None)
    if begin is None:
        return None
    end = next((i for i, line in enumerate(lines) if "END PROG LOAD LOG" in line), len(lines))
    log = [
        line for line in lines[begin + 1 : end] if line.strip() and not line.startswith(("processed ", "verification"))
    ]
    named = re.search(r"prog '([^']+)'", lines[begin])
    reason = next((line for line in reversed(log) if _is_complaint(line)), log[-1] if log else "")
    remedy = next((remedy for pattern, remedy in _REMEDIES if re.search(pattern, reason)), "")
    function = named[1] if named else ""
    if "invalid mem access" in reason and _has_old_arguments(source, function):
        remedy = _OLD_ARGUMENTS
    return Refusal(
        function=function,
        location=_location(log, source, path),
        reason=reason.strip(),
        remedy=remedy,
        last_lines=tuple(line.rstrip() for line in log[-LAST_LINES:]),
    )


def _is_complaint(line: str) -> bool:
    """Is it neither a step (`12: (61) r2 = ...`), nor a source line, nor a state?"""
    return not re.match(
        r"\d+: |; |cur state|old state|from \d+ to|last_idx|regs=|parent|mark_precise|R\d+=|R\d+_w=|func ", line
    )


def _has_old_arguments(source: str, function: str) -> bool:
    """Is it a cong_control() of (sk, sample)?"""
    return bool(re.search(rf"BPF_PROG\(\s*{re.escape(function)}\s*,[^,]*,\s*(?:const\s+)?struct\s+rate_sample", source))


def _location(log: list[str], source: str, path: str) -> str:
    for line in reversed(log):
        if not line.startswith(";"):
            continue
        if match := re.search(r"@ \S*?:(\d+)$", line):
            return f"{path}:{match[1]}"
        # Kernels before 6.9 note the text alone.
        text = line[1:].strip()
        numbers = [number for number, there in enumerate(source.splitlines(), 1) if there.strip() == text]
        return f"{path}:{numbers[0]}" if len(numbers) == 1 else path
    return path
