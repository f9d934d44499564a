"""Compiles the small programs in C that run next to a real kernel."""

import hashlib
import os
import re
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

from elftools.elf.elffile import ELFFile

from fairlane.algorithm.kernel import KernelError, Lacking
from fairlane.algorithm.kernel.machine import install_command
from fairlane.files import cache_folder, temporary_folder, write_text

AGENT = Path(__file__).parent / "agent"
CARRIER = Path(__file__).parent / "carrier.c"


def agent() -> Path:
    """The agent, linked statically; compiled when it is first asked for. Raises KernelError."""
    return _compiled("agent", tuple(sorted(AGENT.glob("*.c"))), ("-static", "-lm"))


@cache
def source_digest() -> str:
    """The hash that identifies the programs that measure: the agent, and the carrier of an emulated network."""
    files = [*sorted(AGENT.glob("*.[ch]")), CARRIER]
    content = b"".join(path.name.encode() + path.read_bytes() for path in files)
    return hashlib.blake2b(content, digest_size=16).hexdigest()


def loader() -> Path:
    """Our loader of BPF objects. Raises KernelError."""
    try:
        return _compiled("struct_ops", (AGENT.parent / "struct_ops.c",), ("-lbpf",))
    except Lacking:
        raise
    except KernelError as error:
        raise Lacking(f"{error}; install libbpf: {install_command('libbpf-dev')}") from None


def carrier(engine: Path) -> Path:
    """The program that loads the engine of this package without Python. Raises KernelError.

    The symbols of the interpreter that the engine needs are defined in it, without meaning.
    """
    with open(engine, "rb") as file:
        symbols: Any = ELFFile(file).get_section_by_name(".dynsym")
        names = [one.name for one in symbols.iter_symbols() if one["st_shndx"] == "SHN_UNDEF"]
    text = "".join(f"void *{name}[64];\n" for name in names if re.match(r"_?Py", name))
    digest = hashlib.blake2b(text.encode(), digest_size=8).hexdigest()
    source = cache_folder() / "programs" / f"python-symbols-{digest}.c"
    source.parent.mkdir(parents=True, exist_ok=True)
    write_text(source, text)
    return _compiled("carrier", (CARRIER, source), ("-rdynamic", "-ldl"))


def library(source: Path) -> Path:
    """A library of one source, to be loaded into another program. Raises KernelError."""
    return _compiled(source.stem, (source,), ("-shared", "-fPIC", "-ldl"))


@cache
def _compiled(name: str, sources: tuple[Path, ...], options: tuple[str, ...]) -> Path:
    texts = b"".join(
        path.read_bytes() for folder in {path.parent for path in sources} for path in folder.glob("*.[ch]")
    )
    digest = hashlib.blake2b(texts + " ".join(options).encode(), digest_size=8).hexdigest()
    target = cache_folder() / "programs" / f"{name}-{digest}"
    if target.exists():
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    compiler = os.environ.get("CC", "cc")
    with temporary_folder("compiled", inside=target.parent) as folder:
        made = folder / name
        command = [compiler, "-std=gnu11", "-O2", "-o", str(made), *map(str, sources), *options]
        try:
            done = subprocess.run(command, capture_output=True, text=True)
        except FileNotFoundError:
            raise Lacking(f"there is no C compiler; install one: {install_command('gcc libc6-dev')}") from None
        if done.returncode:
            reason = next((line for line in done.stderr.splitlines() if "error" in line), done.stderr.strip()[-300:])
            raise KernelError(f"{name} does not compile: {reason}")
        made.rename(target)
    return target
