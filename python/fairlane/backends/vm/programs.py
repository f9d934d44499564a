"""Congestion controls that a guest's kernel does not have, as BPF objects that its plan loads."""

import json
from collections.abc import Mapping
from functools import cache
from typing import Any

from fairlane.backends.linux.limits import is_built_in
from fairlane.backends.vm.kernels import Kernel
from fairlane.kernel import callbacks, compiler, loading
from fairlane.kernel.program import KernelProgram


def algorithms(scenario: Mapping[str, Any], kernel: Kernel) -> tuple[dict[int, str], bytes]:
    """The name in the kernel of each flow's congestion control, and the lines of the plan that load programs.

    Raises KernelError, or AlgorithmError if there is no such algorithm.
    """
    own = kernel.abilities.algorithms
    names: dict[int, str] = {}
    loaded: dict[str, str] = {}
    lines = b""
    for n, flow in enumerate(scenario["flows"]):
        if is_built_in(flow, own):
            names[n] = flow["algorithm"]
            continue
        known = json.dumps([flow["algorithm"], flow.get("parameters", {})], sort_keys=True)
        if known not in loaded:
            loaded[known] = f"fl_{len(loaded)}"
            content, table, functions = _object(known, loaded[known], kernel)
            path = f"/tmp/{loaded[known]}.o"
            lines += b"file %s %d\n%s\n" % (path.encode(), len(content), content)
            lines += f"execute - struct_ops {path} {table} {functions} {kernel.hz}\n".encode()
        names[n] = loaded[known]
    return names, lines


@cache
def _object(known: str, name: str, kernel: Kernel) -> tuple[bytes, str, str]:
    """The BPF object of an algorithm for this kernel, its table, and the functions in it."""
    word, parameters = json.loads(known)
    program = KernelProgram.find(word, parameters, name)
    compiled, described = loading.prepare(compiler.compile_program(program, kernel.release), program)
    fitted = callbacks.fit(compiled, program, (kernel.folder / "btf").read_bytes(), kernel.version)
    functions = ",".join(sorted(fitted.functions_in(fitted.variables[described.table])))
    return bytes(fitted.data), described.table, functions
