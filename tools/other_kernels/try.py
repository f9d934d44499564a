"""Loads all algorithms into another kernel than the running one, in a virtual machine, and moves data with each.

    python tools/other_kernels/try.py VMLINUZ...

Needs clang, libbpf-dev, busybox-static and qemu-system-x86; a kernel is what `apt-get download linux-image-VERSION` and
`dpkg-deb -x` leave in boot/. Half a minute for each kernel without virtualisation in hardware.
"""

import gzip
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
ALGORITHMS = HERE.parents[1] / "algorithms"
INIT = """#!/bin/busybox sh
/bin/busybox mount -t proc proc /proc
/bin/busybox mount -t sysfs sysfs /sys
/bin/busybox ip link set lo up
/bin/loader /programs/*.o
/bin/busybox poweroff -f
"""
PATIENCE_S = 300


def main() -> None:
    """Tries each kernel that the command line names; fails if a program fails in one of them."""
    kernels = [Path(word) for word in sys.argv[1:]]
    if not kernels:
        sys.exit("usage: python tools/other_kernels/try.py VMLINUZ...")
    with tempfile.TemporaryDirectory() as folder:
        image = build_image(Path(folder))
        worked = [try_kernel(kernel, image) for kernel in kernels]
    sys.exit(not all(worked))


def build_image(folder: Path) -> Path:
    """An initial file system with the programs, the loader, and what it needs."""
    root = folder / "root"
    for name in ("bin", "proc", "sys", "programs"):
        (root / name).mkdir(parents=True)
    busybox = shutil.which("busybox") or sys.exit("there is no busybox; install busybox-static")
    shutil.copy(busybox, root / "bin/busybox")
    loader = root / "bin/loader"
    run("cc", "-O1", "-o", loader, HERE / "loader.c", "-lbpf", "-lpthread")
    for library in re.findall(r"/[^ ]*", run("ldd", loader)):
        place = root / library.strip().lstrip("/")
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(library.strip(), place)
    for source in sorted(ALGORITHMS.glob("*.c")):
        flags = ("-target", "bpf", "-D__TARGET_ARCH_x86", "-O2", "-g", "-I", ALGORITHMS / "interface")
        run("clang", *flags, "-c", source, "-o", root / f"programs/{source.stem}.o")
    (root / "init").write_text(INIT)
    (root / "init").chmod(0o755)
    names = "\n".join(str(path.relative_to(root)) for path in sorted(root.rglob("*")))
    archive = subprocess.run(
        [busybox, "cpio", "-o", "-H", "newc"], cwd=root, input=names.encode(), capture_output=True, check=True
    )
    image = folder / "image.gz"
    image.write_bytes(gzip.compress(archive.stdout, 1))
    return image


def try_kernel(kernel: Path, image: Path) -> bool:
    """Prints what became of each program; true if all work."""
    machine = ["qemu-system-x86_64", "-m", "1024", "-nographic", "-no-reboot"]
    arguments = ["-kernel", str(kernel), "-initrd", str(image), "-append", "console=ttyS0 quiet panic=-1"]
    # What firmware prints need not be text.
    booted = subprocess.run(
        machine + arguments, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, errors="replace", timeout=PATIENCE_S
    )
    printed = booted.stdout.replace("\r", "")
    results = re.findall(r"RESULT (\w+) (.+)", printed)
    working = [name for name, result in results if result == "works"]
    print(f"{kernel.name}: {len(working)} of {len(list(ALGORITHMS.glob('*.c')))} work")
    if len(working) < len(results) or not results:
        print(printed[printed.find("RESULT") :])
    return bool(results) and len(working) == len(list(ALGORITHMS.glob("*.c")))


def run(*command: object) -> str:
    """What a command prints."""
    return subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True).stdout


if __name__ == "__main__":
    main()
