"""Compiles a program for the kernel: `clang -target bpf`, with Fairlane's headers, and its errors in our words."""

import os
import platform
import re
import shutil
import subprocess
from collections.abc import Callable
from functools import cache
from pathlib import Path

from fairlane.algorithm.kernel import KernelError, Lacking, machine
from fairlane.algorithm.kernel.machine import install_command
from fairlane.algorithm.kernel.program import KernelProgram

_PACKAGES = "clang libbpf-dev"
_ARCHITECTURES = {"x86_64": "x86", "aarch64": "arm64", "ppc64le": "powerpc", "s390x": "s390", "riscv64": "riscv"}

_REMEDIES = {
    r"call to built-in function '__(?:udiv|umod|div|mod|mul)ti": "128-bit arithmetic; stay within 64 bits",
    r"call to built-in function '__\w*[sd]f\w*'": "floating point; count in fixed point, such as 717/1024 for 0.7",
    r"call to built-in function 'mem": "copies more than the kernel allows; copy less, or in a bounded loop",
    r"[Uu]nsupport(?:ed)? signed (?:division|mod)": "signed division; divide unsigned numbers",
    r"too many args": "more than 5 arguments; make the function static __always_inline",
    r"stack limit": "more than 512 bytes of local variables; keep state in inet_csk_ca(sk) or in a map",
    r"only small returns": "returns a structure; return it by a pointer that the caller gives",
}
"""Code that clang rejects for this target, and its replacement."""


def compile_program(program: KernelProgram, release: str = "", warned: Callable[[str], None] | None = None) -> bytes:
    """The program's BPF object, for the running kernel or the `release` of another, such as `6.12.0`.

    The compiler is confined, and has none of root's rights. `warned` gets each warning about the program, a line of
    text. Raises Lacking without a compiler, KernelError if the text does not compile.
    """
    from fairlane.engine import compile_confined

    # libbpf's older versions do not know the newer section name, and which one it is makes no difference here.
    text = program.source.replace('".struct_ops.link"', '".struct_ops"')
    files = {**_headers(release or platform.release()), "program.c": _placed(program.path, text.encode())}
    for name, content in program.headers.items():
        files[f"{_HOME}/{name}"] = _placed(program.path.parent / name, content)
    command = [*_command(find_clang()), "-g", "-I", _HOME, "-c", "program.c", "-o", "program.o"]
    done, complaints, compiled = compile_confined(command, files, "program.o")
    if not done:
        raise _refusal(complaints, program)
    if warned:
        for line in _warnings(complaints, program):
            warned(line)
    return compiled


_HOME = "home"
"""The folder of copies of the program's own headers."""


def _placed(path: Path, text: bytes) -> bytes:
    """Messages about a copy name the original."""
    shown = str(path).replace("\\", "\\\\").replace('"', '\\"')
    return f'#line 1 "{shown}"\n'.encode() + text


@cache
def find_clang() -> str:
    """The clang to use: $CLANG, `clang`, or the newest `clang-N`."""
    wanted = os.environ.get("CLANG", "")
    if wanted and not shutil.which(wanted):
        raise Lacking(
            f"the environment variable CLANG names '{wanted}', which does not exist; unset it, or choose another"
        )
    found = shutil.which(wanted or "clang")
    for version in range(40, 10, -1):
        found = found or shutil.which(f"clang-{version}")
    if not found:
        raise Lacking(f"there is no clang to compile for the kernel; install it: {install_command(_PACKAGES)}")
    return found


def version() -> str:
    """clang's version, such as `clang 14.0.6`."""
    said = subprocess.run([find_clang(), "--version"], capture_output=True, text=True).stdout
    found = re.search(r"clang version (\S+)", said)
    return f"clang {found[1]}" if found else "clang"


@cache
def check_headers() -> None:
    """Raises Lacking unless clang compiles for the kernel and finds libbpf's headers."""
    done = subprocess.run(
        [find_clang(), "-target", "bpf", "-E", "-x", "c", "-include", "bpf/bpf_helper_defs.h", "-"],
        input="",
        capture_output=True,
        text=True,
    )
    if "file not found" in done.stderr:
        raise Lacking(f"libbpf's headers are missing; install them: {install_command(_PACKAGES)}")
    if done.returncode != 0 and "target" in done.stderr:
        raise Lacking(f"{find_clang()} was built without the BPF target; install another: {install_command(_PACKAGES)}")


def _command(clang: str) -> list[str]:
    architecture = _ARCHITECTURES.get(platform.machine(), platform.machine())
    return [
        *(clang, "-target", "bpf", f"-D__TARGET_ARCH_{architecture}", "-std=gnu11", "-O2"),
        *("-fno-crash-diagnostics", "-I", "."),
        # The native compiler's (crates/algorithm-native/src/compile_flags.rs).
        *("-Wall", "-Wno-unused", "-Wno-attributes", "-Wno-main", "-Wno-int-conversion"),
        *("-Wno-incompatible-pointer-types", "-Wno-implicit-function-declaration"),
    ]


def _headers(release: str) -> dict[str, bytes]:
    """Our headers, and substitutes for those of kernel and selftests; those in `bpf/` are libbpf's own here."""
    from fairlane.engine import interface

    files = {}
    for path, text in interface().items():
        if path.startswith("native/"):
            path = path.removeprefix("native/")
            if "/" in path and not path.startswith("linux/"):
                continue
        files[path] = text.encode()
    major, minor = machine.version(release, (6, 12))
    code = f"KERNEL_VERSION({major}, {minor}, 0)"
    files["linux/version.h"] = (
        f"#include <bpf/bpf_helpers.h>\n#undef LINUX_VERSION_CODE\n#define LINUX_VERSION_CODE {code}\n".encode()
    )
    return files


def _warnings(complaints: str, program: KernelProgram) -> list[str]:
    """Those about the program itself, each once, as `file:line: warning: ...`."""
    found = re.findall(rf"^({re.escape(str(program.path))}:\d+):\d+: (warning: .*)", complaints, re.MULTILINE)
    return list(dict.fromkeys(": ".join(parts) for parts in found))


def _refusal(complaints: str, program: KernelProgram) -> KernelError:
    check_headers()
    location, reason = str(program.path), "clang failed without saying why"
    for line in complaints.splitlines():
        ordinary = re.match(r"(.+?):(\d+):\d+: (?:fatal )?error: (.*)", line)
        backend = re.match(r"Error at line (\d+): (.*)", line)
        if ordinary:
            location, reason = f"{ordinary[1]}:{ordinary[2]}", ordinary[3]
        elif backend:
            location, reason = f"{program.path}:{backend[1]}", backend[2].split(" for DAG")[0]
        elif match := re.match(r"(?:fatal )?error: (.*)", line):
            reason = match[1]
        else:
            continue
        break
    for pattern, remedy in _REMEDIES.items():
        if re.search(pattern, reason):
            return KernelError(f"{location}: the kernel cannot run this: {remedy}")
    return KernelError(f"{location}: {reason}")
