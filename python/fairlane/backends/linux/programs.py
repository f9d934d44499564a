"""Congestion controls that a kernel does not have, as BPF objects that its plan loads."""

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from fairlane.backends.linux.limits import is_built_in
from fairlane.kernel import callbacks, compiler, loading
from fairlane.kernel.program import KernelProgram


@dataclass(frozen=True)
class Target:
    """The kernel that programs are for, and how its plan loads them."""

    release: str
    version: tuple[int, int]
    hz: int
    btf: Path
    """Its description of its types."""
    command: str = "execute - struct_ops"
    """What begins a line of the plan that loads a program."""
    ending: str = ""
    """What ends it."""
    folder: str = "/tmp"
    """Where objects lie while they are loaded."""
    prefix: str = "fl_"
    """Before the names in the kernel, which all namespaces share."""


def algorithms(scenario: Mapping[str, Any], own: Collection[str], target: Target) -> tuple[dict[int, str], bytes]:
    """The name in the kernel of each flow's congestion control, and the lines of the plan that load programs.

    `own` are the congestion controls that the kernel has. Raises KernelError, or AlgorithmError if there is no such
    algorithm.
    """
    names: dict[int, str] = {}
    loaded: dict[str, str] = {}
    lines = b""
    for n, flow in enumerate(scenario["flows"]):
        if is_built_in(flow, own):
            names[n] = flow["algorithm"]
            continue
        known = json.dumps([flow["algorithm"], flow.get("parameters", {})], sort_keys=True)
        if known not in loaded:
            loaded[known] = f"{target.prefix}{len(loaded)}"
            content, table, functions = _object(known, loaded[known], target)
            path = f"{target.folder}/{loaded[known]}.o"
            lines += b"file %s %d\n%s\n" % (path.encode(), len(content), content)
            words = (target.command, path, table, functions, target.hz, target.ending)
            lines += " ".join(str(word) for word in words if word != "").encode() + b"\n"
        names[n] = loaded[known]
    return names, lines


@cache
def _object(known: str, name: str, target: Target) -> tuple[bytes, str, str]:
    """The BPF object of an algorithm for this kernel, its table, and the functions in it."""
    word, parameters = json.loads(known)
    program = KernelProgram.find(word, parameters, name)
    compiled, described = loading.prepare(compiler.compile_program(program, target.release), program)
    fitted = callbacks.fit(compiled, program, target.btf.read_bytes(), target.version)
    functions = ",".join(sorted(fitted.functions_in(fitted.variables[described.table])))
    return bytes(fitted.data), described.table, functions
