"""Kernels of one's own: an image and the folder of its modules, up to the boot."""

import pytest
from fairlane.algorithm.kernel import KernelError
from fairlane.runs.backends.vm import kernels, package, qemu

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
