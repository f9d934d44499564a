"""Congestion controls that a kernel does not have, as BPF objects that its plan loads."""

import json
from collections.abc import Collection
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from fairlane.algorithm.kernel import callbacks, compiler, loading
from fairlane.algorithm.kernel.program import KernelProgram
from fairlane.engine.types import Scenario
from fairlane.runs.backends.linux.limits import is_built_in
from fairlane.runs.backends.linux.plan import file

UNLOADED_SINCE = (6, 4)
"""The first kernel that takes back a congestion control when the process that loaded it ends."""


@dataclass(frozen=True)
class Target:
    """The kernel that programs are for, and how its plan loads them."""

    release: str
    version: tuple[int, int]
    hz: int
    btf: Path
    """Its description of its types."""
    before: bytes = b""
    """Lines of the plan before the first program."""
    command: str = "execute - struct_ops"
    """The beginning of a line of the plan that loads a program."""
    ending: str = ""
    """Its end."""
    folder: str = "/tmp"
    """The folder of objects while they are loaded."""
    prefix: str = "fl_"
    """Before the names in the kernel, which all namespaces share."""


@dataclass(frozen=True)
class Program:
    """A BPF object, and what the loader is told about it."""

    name: str
    """Of the congestion control, in the kernel."""
    content: bytes
    table: str
    """The variable with its callbacks."""
    functions: str
    """Those that belong to the table, with commas between."""


def algorithms(scenario: Scenario, own: Collection[str], target: Target) -> tuple[dict[int, str], bytes]:
    """The name in the kernel of each flow's congestion control, and the lines of the plan that load programs.

    `own` are the congestion controls that the kernel has. Raises KernelError, or AlgorithmError if there is no such
    algorithm.
    """
    names, programs = needed(scenario, own, target)
    lines = target.before
    for one in programs:
        path = f"{target.folder}/{one.name}.o"
        lines += file(path, one.content)
        words = (target.command, path, one.table, one.functions, target.hz, target.ending)
        lines += " ".join(str(word) for word in words if word != "").encode() + b"\n"
    return names, lines


def needed(scenario: Scenario, own: Collection[str], target: Target) -> tuple[dict[int, str], list[Program]]:
    """The same with the programs themselves."""
    names: dict[int, str] = {}
    loaded: dict[str, str] = {}
    programs: list[Program] = []
    for n, flow in enumerate(scenario["flows"]):
        if is_built_in(flow, own):
            names[n] = flow["algorithm"]
            continue
        known = json.dumps([flow["algorithm"], flow.get("parameters", {})], sort_keys=True)
        if known not in loaded:
            loaded[known] = f"{target.prefix}{len(loaded)}"
            programs.append(_object(known, loaded[known], target))
        names[n] = loaded[known]
    return names, programs


@cache
def _object(known: str, name: str, target: Target) -> Program:
    """The BPF object of an algorithm for this kernel."""
    word, parameters = json.loads(known)
    program = KernelProgram.find(word, parameters, name)
    compiled, described = loading.prepare(compiler.compile_program(program, target.release), program)
    fitted = callbacks.fit(compiled, program, target.btf.read_bytes(), target.version)
    functions = ",".join(sorted(fitted.functions_in(fitted.variables[described.table])))
    return Program(name, bytes(fitted.data), described.table, functions)
