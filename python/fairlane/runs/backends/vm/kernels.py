"""The kernels that were added: where they are, what they have, and how they get ready to run."""

import fcntl
import hashlib
import json
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from fairlane.algorithm.kernel import KernelError
from fairlane.engine.messages import nearest
from fairlane.files import cache_folder, temporary_folder
from fairlane.runs.backends.linux import building, programs
from fairlane.runs.backends.linux.limits import Abilities
from fairlane.runs.backends.vm import image, package, qemu

FASTEST_BPS = 300_000_000
"""Beyond this the guest, which executes an instruction per nanosecond, limits the flows itself."""
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


@dataclass(frozen=True)
class Kernel:
    """A kernel that was added."""

    name: str
    folder: Path
    release: str
    package: str
    """The package that it came in."""
    hz: int
    modules: tuple[str, ...]
    """Modules that runs may need, and those that are part of the kernel."""

    @property
    def version(self) -> tuple[int, int]:
        """Major and minor version."""
        numbers = re.match(r"(\d+)\.(\d+)", self.release)
        return (int(numbers[1]), int(numbers[2])) if numbers else (0, 0)

    @property
    def abilities(self) -> Abilities:
        """Its abilities."""
        return Abilities(
            name=f"Linux {self.release}",
            version=self.version,
            queues=frozenset(name for name in image.QUEUES if f"sch_{name}" in self.modules),
            algorithms=frozenset({"reno", *(name for name in image.ALGORITHMS if f"tcp_{name}" in self.modules)}),
            hz=self.hz,
            takes_programs=(self.folder / "btf").exists(),
            fastest_bps=FASTEST_BPS,
        )

    @property
    def target(self) -> programs.Target:
        """The target of programs for it."""
        return programs.Target(self.release, self.version, self.hz, self.folder / "btf")

    def identity(self) -> str:
        """Identifies everything that a result depends on in addition to the scenario."""
        digest = hashlib.blake2b(digest_size=16)
        for name in ("vmlinuz", "initramfs"):
            digest.update(hashlib.blake2b((self.folder / name).read_bytes()).digest())
        digest.update(json.dumps([qemu.machine(), building.source_digest()]).encode())
        return f"Linux {self.release}, QEMU {qemu.version()}, {digest.hexdigest()}"


def root() -> Path:
    """The folder of all kernels."""
    return cache_folder() / "kernels"


def add(word: str, name: str | None = None) -> Kernel:
    """Fetches a kernel (a suite, a package's name or a package's file) and gets it ready. Raises KernelError."""
    if name is not None:
        _folder(name)
    qemu.version()
    is_file = "/" in word or word.endswith(".deb")
    if is_file and not Path(word).is_file():
        raise KernelError(f"{word} does not exist; name a package linux-image-VERSION.deb")
    chosen = name or _name_of(Path(word).name if is_file else word)
    root().mkdir(parents=True, exist_ok=True)
    with _locked(), temporary_folder("kernel", inside=root()) as work:
        archives = [Path(word)] if is_file else package.fetch(word, work)
        tree, made = work / "tree", work / "made"
        vmlinuz = package.unpack(archives, tree)
        made.mkdir()
        release = vmlinuz.name.removeprefix("vmlinuz-") if "-" in vmlinuz.name else vmlinuz.parent.name
        shutil.copy(vmlinuz, made / "vmlinuz")
        modules = image.modules(tree)
        (made / "modules").mkdir()
        for module, content in modules.items():
            (made / "modules" / module).write_bytes(content)
        configuration = next(
            (path for form in ("boot", "usr/lib/modules/*") for path in tree.glob(form + "/config*")), None
        )
        settings = configuration.read_text(encoding="utf-8", errors="replace") if configuration else ""
        hz = re.search(r"^CONFIG_HZ=([1-9]\d{0,3})$", settings, re.MULTILINE)
        about = {
            "release": release,
            "package": archives[0].name,
            "hz": int(hz[1]) if hz else 250,
            "order": list(modules),
            "modules": sorted({*modules, *image.built_in(tree)}),
        }
        (made / "kernel.json").write_text(json.dumps(about, indent=1))
        _prepare(made)
        target = _folder(chosen)
        shutil.rmtree(target, ignore_errors=True)
        made.rename(target)
    return find(chosen)


def every() -> list[Kernel]:
    """All kernels, by name."""
    return [find(path.parent.name) for path in sorted(root().glob("*/kernel.json")) if path.parent.name[0] != "."]


def find(name: str = "") -> Kernel:
    """The kernel of this name; without one the newest. Raises KernelError."""
    if not name:
        kernels = every()
        if not kernels:
            raise KernelError("no kernel was added yet; write for example: fairlane kernel add debian-12")
        return max(kernels, key=lambda kernel: kernel.version)
    folder = _folder(name)
    try:
        about = json.loads((folder / "kernel.json").read_text())
    except (OSError, ValueError):
        names = [path.parent.name for path in root().glob("*/kernel.json")]
        raise KernelError(
            f"there is no kernel '{name}'; add it: fairlane kernel add {name}{nearest(name, names)}"
        ) from None
    return Kernel(name, folder, about["release"], about["package"], about["hz"], tuple(about["modules"]))


def remove(name: str) -> None:
    """Removes a kernel. Raises KernelError."""
    shutil.rmtree(find(name).folder)


def make_ready(kernel: Kernel) -> None:
    """Prepares a kernel again if the agent or QEMU have changed since. Raises KernelError."""
    if _stamp() != _read(kernel.folder / "prepared"):
        with _locked():
            if _stamp() != _read(kernel.folder / "prepared"):
                _prepare(kernel.folder)


def _prepare(folder: Path) -> None:
    """Packs the initramfs and takes the snapshot."""
    order = json.loads((folder / "kernel.json").read_text())["order"]
    modules = {name: (folder / "modules" / name).read_bytes() for name in order}
    (folder / "initramfs").write_bytes(image.initramfs(modules))
    types = qemu.take_snapshot(folder, building.agent())
    if types:
        (folder / "btf").write_bytes(types)
    (folder / "prepared").write_text(_stamp())


def _stamp() -> str:
    return json.dumps([qemu.machine(), building.source_digest()])


def _folder(name: str) -> Path:
    """The folder of a kernel. Raises KernelError for a name that could lead out of the folder of all kernels."""
    if not _NAME.fullmatch(name):
        raise KernelError(
            f"'{name}' cannot be the name of a kernel; begin with a letter or digit, and use letters, digits, '.', '_'"
            " and '-'"
        )
    return root() / name


def _read(path: Path) -> str:
    return path.read_text() if path.exists() else ""


def _name_of(word: str) -> str:
    found = re.match(r"linux-image-(\d+\.\d+)", word)
    return found[1] if found else re.sub(r"[^A-Za-z0-9._-]", "-", word)


@contextmanager
def _locked() -> Iterator[None]:
    with open(root() / ".lock", "w", encoding="ascii") as lock:
        fcntl.lockf(lock, fcntl.LOCK_EX)
        yield
