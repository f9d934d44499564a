"""The initramfs of a guest: the agent as its first process, ip, tc, our loader of BPF objects, and modules."""

import gzip
import io
import re
import shutil
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path

from fairlane import files
from fairlane.algorithm.kernel import KernelError, Lacking, elf
from fairlane.algorithm.kernel.machine import install_command
from fairlane.runs.backends.linux import building
from fairlane.runs.backends.vm import package

QUEUES = ("tbf", "htb", "netem", "codel", "fq", "fq_codel", "fq_pie", "pie", "red", "cake", "dualpi2")
ALGORITHMS = (
    *("bbr", "bic", "cubic", "dctcp", "highspeed", "htcp", "hybla", "illinois", "scalable", "vegas", "veno"),
    *("westwood", "yeah"),
)
_MODULE = re.compile(package.MODULE, re.ASCII)
_LONGEST_CHAIN = 50
"""Modules that depend on each other."""
_MOST_BYTES = 256 << 20
"""Of all modules together, decompressed."""
_MOST_LISTED = 16 << 20
"""Of all lists of built-in modules together."""
_WANTED = frozenset({"veth", "tun", *(f"sch_{name}" for name in QUEUES), *(f"tcp_{name}" for name in ALGORITHMS)})


def modules(tree: Path) -> dict[str, bytes]:
    """The modules in a folder that runs need, by name, in the order in which they are loaded.

    Raises KernelError if one is damaged, and FileError.
    """
    paths = {_module(path): path for path in tree.rglob("*.ko*") if _MODULE.fullmatch(path.name)}
    found: dict[str, bytes] = {}
    size = 0

    def add(name: str, above: tuple[str, ...] = ()) -> None:
        if name in found or name not in paths:
            return
        if name in above or len(above) > _LONGEST_CHAIN:
            raise KernelError(
                f"the package is damaged: its module {name} depends on itself, or on too many; download it again"
            )
        nonlocal size
        content = package.decompressed(paths[name])
        size += len(content)
        if size > _MOST_BYTES:
            raise KernelError(f"the package has modules of more than {_MOST_BYTES >> 20} MiB; name a kernel's package")
        for needed in _depends(name, content):
            add(needed, (*above, name))
        found[name] = content

    for name in sorted(paths):
        if name in _WANTED:
            add(name)
    return found


def built_in(tree: Path) -> set[str]:
    """The names of modules that are part of the kernel itself. Raises FileError."""
    left, found = _MOST_LISTED, set[str]()
    for path in tree.rglob("modules.builtin"):
        content = files.content(path, "name the folder of a build", at_most=left)
        left -= len(content)
        found |= {_module(Path(line)) for line in content.decode(errors="replace").splitlines()}
    return found


def initramfs(kernel_modules: Mapping[str, bytes]) -> bytes:
    """The archive, compressed. Raises KernelError if a program is missing on this machine."""
    archive = _Archive()
    archive.file("init", building.agent().read_bytes())
    programs = [_program("ip"), _program("tc"), building.loader()]
    for path in programs:
        archive.file(f"bin/{path.name.rpartition('-')[0] or path.name}", path.read_bytes())
    for library in _libraries(programs):
        archive.file(str(library).lstrip("/"), library.resolve().read_bytes())
    for name, content in kernel_modules.items():
        archive.file(f"modules.d/{name}.ko", content)
    archive.file("modules", "".join(f"/modules.d/{name}.ko\n" for name in kernel_modules).encode())
    return archive.packed()


def emulator(engine: Path) -> bytes:
    """A further archive with the program that carries packets through an emulated network. Raises KernelError."""
    archive = _Archive()
    carrier = building.carrier(engine)
    archive.file("bin/carrier", carrier.read_bytes())
    archive.file("lib/engine.so", engine.read_bytes())
    for library in _libraries([engine, carrier]):
        archive.file(str(library).lstrip("/"), library.resolve().read_bytes())
    return archive.packed()


def _module(path: Path) -> str:
    return path.name.partition(".ko")[0].replace("-", "_")


def _depends(name: str, content: bytes) -> list[str]:
    try:
        words = elf.section(content, ".modinfo").split(b"\0")
        lists = [word[8:].decode("ascii") for word in words if word.startswith(b"depends=")]
    except ValueError as error:
        raise KernelError(f"the package is damaged: its module {name} is {error}; download it again") from None
    return [needed for needed in lists[0].replace("-", "_").split(",") if needed] if lists else []


def _program(name: str) -> Path:
    found = shutil.which(name) or shutil.which(name, path="/sbin:/usr/sbin:/bin:/usr/bin")
    if not found:
        raise Lacking(f"the program {name} is missing; install it: {install_command('iproute2')}")
    return Path(found)


def _libraries(programs: Iterable[Path]) -> list[Path]:
    """The shared libraries of programs, and the loader of these."""
    said = subprocess.run(["ldd", *map(str, programs)], capture_output=True, text=True).stdout
    return sorted({Path(found) for found in re.findall(r"(?:=> |^\s+)(/\S+)", said, re.MULTILINE)})


class _Archive:
    """A cpio archive in the form `newc` (Documentation/driver-api/early-userspace/buffer-format.rst)."""

    def __init__(self) -> None:
        self._content = io.BytesIO()
        self._folders: set[str] = set()
        self._count = 0

    def file(self, name: str, content: bytes) -> None:
        """Adds a file that may be run, with its folders."""
        parts = name.split("/")[:-1]
        for depth in range(1, len(parts) + 1):
            folder = "/".join(parts[:depth])
            if folder not in self._folders:
                self._folders.add(folder)
                self._entry(folder, 0o040755, b"")
        self._entry(name, 0o100755, content)

    def packed(self) -> bytes:
        """The whole archive, compressed; the same content gives the same bytes."""
        self._entry("TRAILER!!!", 0, b"")
        return gzip.compress(self._content.getvalue(), 6, mtime=0)

    def _entry(self, name: str, mode: int, content: bytes) -> None:
        self._count += 1
        numbers = [self._count, mode, 0, 0, 1, 0, len(content), 0, 0, 0, 0, len(name) + 1, 0]
        self._content.write(b"070701" + b"".join(b"%08x" % number for number in numbers))
        self._padded(name.encode() + b"\0")
        self._padded(content)

    def _padded(self, content: bytes) -> None:
        self._content.write(content)
        self._content.write(bytes(-self._content.tell() % 4))
