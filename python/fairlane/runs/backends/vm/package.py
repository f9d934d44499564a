"""Kernels as Debian packages: fetching one, and what is in it."""

import gzip
import io
import lzma
import os
import re
import shutil
import struct
import subprocess
import tarfile
import tempfile
import zlib
from collections.abc import Sequence
from pathlib import Path

from fairlane.algorithm.kernel import KernelError, Lacking
from fairlane.files import content as file_content

SUITES = {"debian-12": "bookworm", "debian-13": "trixie", "forky": "forky"}
_META_PACKAGE = "linux-image-cloud-amd64"
MODULE = r"[\w.+-]+\.ko(\.(xz|zst|gz))?"
RELEASE = re.compile(r"[\w.+~-]{1,64}", re.ASCII)
_IN_MODULES = rf"(usr/)?lib/modules/[\w.+~-]+/(vmlinuz|modules\.builtin|([\w.+~-]+/){{0,30}}{MODULE})"
_WANTED = re.compile(rf"boot/vmlinuz-[\w.+~-]+|{_IN_MODULES}", re.ASCII)
_MOST_BYTES = 2 << 30
"""Of all files of a package."""
_MOST_MEMBERS = 100_000
"""Of a package: Debian's kernels have 5,000."""
_LONGEST_NAME = 4096
_LONGEST_MODULE = 64 << 20
_MOST_SAID = 10_000


def fetch(name: str, folder: Path) -> list[Path]:
    """Downloads the newest cloud kernel of a suite, or the package of this name, by apt. Raises KernelError.

    Since Linux 7, Debian has the kernel and its modules in packages of their own.
    """
    folder.mkdir(parents=True, exist_ok=True)
    if not shutil.which("apt-get"):
        raise Lacking(f"there is no apt-get to fetch {name} with; download a linux-image package and name its file")
    options = _own_lists(SUITES[name], folder) if name in SUITES else []
    package = _newest(options) if name in SUITES else name
    downloads = folder / "download"
    downloads.mkdir(exist_ok=True)
    parts = re.findall(
        r"Depends: (linux-(?:base|binary|modules)-\d\S+)", _apt(["apt-cache", *options, "depends", "--", package])
    )
    _apt(["apt-get", *options, "download", "--", package, *parts], downloads)
    found = sorted(downloads.glob("*.deb"), key=lambda path: not path.name.startswith(package))
    if not found:
        raise KernelError(f"apt downloaded no package {package}")
    return found


def unpack(packages: Sequence[Path], folder: Path) -> Path:
    """Writes the kernel and the modules of packages, and returns the file of the kernel. Raises KernelError."""
    for path in packages:
        with tempfile.TemporaryFile() as said:
            command = ["dpkg-deb", "--fsys-tarfile", os.path.abspath(path)]
            try:
                with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=said) as process:
                    _take(path, process, folder)
            except FileNotFoundError:
                raise Lacking("there is no dpkg-deb to unpack the package with; install dpkg") from None
            except (EOFError, OSError, ValueError, tarfile.TarError):
                said.seek(0)
                reason = said.read(_MOST_SAID).decode(errors="replace").strip() or "it is damaged"
                raise KernelError(f"{path} is not a Debian package: {reason.splitlines()[-1]}") from None
    kernels = sorted([*folder.glob("boot/vmlinuz-*"), *folder.glob("usr/lib/modules/*/vmlinuz")])
    if not kernels:
        raise KernelError(f"{packages[0]} holds no kernel; name a package linux-image-VERSION-cloud-amd64")
    return kernels[-1]


def _take(package: Path, process: "subprocess.Popen[bytes]", folder: Path) -> None:
    """Writes the regular files of an archive that are wanted: a package may hold links, pipes, devices, other paths."""
    assert process.stdout
    left = _MOST_BYTES
    try:
        with tarfile.open(fileobj=process.stdout, mode="r|", tarinfo=_Member) as archive:
            for number, member in enumerate(archive, 1):
                left -= member.size
                if left < 0 or number > _MOST_MEMBERS:
                    most = f"{_MOST_BYTES >> 30} GiB" if left < 0 else f"{_MOST_MEMBERS:,} files"
                    raise KernelError(f"{package} holds more than {most}; name a kernel's package")
                name = os.path.normpath(member.name)
                content = archive.extractfile(member) if member.isreg() and _WANTED.fullmatch(name) else None
                if content is not None:
                    (folder / name).parent.mkdir(parents=True, exist_ok=True)
                    with open(folder / name, "wb") as file:
                        shutil.copyfileobj(content, file)
    finally:
        process.stdout.close()
        process.kill()


