"""Requirements of congestion controls in the kernel that this machine lacks, each with the remedy."""

import os
import platform
import re
import time
from pathlib import Path

from fairlane.algorithm.kernel import Lacking

OLDEST = (5, 15)
"""Older kernels offer a program too few of their functions."""

BTF = Path("/sys/kernel/btf/vmlinux")

_MONOTONIC_COARSE = 6
"""CLOCK_MONOTONIC_COARSE, which Python does not name."""

NO_RIGHTS = (
    "the kernel lets this process load nothing, although it is root; a container needs the capabilities BPF, PERFMON,"
    " NET_ADMIN and SYS_ADMIN (docker: --privileged), and kernel lockdown must be off"
)

_CAP_NET_ADMIN, _CAP_SYS_ADMIN, _CAP_PERFMON, _CAP_BPF = 12, 21, 38, 39


def check_kernel() -> None:
    """Raises Lacking unless this kernel can take congestion controls, and from this user."""
    if platform.system() != "Linux":
        raise Lacking(f"congestion controls are loaded into Linux; this is {platform.system()}")
    if version() < OLDEST:
        raise Lacking(f"Linux {platform.release()} is too old; a congestion control needs Linux 5.15 or later")
    if not BTF.exists():
        raise Lacking(
            f"this kernel does not describe its types ({BTF} is missing); boot one that was built with"
            " CONFIG_DEBUG_INFO_BTF, as the kernels of the large distributions are"
        )
    if not _may_load():
        raise Lacking(NO_RIGHTS if os.geteuid() == 0 else "loading into the kernel needs root; run it with sudo")


def version(release: str = "", unknown: tuple[int, int] = OLDEST) -> tuple[int, int]:
    """Major and minor version of a release, or of the running kernel; `unknown` if it tells none."""
    numbers = re.match(r"(\d+)\.(\d+)", release or platform.release())
    return (int(numbers[1]), int(numbers[2])) if numbers else unknown


def install_command(packages: str) -> str:
    """The command that installs packages here, by their Debian names."""
    other = {"dnf": "clang libbpf-devel", "pacman": "clang libbpf", "zypper": "clang libbpf-devel"}
    command = {"dnf": "dnf install", "pacman": "pacman -S", "zypper": "zypper install"}
    for manager, names in other.items():
        if any((Path(folder) / manager).exists() for folder in ("/usr/bin", "/bin")):
            return f"sudo {command[manager]} {names}"
    return f"sudo apt-get install {packages}"


def timer_interrupts_per_s() -> int:
    """The kernel's CONFIG_HZ: the coarse clock advances once per timer interrupt."""
    return round(1 / time.clock_getres(_MONOTONIC_COARSE))


def _may_load() -> bool:
    """The capability that root has outside containers."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    found = re.search(r"^CapEff:\s*([0-9a-f]+)", status, re.MULTILINE)
    held = int(found[1], 16) if found else 0

    def has(*capabilities: int) -> bool:
        return all(held >> capability & 1 for capability in capabilities)

    return has(_CAP_NET_ADMIN) and (has(_CAP_SYS_ADMIN) or has(_CAP_BPF, _CAP_PERFMON))
