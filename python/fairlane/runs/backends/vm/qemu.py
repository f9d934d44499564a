"""QEMU as a machine whose clock counts instructions: 1 ns each, and idle time passes at once.

Runs continue from a snapshot (`vm.boot`): from the same file, the same plan gives the same output, byte for byte.

A guest at a speed above 1 believes that its processor's clock has that many GHz. QEMU executes as before, so that each
of the guest's nanoseconds has room for that many instructions, as in time dilation (Gupta et al., "To Infinity and
Beyond: Time-Warped Network Emulation", NSDI 2006), but no rate, delay or constant of TCP has to be scaled. The words of
the kernel's command line leave it no other clock by which to find out; `vm.boot` tells it the rate of its timer.
"""

import contextlib
import hashlib
import os
import re
import shutil
import subprocess
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from fairlane.algorithm.kernel import Lacking
from fairlane.algorithm.kernel.machine import install_command
from fairlane.runs.backends.linux import building, running
from fairlane.runs.backends.vm import confined

PROGRAM = "qemu-system-x86_64"
SPEEDS = (1, 10, 100)
"""Instructions that a guest's processor can be made to execute per nanosecond of the guest's time."""
USUAL_SPEED = 10
"""That of a server of today: 3 to 4 GHz, and three instructions per cycle."""
FASTEST_TIMER = 15
"""Beyond this speed the kernel cannot express the rate of its timer, and the agent makes it slower (agent/boot.c)."""
SLOWER, TIMER_DIVISOR = 8, 0xA
"""By this factor: the timer divides its clock by 128, as this value of its register says, where the kernel chose 16."""
TICKS_PER_JIFFY = "lapic_timer_period"
SYMBOLS = ("_text", "start_kernel", TICKS_PER_JIFFY)
"""The symbols of the kernel whose addresses the agent reports; a guest of another speed needs them (`vm.boot`)."""
MEMORY_MB = dict(zip(SPEEDS, (512, 2048, 4096), strict=True))
"""By speed: faster flows have more data in flight and in queues."""
SNAPSHOT, INITRAMFS = "snapshot", "initramfs"
"""The files of ordinary guests of speed 1, in the folder of a kernel; names of others begin with these words."""
TURNS = Path(__file__).parent / "turns.c"
"""A library that keeps the host's scheduling and clocks out of QEMU."""
HANG_CPU_S = 600
"""After this much CPU time without a sign of life a guest is ended: a second of 300 Mbit/s takes a hundredth of it."""
STANDSTILL_S = 60
"""After this long without using a processor a guest is ended."""
_POLL_S = 0.05
_SANDBOX = ("-sandbox", "on,obsolete=deny,elevateprivileges=deny,spawn=deny,resourcecontrol=deny")


RESULTS = ("-chardev", "file,id=results,path=results", "-fw_cfg", "name=opt/fairlane/plan,file=plan")
"""The guest's port to the outside, and its plan."""


@dataclass(frozen=True)
class Ended:
    """The end of a guest."""

    output: str
    console: str
    usage: Mapping[str, float]
    is_hung: bool


@cache
def version() -> str:
    """QEMU's version. Raises Lacking."""
    if not shutil.which(PROGRAM):
        raise Lacking(f"{PROGRAM} is missing; install it: {install_command('qemu-system-x86')}")
    said = subprocess.run([PROGRAM, "--version"], capture_output=True, text=True).stdout
    found = re.search(r"version (\S+)", said)
    return found[1] if found else said.strip()


def machine() -> list[str]:
    """Identifies the machine: QEMU, its arguments, and the files that are loaded into it."""
    commands = [word for speed in SPEEDS for word in command(speed)]
    return [version(), *commands, hashlib.blake2b(TURNS.read_bytes(), digest_size=16).hexdigest()]


@cache
def sandbox() -> tuple[str, ...]:
    """The options by which QEMU confines itself with seccomp; none if it was built without."""
    alone = ("-machine", "none", "-nodefaults", "-no-user-config", "-display", "none", "-monitor", "stdio")
    done = subprocess.run([PROGRAM, *_SANDBOX, *alone], input=b"quit\n", capture_output=True)
    return _SANDBOX if done.returncode == 0 else ()