class _Member(tarfile.TarInfo):
    """A member of a package; as for dpkg (deb(5)), no sparse file and no pax header: no limit holds their sizes."""

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> "_Member":
        """Reads a header. Raises ValueError for members that no package has."""
        found = super().frombuf(buf, encoding, errors)
        is_name = found.type in (tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK)
        is_known = is_name or (found.type in tarfile.SUPPORTED_TYPES and found.type != tarfile.GNUTYPE_SPARSE)
        if not is_known or found.size < 0 or (is_name and found.size > _LONGEST_NAME):
            raise ValueError(f"a member of type {found.type!r} and {found.size} bytes")
        return found


def release(image: bytes, path: Path) -> str:
    """The release that a kernel's image tells (Documentation/arch/x86/boot.rst). Raises KernelError."""
    head = image[: 1 << 16]
    (offset,) = struct.unpack_from("<H", head, 0x20E) if len(head) > 0x210 else (0,)
    words = head[0x200 + offset :].partition(b"\0")[0].decode(errors="replace").split()
    if head[0x202:0x206] != b"HdrS" or not offset or not words or not RELEASE.fullmatch(words[0]):
        raise KernelError(f"{path} is no kernel for x86-64 that can be booted; name arch/x86/boot/bzImage of a build")
    return words[0]


def _own_lists(suite: str, folder: Path) -> list[str]:
    """Options by which apt uses lists of its own in the folder, from this machine's mirror. Raises KernelError."""
    sites = subprocess.run(
        ["apt-get", "indextargets", "--format", "$(CREATED_BY)|$(SITE)|$(RELEASE)"],
        capture_output=True,
        text=True,
    ).stdout
    sources = [line.split("|") for line in sites.splitlines() if line.startswith("Packages|")]
    known = [words for words in sources if re.fullmatch("bookworm|trixie|forky|sid|stable|testing", words[2])]
    if not known:
        raise Lacking("apt has no Debian mirror here; download a linux-image package and name its file")
    state = folder / "apt"
    for name in ("lists/partial", "cache/archives/partial"):
        (state / name).mkdir(parents=True, exist_ok=True)
    (state / "sources.list").write_text(f"deb {known[0][1].rstrip('/')} {suite} main\n")
    options = [
        *("-o", f"Dir::Etc::SourceList={state.resolve()}/sources.list", "-o", "Dir::Etc::SourceParts=/dev/null"),
        *("-o", f"Dir::State::Lists={state.resolve()}/lists", "-o", f"Dir::Cache={state.resolve()}/cache"),
    ]
    _apt(["apt-get", *options, "-qq", "update"], folder)
    return options


def _newest(options: list[str]) -> str:
    """The package on which the newest meta package depends."""
    said = _apt(["apt-cache", *options, "depends", _META_PACKAGE])
    found = re.search(r"Depends: (linux-image-\S+)", said)
    if not found:
        raise KernelError(f"apt knows no package {_META_PACKAGE} there")
    return found[1]


def _apt(command: list[str], folder: Path | None = None) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace")
    if done.returncode:
        reason = next((line for line in done.stderr.splitlines() if line.startswith("E:")), done.stderr.strip())
        raise KernelError(f"{command[0]} {command[-2]} {command[-1]}: {reason}")
    return done.stdout


def decompressed(path: Path) -> bytes:
    """A module, which may be compressed by xz, zstd or gzip. Raises KernelError if it is damaged, and FileError."""
    content = file_content(path, "name another package or folder", at_most=_LONGEST_MODULE)
    try:
        if path.suffix == ".xz":
            reader = lzma.LZMADecompressor(memlimit=2 * _LONGEST_MODULE)
            content = reader.decompress(content, _LONGEST_MODULE + 1)
            content = content if reader.eof else b""
        elif path.suffix == ".gz":
            with gzip.open(io.BytesIO(content)) as unpacked:
                content = unpacked.read(_LONGEST_MODULE + 1)
        elif path.suffix == ".zst":
            content = _zstd(path)
    except (lzma.LZMAError, gzip.BadGzipFile, EOFError, zlib.error):
        content = b""
    if not 0 < len(content) <= _LONGEST_MODULE:
        raise KernelError(f"the package is damaged: {path.name} cannot be decompressed; download it again")
    return content


def _zstd(path: Path) -> bytes:
    """The content of a regular file; none if it is damaged."""
    command, pipe, none = ["zstd", "-dcq"], subprocess.PIPE, subprocess.DEVNULL
    try:
        with open(path, "rb") as file, subprocess.Popen(command, stdin=file, stdout=pipe, stderr=none) as process:
            assert process.stdout
            content = process.stdout.read(_LONGEST_MODULE + 1)
            process.stdout.close()
        return content if process.returncode == 0 else b""
    except FileNotFoundError:
        raise Lacking("the kernel is compressed by zstd; install the program: apt-get install zstd") from None
