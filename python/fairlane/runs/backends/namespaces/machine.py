"""The abilities of this machine's kernel."""

import os
import platform
import shutil
import subprocess
from functools import cache
from pathlib import Path

from fairlane.algorithm.kernel import Lacking, loading, registry
from fairlane.algorithm.kernel import machine as kernel_machine
from fairlane.runs.backends.linux import building, tc
from fairlane.runs.backends.linux.limits import Abilities
from fairlane.runs.backends.linux.plan import launcher
from fairlane.runs.backends.linux.programs import UNLOADED_SINCE, Target
from fairlane.runs.emulation import devices, namespaces, selfcheck

_SETTINGS = Path("/proc/sys/net/ipv4")


def check() -> None:
    """Raises Lacking unless this user can create namespaces here, and the programs for it are there."""
    if platform.system() != "Linux":
        raise Lacking(f"namespaces are of Linux; this is {platform.system()}; use --on simulator")
    for program in ("ip", "tc", "unshare"):
        if not shutil.which(program):
            command = kernel_machine.install_command("iproute2 util-linux")
            raise Lacking(f"the program {program} is missing; install it: {command}")
    done = _in_namespace(["true"])
    if done.returncode:
        raise Lacking(f"this user may not create namespaces ({done.stderr.strip()}); {namespaces.remedy()}")


@cache
def can_emulate() -> bool:
    """Whether networks can be emulated here."""
    return os.access(devices.TUN, os.R_OK | os.W_OK)


def check_emulation() -> None:
    """Raises Lacking unless networks can be emulated here."""
    if not can_emulate():
        raise Lacking(f"{devices.TUN} cannot be opened; load the module tun, or run it as root")


@cache
def abilities() -> Abilities:
    """The abilities of this kernel; each queue is tried."""
    available = registry.available()
    return Abilities(
        name=f"Linux {platform.release()}",
        version=kernel_machine.version(),
        queues=_queues(),
        algorithms=frozenset(available if os.geteuid() == 0 else {"reno", *available}),
        hz=kernel_machine.timer_interrupts_per_s(),
        takes_programs=kernel_machine.version() >= UNLOADED_SINCE and loading.cannot_load() is None,
        fastest_bps=selfcheck.FASTEST_BPS,
    )


def target(*, loads: bool) -> Target:
    """The target of programs here. Raises KernelError if one is to be loaded and the loader cannot be built."""
    script, loader = launcher("./loader", building.loader()) if loads else (b"", "")
    return Target(
        platform.release(),
        kernel_machine.version(),
        kernel_machine.timer_interrupts_per_s(),
        kernel_machine.BTF,
        before=script,
        command=f"hold {loader}",
        ending="hold",
        folder=".",
        prefix=f"fl_{os.getpid()}_",
    )


def has_setting(name: str) -> bool:
    """Whether the kernel has this setting of TCP."""
    return (_SETTINGS / name).exists()


def _queues() -> frozenset[str]:
    script = "".join(
        f"tc qdisc add dev lo root {' '.join(words)} 2>/dev/null && echo {kind}; tc qdisc del dev lo root 2>/dev/null\n"
        for kind, words in tc.tries()
    )
    return frozenset(_in_namespace(["sh", "-c", f"ip link set lo up\n{script}true"]).stdout.split())


def _in_namespace(command: list[str]) -> subprocess.CompletedProcess[str]:
    user = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
    return subprocess.run(["unshare", *user, "--net", *command], capture_output=True, text=True)