def command(speed: int = 1) -> list[str]:
    """The machine, without its ports to the outside. No instruction of its processor gives random numbers.

    It has no network, display, USB or disk. Names of files are relative to the folder in which QEMU runs (`place`).
    """
    # The kernel gives words that it does not know, such as symbols=, to the agent as its environment.
    words = f"console=ttyS0 loglevel=4 panic=-1 mitigations=off no_timer_check symbols={','.join(SYMBOLS)}"
    if speed > 1:  # no other timers or clocks, and a processor of as many GHz; kernel addresses are those in its file
        words += f" hpet=disable pmtmr=0 tsc=reliable tsc_early_khz={speed}000000 nokaslr"
    if speed > FASTEST_TIMER:
        words += f" iomem=relaxed timer_divisor={TIMER_DIVISOR}"
    return [
        *(PROGRAM, "-M", "q35", "-accel", "tcg", "-icount", "shift=0,sleep=off", "-m", str(MEMORY_MB[speed])),
        *("-cpu", "max,-rdrand,-rdseed,-la57,-erms,-fsrm", "-rtc", "base=2026-01-01,clock=vm", "-seed", "1"),
        *("-nodefaults", "-no-user-config", "-display", "none", "-no-reboot"),
        *("-kernel", "vmlinuz", "-initrd", "initramfs"),
        *("-append", words),
        *("-global", "migration.store-global-state=off", "-device", "isa-debug-exit,iobase=0xf4"),
        *("-device", "isa-debugcon,iobase=0xe9,chardev=results"),
    ]


def snapshot_file(folder: Path, speed: int = 1, initramfs: str = INITRAMFS) -> Path:
    """The file with the memory of a guest of this speed, in the folder of its kernel."""
    return folder / (SNAPSHOT + (f"-{speed}" if speed > 1 else "") + initramfs.removeprefix(INITRAMFS))


def run(folder: Path, plan: bytes, speed: int = 1, initramfs: str = INITRAMFS) -> Ended:
    """Continues from the snapshot with this plan, to its end."""
    before = snapshot_file(folder, speed, initramfs)
    with place(folder, plan, initramfs) as inner, open(inner / "console", "wb") as console, _output(before) as state:
        arguments = [*command(speed), *RESULTS, "-serial", "stdio", "-incoming", f"fd:{state}"]
        is_lost = _Hang(inner / "results").is_there
        has_ended, usage = running.run(
            bound(arguments), console, is_lost, pass_fds=(state,), **confined.process_options(inner)
        )
        output, said = confined.text(inner / "results"), confined.text(inner / "console")
        return Ended(output, said, usage, is_hung=not has_ended)


def place(folder: Path, plan: bytes, initramfs: str = INITRAMFS) -> contextlib.AbstractContextManager[Path]:
    """A folder to run QEMU in, with the files of a kernel's folder under names that no option has to quote.

    Commas in options, blanks in LD_PRELOAD and long names of sockets would be misread.
    """
    files = {"vmlinuz": folder / "vmlinuz", "initramfs": folder / initramfs, "turns": building.library(TURNS)}
    return confined.place(files, {"plan": plan})


@contextlib.contextmanager
def _output(path: Path) -> Iterator[int]:
    """A pipe from which a file can be read: QEMU discourages files themselves in `fd:`."""
    with open(path, "rb") as file, subprocess.Popen(["cat"], stdin=file, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        yield process.stdout.fileno()


def failure(console: str, speed: int = 1) -> str:
    """The message about its end on a guest's console; empty if there is none."""
    for pattern, words in (
        (r"Out of memory|panic_on_oom", f"the guest ran out of its {MEMORY_MB[speed]} MB of memory"),
        (r"Kernel panic - not syncing: (.*)", "the kernel panicked: {}"),
        (r"(BUG: .*)", "the kernel failed: {}"),
        (r"(qemu-system-x86_64: .*)", "{}"),
    ):
        found = re.search(pattern, console)
        if found:
            return words.format(*(group.strip() for group in found.groups()))
    return ""


def bound(arguments: list[str]) -> list[str]:
    """The command as a process that dies with this one, however that ends, and that the host cannot disturb (TURNS).

    The library is loaded into QEMU alone: a program in front of it would take it out of the environment. It is that of
    the folder in which the command runs.
    """
    bound = ["setpriv", "--pdeathsig", "KILL"] if shutil.which("setpriv") else []
    if shutil.which("prlimit"):  # a guest could fill the disk
        bound += ["prlimit", f"--fsize={confined.MAX_BYTES}", "--"]
    options = sandbox() if arguments[0] == PROGRAM else ()
    return [*bound, "env", "LD_PRELOAD=./turns", arguments[0], *options, *arguments[1:]]


class _Hang:
    """Whether a guest must be taken as hung.

    A guest writes an empty line for each second of its time. One that executes without doing so uses CPU time; one
    whose time stands still, because it waits for no timer, uses none.
    """

    def __init__(self, results: Path) -> None:
        self._results = results
        self._written, self._alive_cpu_s = 0, 0.0
        self._used_cpu_s, self._used_s = 0.0, time.monotonic()

    def is_there(self, process: int) -> bool:
        words = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        cpu_s = (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")
        size = self._results.lstat().st_size if os.path.lexists(self._results) else 0
        if size != self._written:
            self._written, self._alive_cpu_s = size, cpu_s
        if cpu_s != self._used_cpu_s or words[0] == "R":
            self._used_cpu_s, self._used_s = cpu_s, time.monotonic()
        return cpu_s - self._alive_cpu_s > HANG_CPU_S or time.monotonic() - self._used_s > STANDSTILL_S
