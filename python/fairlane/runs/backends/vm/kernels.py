"""The kernels that were added: where they are, what they have, and how they get ready to run."""

import fcntl
import hashlib
import json
import re
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from fairlane import _engine, files
from fairlane.algorithm.kernel import KernelError, machine
from fairlane.engine.messages import nearest
from fairlane.engine.types import Scenario
from fairlane.files import cache_folder, temporary_folder
from fairlane.runs.backends import provenance
from fairlane.runs.backends.linux import building, limits, programs
from fairlane.runs.backends.linux.limits import Abilities
from fairlane.runs.backends.vm import boot, emulated, image, package, qemu

_FASTEST_BPS = 300_000_000
"""Beyond this a guest that executes an instruction per nanosecond limits the flows itself."""
_EMULATED = "emulated"
"""The file that tells what the guest with an emulated network was made from."""
_LOCK = threading.Lock()
"""Threads of a process share the lock of a file."""
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_LONGEST_IMAGE = 256 << 20


@dataclass(frozen=True)
class Kernel:
    """A kernel that was added."""

    name: str
    folder: Path
    release: str
    package: str
    """The package that it came in."""
    modules: tuple[str, ...]
    """Modules that runs may need, and those that are part of the kernel."""

    @property
    def version(self) -> tuple[int, int]:
        """Major and minor version."""
        return machine.version(self.release, (0, 0))

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
            fastest_bps=_FASTEST_BPS * self.speeds[-1],
        )

    @property
    def can_emulate(self) -> bool:
        """Whether it can run between hosts whose network is emulated."""
        return "tun" in self.modules and self._told.has_all_addresses

    @property
    def speeds(self) -> tuple[int, ...]:
        """The speeds at which it can run (see `vm.qemu`), slowest first."""
        return qemu.SPEEDS if self._told.has_all_addresses else qemu.SPEEDS[:1]

    def speed_for(self, scenario: Scenario) -> int:
        """The usual speed, or a higher one at which its processor does not limit the flows."""
        rate_bps = limits.fastest_bps(scenario)
        enough = (one for one in self.speeds if one >= qemu.USUAL_SPEED and rate_bps <= _FASTEST_BPS * one)
        return next(enough, self.speeds[-1])

    @property
    def hz(self) -> int:
        """Its timer interrupts per second."""
        return self._told.hz

    @property
    def _told(self) -> boot.Told:
        return boot.Told(**json.loads(_read(self.folder / "told") or "{}"))

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


def add(word: str, name: str | None = None, modules: Path | None = None) -> Kernel:
    """Fetches a kernel and gets it ready. Raises KernelError.

    `word` is a suite, the name or the file of a package, or an image of one's own, for which `modules` is the folder of
    its modules: that of its build, or that into which they were installed.
    """
    if name is not None:
        _folder(name)
    qemu.version()
    is_file = "/" in word or word.endswith(".deb")
    if is_file and not Path(word).is_file():
        raise KernelError(f"{word} does not exist; name a package linux-image-VERSION.deb, or a kernel's image")
    if modules is not None and not modules.is_dir():
        raise KernelError(f"--modules: {modules} is no folder; name that of the build, or lib/modules/VERSION")
    is_image = is_file and not word.endswith(".deb")
    if not is_image and modules is not None:
        raise KernelError("--modules: a package has its own modules; leave it out")
    root().mkdir(parents=True, exist_ok=True)
    with _locked(), temporary_folder("kernel", inside=root()) as work:
        if is_image:
            tree, source = modules, Path(word).name
            content = files.content(Path(word), "name a kernel's image", at_most=_LONGEST_IMAGE)
            release = package.release(content, Path(word))
        else:
            archives = [Path(word)] if is_file else package.fetch(word, work)
            tree, source = work / "tree", archives[0].name
            vmlinuz = package.unpack(archives, tree)
            content = files.content(vmlinuz, "name another package", at_most=_LONGEST_IMAGE)
            release = vmlinuz.name.removeprefix("vmlinuz-") if "-" in vmlinuz.name else vmlinuz.parent.name
        chosen = name or (_without_odd(release) if is_image else _name_of(Path(word).name))
        loaded = image.modules(tree) if tree else {}
        made = work / "made"
        (made / "modules").mkdir(parents=True)
        (made / "vmlinuz").write_bytes(content)
        for module, compiled in loaded.items():
            (made / "modules" / module).write_bytes(compiled)
        about = {
            "release": release,
            "package": source,
            "order": list(loaded),
            "modules": sorted({*loaded, *(image.built_in(tree) if tree else ())}),
        }
        (made / "kernel.json").write_text(json.dumps(about, indent=1))
        _prepare(made)
        target = _folder(chosen)
        shutil.rmtree(target, ignore_errors=True)
        made.rename(target)
    kernel = find(chosen)
    make_ready(kernel, min(qemu.USUAL_SPEED, kernel.speeds[-1]))
    return kernel


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
    return Kernel(name, folder, about["release"], about["package"], tuple(about["modules"]))


