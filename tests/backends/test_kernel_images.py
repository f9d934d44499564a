"""Kernels of one's own: an image and the folder of its modules, up to the boot."""

import gzip
import io
import lzma
import os
import shutil
import tarfile
from pathlib import Path

import pytest
from fairlane.algorithm.kernel import KernelError
from fairlane.files import FileError
from fairlane.runs.backends.vm import image, kernels, package, qemu

from tests.hostile.subjects.machines import kernel_image


@pytest.fixture
def build(tmp_path, monkeypatch):
    """A folder in the form of a kernel's build; nothing of it is booted."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(qemu, "version", lambda: "none")
    monkeypatch.setattr(kernels, "_prepare", lambda folder: None)
    folder = tmp_path / "linux"
    folder.mkdir()
    (folder / "bzImage").write_bytes(kernel_image("6.18.0-mine+"))
    (folder / "modules.builtin").write_text("kernel/net/ipv4/tcp_cubic.ko\nkernel/net/sched/sch_tbf.ko\n")
    return folder


def test_an_image_with_the_folder_of_its_build(build):
    added = kernels.add(str(build / "bzImage"), modules=build)
    assert (added.name, added.release, added.version) == ("6.18.0-mine-", "6.18.0-mine+", (6, 18))
    assert set(added.abilities.algorithms) == {"reno", "cubic"}
    assert set(added.abilities.queues) == {"tbf"}
    assert kernels.add(str(build / "bzImage"), "bare").modules == ()


@pytest.mark.parametrize("content", [b"", b"text", bytes(4096), kernel_image("6.1")[:0x240]])
def test_another_file_is_no_image(build, content):
    (build / "other").write_bytes(content)
    with pytest.raises(KernelError, match=r"other is no kernel .*bzImage"):
        kernels.add(str(build / "other"))


def test_modules_are_a_folder_of_an_image(build):
    with pytest.raises(KernelError, match=r"--modules: .*nowhere is no folder"):
        kernels.add(str(build / "bzImage"), modules=build / "nowhere")
    with pytest.raises(KernelError, match="--modules: a package has its own modules"):
        kernels.add("debian-12", modules=build)


def test_a_compressed_module_that_is_damaged(tmp_path):
    (tmp_path / "sch_fq.ko.gz").write_bytes(b"\x1f\x8b damaged")
    with pytest.raises(KernelError, match=r"sch_fq.ko.gz cannot be decompressed"):
        package.decompressed(tmp_path / "sch_fq.ko.gz")


def sparse(path):
    """A file of 50 GB that begins as a kernel."""
    with open(path, "wb") as file:
        file.write(kernel_image("6.1"))
        file.truncate(50 << 30)


ENDLESS = {
    "tcp_bbr.ko": os.mkfifo,
    "modules.builtin": os.mkfifo,
    "sch_fq.ko": lambda path: path.symlink_to("/dev/zero"),
    "sch_pie.ko.gz": lambda path: path.write_bytes(gzip.compress(bytes(70 << 20), 1)),
    "sch_red.ko.xz": lambda path: path.write_bytes(lzma.compress(bytes(70 << 20), preset=0)),
    "veth.ko": sparse,
}
"""Modules that cannot be read to their end, or that fill the memory."""


@pytest.mark.parametrize("name", ENDLESS)
def test_modules_that_cannot_be_read_are_named(build, tmp_path, name):
    modules = tmp_path / "modules"
    modules.mkdir()
    ENDLESS[name](modules / name)
    with pytest.raises((KernelError, FileError), match=rf"{name}.*; (download|name)"):
        kernels.add(str(build / "bzImage"), modules=modules)


@pytest.mark.parametrize("path", [Path("/dev/zero"), Path("pipe"), Path("large")], ids=str)
def test_an_image_that_cannot_be_read_is_named(build, path):
    os.mkfifo(build / "pipe")
    sparse(build / "large")
    with pytest.raises((KernelError, FileError), match=path.name):
        kernels.add(str(build / path))


@pytest.mark.skipif(shutil.which("dpkg-deb") is None, reason="needs dpkg-deb")
def test_only_regular_files_of_a_package_are_taken(build, tmp_path):
    """Links, pipes, devices and other paths of a package stay in it."""
    inside = io.BytesIO()
    with tarfile.open(fileobj=inside, mode="w") as archive:
        for name, kind, content in (
            ("./boot", tarfile.SYMTYPE, b""),
            ("./boot/vmlinuz-6.1", tarfile.REGTYPE, kernel_image("6.1")),
            ("./lib/modules/6.1/tcp_bbr.ko", tarfile.FIFOTYPE, b""),
            ("./lib/modules/6.1/sch_fq.ko", tarfile.CHRTYPE, b""),
            ("./lib/modules/6.1/sch_red.ko", tarfile.SYMTYPE, b""),
            ("./lib/modules/../../../../escaped.ko", tarfile.REGTYPE, b"x"),
            ("./lib/modules/6.1/../../../../escaped.ko", tarfile.REGTYPE, b"x"),
            ("/tmp/escaped.ko", tarfile.REGTYPE, b"x"),
            ("./lib/modules/6.1/modules.builtin", tarfile.REGTYPE, b"kernel/tcp_cubic.ko\n"),
        ):
            member = tarfile.TarInfo(name)
            member.type, member.size, member.linkname = kind, len(content), str(tmp_path / "elsewhere")
            archive.addfile(member, io.BytesIO(content))
    (tmp_path / "elsewhere").mkdir()
    package_of({"data.tar": inside.getvalue()}, tmp_path / "theirs.deb")
    added = kernels.add(str(tmp_path / "theirs.deb"), "theirs")
    assert added.modules == ("tcp_cubic",)
    assert list((tmp_path / "elsewhere").iterdir()) == []
    assert list(tmp_path.rglob("*.ko")) == []


def tar(*members):
    """An archive of names, types and contents, without an end."""
    made = io.BytesIO()
    for name, kind, content in members:
        one = tarfile.TarInfo(name)
        one.type, one.size = kind, len(content)
        made.write(one.tobuf(tarfile.GNU_FORMAT) + content + bytes(-len(content) % tarfile.BLOCKSIZE))
    return made.getvalue()


KERNEL = ("boot/vmlinuz-6.1", tarfile.REGTYPE, kernel_image("6.1"))
LARGE = {
    "pax header": tar(("x", tarfile.XHDTYPE, b"20 path=boot/vmlinuz\n"), KERNEL),
    "global pax header": tar(("x", tarfile.XGLTYPE, b"12 a=bcdefg\n"), KERNEL),
    "sparse file": tar(("boot/vmlinuz-6", tarfile.GNUTYPE_SPARSE, b""), KERNEL),
    "long name": tar(("x", tarfile.GNUTYPE_LONGNAME, b"a" * 5000), ("x", tarfile.REGTYPE, b""), KERNEL),
    "negative size": tar(KERNEL)[:124] + b"\xff" * 12 + tar(KERNEL)[136:],
    "deep folder": tar((f"lib/modules/{'a/' * 1000}x.ko", tarfile.REGTYPE, b""), KERNEL),
    "many files": tar(*[("x", tarfile.REGTYPE, b"")] * 20, KERNEL),
}


@pytest.mark.skipif(shutil.which("dpkg-deb") is None, reason="needs dpkg-deb")
@pytest.mark.parametrize("name", LARGE)
def test_no_package_takes_the_memory_or_the_inodes(build, tmp_path, monkeypatch, name):
    """A few kB of xz are as many GB of headers, and tarfile reads names and pax headers of any size."""
    monkeypatch.setattr(package, "_MOST_MEMBERS", 10)
    package_of({"data.tar": LARGE[name] + bytes(1024)}, tmp_path / "theirs.deb")
    if name == "deep folder":
        kernels.add(str(tmp_path / "theirs.deb"), "theirs")
        assert list(tmp_path.rglob("*.ko")) == []
        return
    with pytest.raises(KernelError, match=r"theirs.deb (is not a Debian package|holds more than 10 files)"):
        kernels.add(str(tmp_path / "theirs.deb"), "theirs")


def test_all_modules_together_are_limited(build, tmp_path, monkeypatch):
    monkeypatch.setattr(image, "_MOST_BYTES", 1000)
    monkeypatch.setattr(image, "_MOST_LISTED", 20)
    (build / "veth.ko").write_bytes(bytes(1001))
    with pytest.raises(KernelError, match="modules of more than"):
        image.modules(build)
    with pytest.raises(FileError, match=r"modules\.builtin"):
        image.built_in(build)


def package_of(parts, path):
    """A Debian package, which is an archive of `ar`."""
    parts = {"debian-binary": b"2.0\n", "control.tar": _empty_tar(), **parts}
    entries = [
        f"{name:<16}{0:<12}{0:<6}{0:<6}{100644:<8}{len(content):<10}`\n".encode() + content + b"\n" * (len(content) % 2)
        for name, content in parts.items()
    ]
    path.write_bytes(b"!<arch>\n" + b"".join(entries))


def _empty_tar():
    made = io.BytesIO()
    tarfile.open(fileobj=made, mode="w").close()
    return made.getvalue()


@pytest.mark.parametrize(
    "name", ["..", "../../..", "/etc", "a/b", ".", "", "-o", "é", "a\nb", "a\0b", "a" * 101, ".x", "x@1", "x:emulated"]
)
def test_names_that_are_paths_are_refused(build, name):
    kernels.add(str(build / "bzImage"), "kept")
    for refused in (lambda: kernels.add(str(build / "bzImage"), name), lambda: kernels.remove(name)):
        with pytest.raises(KernelError, match="cannot be the name of a kernel"):
            refused()
    assert [one.name for one in kernels.every()] == ["kept"]
