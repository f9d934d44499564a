"""Kernels as Debian packages: fetching one, and what is in it."""

import gzip
import lzma
import os
import re
import shutil
import struct
import subprocess
import zlib
from collections.abc import Sequence
from pathlib import Path

from fairlane.algorithm.kernel import KernelError, Lacking

SUITES = {"debian-12": "bookworm", "debian-13": "trixie", "forky": "forky"}
_META_PACKAGE = "linux-image-cloud-amd64"


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
    """Unpacks packages, and returns the file of the kernel in them. Raises KernelError."""
    for path in packages:
        try:
            done = subprocess.run(
                ["dpkg-deb", "-x", os.path.abspath(path), os.path.abspath(folder)],
                capture_output=True,
                text=True,
                errors="replace",
            )
        except FileNotFoundError:
            raise Lacking("there is no dpkg-deb to unpack the package with; install dpkg") from None
        if done.returncode:
            raise KernelError(f"{path} is not a Debian package: {done.stderr.strip().splitlines()[-1]}")
    kernels = sorted([*folder.glob("boot/vmlinuz-*"), *folder.glob("usr/lib/modules/*/vmlinuz")])
    if not kernels:
        raise KernelError(f"{packages[0]} holds no kernel; name a package linux-image-VERSION-cloud-amd64")
    return kernels[-1]


def release(image: Path) -> str:
    """The release that a kernel's image tells (Documentation/arch/x86/boot.rst). Raises KernelError."""
    with open(image, "rb") as file:
        head = file.read(1 << 16)
    (offset,) = struct.unpack_from("<H", head, 0x20E) if len(head) > 0x210 else (0,)
    words = head[0x200 + offset :].partition(b"\0")[0].split()
    if head[0x202:0x206] != b"HdrS" or not offset or not words:
        raise KernelError(f"{image} is no kernel for x86-64 that can be booted; name arch/x86/boot/bzImage of a build")
    return words[0].decode(errors="replace")


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
    """A module, which may be compressed by xz, zstd or gzip. Raises KernelError if it is damaged."""
    content = path.read_bytes()
    try:
        if path.suffix == ".xz":
            return lzma.decompress(content)
        if path.suffix == ".gz":
            return gzip.decompress(content)
        return _zstd(content) if path.suffix == ".zst" else content
    except (lzma.LZMAError, gzip.BadGzipFile, EOFError, zlib.error, subprocess.CalledProcessError):
        raise KernelError(f"the package is damaged: {path.name} cannot be decompressed; download it again") from None


def _zstd(content: bytes) -> bytes:
    try:
        return subprocess.run(["zstd", "-dcq"], input=content, capture_output=True, check=True).stdout
    except FileNotFoundError:
        raise Lacking("the kernel is compressed by zstd; install the program: apt-get install zstd") from None
