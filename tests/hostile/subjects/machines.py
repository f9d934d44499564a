"""Files and arguments about machines: testbeds, kernel packages, and the link of `fairlane shell`."""

import json
import lzma
import random
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path
from unittest import mock

import click
from fairlane.algorithm.kernel import KernelError
from fairlane.runs.backends.hosts import testbeds
from fairlane.runs.backends.vm import kernels, qemu
from fairlane.runs.emulation import shell

from tests.experiment import mutator
from tests.hostile.outcomes import command, reading
from tests.hostile.subjects.answers import spoiled

_TOML = """known_hosts = "hosts"
[hosts.a]
role = "sender"
ssh = "root@a.example:22"
address = "10.0.0.1"
[hosts.b]
role = "router"
ssh = "b.example"
jump = "me@[2001:db8::1]:2222"
sudo = true
[hosts.c]
role = "receiver"
ssh = "root@10.9.9.9"
address = "10.0.1.1"
key = "~/.ssh/key"
"""
_INI = """[senders]
a ansible_host=a.example ansible_port=22 fairlane_address=10.0.0.1
[router]
b ansible_user=root
[receivers]
c fairlane_address=10.0.1.1 ansible_become=yes
[receivers:vars]
ansible_ssh_private_key_file=~/.ssh/key
"""
_YAML = """all:
  children:
    senders:
      hosts:
        a: {ansible_host: a.example, fairlane_address: 10.0.0.1}
    router:
      hosts:
        b:
    receivers:
      hosts:
        c: {fairlane_address: 10.0.1.1}
      vars: {ansible_port: 22}
"""
_LISTED = json.dumps(
    {
        "_meta": {"hostvars": {"a": {"fairlane_address": "10.0.0.1"}, "c": {"fairlane_address": "10.0.1.1"}}},
        "senders": {"hosts": ["a"]},
        "router": {"hosts": ["b"]},
        "receivers": {"hosts": ["c"]},
    }
)
_SHELL = [
    ["--rate", "10mbit"], ["--up-rate", "2mbit"], ["--rtt", "20ms"], ["--buffer", "1bdp"], ["--queue", "codel"],
    ["--loss", "0.1%"], ["--mtu", "1500"], ["--seed", "1"], ["--interval", "100ms"], ["--link", "lte"],
    ["--wifi", "ac"], ["--far", "true"], ["--trace", "nowhere"],
]  # fmt: skip


def testbed(chance: random.Random, folder: Path) -> str:
    """hosts.toml, and inventories of Ansible."""
    name, text = chance.choice(
        [("hosts.toml", _TOML), ("inventory.ini", _INI), ("inventory.yml", _YAML), ("inventory.json", _LISTED)]
    )
    path = folder / name
    if name.endswith(".json") and chance.random() < 0.7:
        path.write_text(json.dumps(mutator.mutated_data(json.loads(text), chance), default=str))
    else:
        path.write_bytes(mutator.mutated_text(text, chance))
    return reading(lambda: testbeds.read(str(path)), KernelError)


def kernel_package(chance: random.Random, folder: Path) -> str:
    """A Debian package: its bytes, or the files in it. It is read, but not booted."""
    path, tree = folder / "linux.deb", folder / "tree"
    if chance.random() < 0.3:
        path.write_bytes(spoiled(_package(), chance))
        return added(path)
    path.write_bytes(_package())
    subprocess.run(["dpkg-deb", "-R", path, tree], check=True)
    file = chance.choice(sorted(path for path in tree.rglob("*") if path.is_file() and "DEBIAN" not in path.parts))
    match chance.randrange(4):
        case 0:
            file.unlink()
        case 1:
            file.rename(file.with_name(mutator._slip(file.name, chance).replace("\n", "_")))
        case _:
            file.write_bytes(spoiled(file.read_bytes(), chance))
    _packed(tree, path)
    return added(path)


def added(path: Path) -> str:
    """`fairlane kernel add` of a file, up to the boot."""
    with (
        mock.patch.object(kernels, "root", return_value=path.parent / "kernels"),
        mock.patch.object(kernels, "_prepare"),
        mock.patch.object(qemu, "version", return_value="none"),
    ):
        return command("kernel", "add", str(path), "--as", "mutated")


def kernel_image(release: str) -> bytes:
    """The head of an image that can be booted, up to the words about itself."""
    head = bytearray(0x240)
    head[0x202:0x206] = b"HdrS"
    head[0x20E:0x210] = (len(head) - 0x200).to_bytes(2, "little")
    return bytes(head) + f"{release} (somebody) #1 SMP\0".encode()


@cache
def _package() -> bytes:
    """A small package in the form of Debian's kernels."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        modules = folder / "tree/lib/modules/6.1.0-9-cloud-amd64"
        (modules / "kernel").mkdir(parents=True)
        (folder / "tree/boot").mkdir()
        (folder / "tree/DEBIAN").mkdir()
        (folder / "tree/DEBIAN/control").write_text(
            "Package: linux-image-test\nVersion: 1\nArchitecture: all\nMaintainer: none <a@b>\nDescription: none\n"
        )
        (folder / "tree/boot/vmlinuz-6.1.0-9-cloud-amd64").write_bytes(kernel_image("6.1.0-9-cloud-amd64"))
        (modules / "modules.builtin").write_text("kernel/net/ipv4/tcp_cubic.ko\n")
        source = folder / "module.c"
        source.write_text(
            '__attribute__((section(".modinfo"), used)) static const char depends[] = "depends=tcp_vegas";'
        )
        subprocess.run(["cc", "-c", source, "-o", folder / "module.o"], check=True)
        content = (folder / "module.o").read_bytes()
        alone = content.replace(b"depends=tcp_vegas", b"depends=\0        ")
        (modules / "kernel/sch_fq.ko").write_bytes(content)
        (modules / "kernel/tcp_bbr.ko.xz").write_bytes(lzma.compress(content))
        zstd = subprocess.run(["zstd", "-qc"], input=alone, capture_output=True) if shutil.which("zstd") else None
        if zstd is not None:
            (modules / "kernel/tcp_vegas.ko.zst").write_bytes(zstd.stdout)
        _packed(folder / "tree", folder / "sound.deb")
        return (folder / "sound.deb").read_bytes()


def _packed(tree: Path, path: Path) -> None:
    subprocess.run(["dpkg-deb", "-Znone", "--root-owner-group", "-b", tree, path], check=True, capture_output=True)


def shell_arguments(chance: random.Random, _folder: Path) -> str:
    """The options of `fairlane shell`, which is not opened."""
    given = [list(option) for option in chance.sample(_SHELL, chance.randint(1, 6))]
    for option in chance.sample(given, chance.randint(1, len(given))):
        # No process can be given an argument with a NUL.
        odd = chance.choice([one for one in mutator.ODD if isinstance(one, str) and "\x00" not in one])
        option[1] = odd if chance.random() < 0.5 else mutator._slip(option[1], chance)
    words = [word for option in given for word in option]
    with mock.patch.object(shell, "run", side_effect=click.exceptions.Exit(0)):
        return command("shell", *words, "--", chance.choice(["true", "", "-", "--", "ä" * 300]))