def remove(name: str) -> None:
    """Removes a kernel. Raises KernelError."""
    _folder(name)  # an empty name is not the newest here
    shutil.rmtree(find(name).folder)


def make_ready(kernel: Kernel, speed: int = 1) -> None:
    """Prepares a kernel again if the agent or QEMU have changed since, and for a speed. Raises KernelError."""
    if _is_ready(kernel.folder, speed):
        return
    with _locked():
        if not _is_ready(kernel.folder):
            _prepare(kernel.folder)
        if speed > 1 and not _is_ready(kernel.folder, speed):
            boot.take(kernel.folder, building.agent(), speed, kernel._told)


def make_emulator_ready(kernel: Kernel) -> str:
    """Prepares a guest whose network is emulated, and returns the name of its initramfs. Raises KernelError."""
    name, mark = f"{qemu.INITRAMFS}-emulated", kernel.folder / _EMULATED
    make_ready(kernel)
    stamp = f"{_stamp()} {provenance.simulator()}"
    if _read(mark) != stamp:
        with _locked():
            if _read(mark) != stamp:
                content = (kernel.folder / qemu.INITRAMFS).read_bytes() + image.emulator(Path(_engine.__file__))
                (kernel.folder / name).write_bytes(content)
                boot.take(kernel.folder, building.agent(), emulated.SPEED, kernel._told, name)
                mark.write_text(stamp)
    return name


def _is_ready(folder: Path, speed: int = 1) -> bool:
    return _stamp() == _read(folder / "prepared") and qemu.snapshot_file(folder, speed).exists()


def _prepare(folder: Path) -> None:
    """Packs the initramfs and takes the snapshot of a guest of speed 1; those of other speeds are out of date."""
    order = json.loads((folder / "kernel.json").read_text())["order"]
    modules = {name: (folder / "modules" / name).read_bytes() for name in order}
    (folder / "initramfs").write_bytes(image.initramfs(modules))
    for outdated in [*folder.glob(f"{qemu.SNAPSHOT}*"), folder / _EMULATED]:
        outdated.unlink(missing_ok=True)
    told, types = boot.take(folder, building.agent())
    (folder / "told").write_text(json.dumps(asdict(told)))
    if types:
        (folder / "btf").write_bytes(types)
    (folder / "prepared").write_text(_stamp())


def _stamp() -> str:
    return json.dumps([qemu.machine(), building.source_digest()])


def _folder(name: str) -> Path:
    """The folder of a kernel. Raises KernelError for a name that could lead out of the folder of all kernels."""
    if not _NAME.fullmatch(name):
        raise KernelError(
            f"{name!r} cannot be the name of a kernel; begin with a letter or digit, and use letters, digits, '.', '_'"
            " and '-'"
        )
    return root() / name


def _read(path: Path) -> str:
    return path.read_text() if path.exists() else ""


def _name_of(word: str) -> str:
    found = re.match(r"linux-image-(\d+\.\d+)", word)
    return found[1] if found else _without_odd(word)


def _without_odd(word: str) -> str:
    return re.sub(r"[^A-Za-z0-9._-]", "-", word)


@contextmanager
def _locked() -> Iterator[None]:
    with _LOCK, open(root() / ".lock", "w", encoding="ascii") as lock:
        fcntl.lockf(lock, fcntl.LOCK_EX)
        yield
