"""QEMU as a machine whose clock counts instructions: 1 ns each, and idle time passes at once.

The guest is booted once, up to a breakpoint in the agent, and its memory kept in a file. Runs continue from there: from
the same file, the same plan gives the same output, byte for byte.
"""

import contextlib
import hashlib
import json
import os
import re
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from fairlane.algorithm.kernel import KernelError, Lacking, elf
from fairlane.algorithm.kernel.machine import install_command
from fairlane.files import temporary_folder
from fairlane.runs.backends.linux import building, running

PROGRAM = "qemu-system-x86_64"
MEMORY_MB = 512
TURNS = Path(__file__).parent / "turns.c"
"""A library that keeps the host's scheduling and clocks out of QEMU."""
BREAKPOINT = "snapshot_is_taken_here"
HANG_CPU_S = 600
"""After this much CPU time without a sign of life a guest is ended: a second of 300 Mbit/s takes a hundredth of it."""
STANDSTILL_S = 60
"""After this long without using a processor a guest is ended."""
_POLL_S = 0.05


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


@cache
def machine() -> list[str]:
    """Identifies the machine: QEMU, its arguments, and the files that are loaded into it."""
    return [version(), *command(Path()), hashlib.blake2b(TURNS.read_bytes(), digest_size=16).hexdigest()]


def command(folder: Path, memory_mb: int = MEMORY_MB) -> list[str]:
    """The machine, without its ports to the outside. No instruction of its processor gives random numbers."""
    return [
        *(PROGRAM, "-M", "q35", "-accel", "tcg", "-icount", "shift=0,sleep=off", "-m", str(memory_mb)),
        *("-cpu", "max,-rdrand,-rdseed,-la57,-erms,-fsrm", "-rtc", "base=2026-01-01,clock=vm", "-seed", "1"),
        *("-nodefaults", "-no-user-config", "-display", "none", "-no-reboot"),
        *("-kernel", str(folder / "vmlinuz"), "-initrd", str(folder / "initramfs")),
        *("-append", "console=ttyS0 loglevel=4 panic=-1 mitigations=off no_timer_check"),
        *("-global", "migration.store-global-state=off", "-device", "isa-debug-exit,iobase=0xf4"),
        *("-device", "isa-debugcon,iobase=0xe9,chardev=results"),
    ]


def take_snapshot(folder: Path, agent: Path) -> bytes:
    """Boots the kernel of a folder and writes `snapshot` next to it. Raises KernelError.

    Returns the kernel's BTF, empty if it has none.
    """
    version()
    address = elf.symbol(agent.read_bytes(), BREAKPOINT)
    # Names of sockets must be short.
    with temporary_folder("vm") as place:
        (place / "plan").write_bytes(b"")
        arguments = [
            *command(folder),
            *("-chardev", f"file,id=results,path={place}/results", "-serial", f"file:{place}/console", "-S"),
            *("-fw_cfg", f"name=opt/fairlane/plan,file={place}/plan"),
            *("-gdb", f"unix:{place}/gdb,server=on,wait=off", "-qmp", f"unix:{place}/qmp,server=on,wait=off"),
        ]
        process = subprocess.Popen(_bound(arguments), stderr=subprocess.PIPE, text=True)
        connections = contextlib.ExitStack()
        try:
            debugger = connections.enter_context(_connect(place / "gdb", process))
            monitor = _Monitor(connections.enter_context(_connect(place / "qmp", process)), connections)
            _debug(debugger, b"Z1,%x,1" % address)
            if not _debug(debugger, b"c").startswith(b"T05"):
                raise OSError("no breakpoint")
            _debug(debugger, b"z1,%x,1" % address)
            monitor.do("migrate-set-parameters", **{"max-bandwidth": 10**12})
            monitor.do("migrate", uri=f"exec:cat > '{place}/snapshot'")
            while (state := monitor.do("query-migrate")["status"]) not in ("completed", "failed"):
                time.sleep(_POLL_S)
            if state == "failed":
                raise OSError("the memory cannot be written")
        except OSError as error:
            process.kill()
            said = failure(_text(place / "console")) or _last_line(_text(place / "results")) or str(error)
            raise KernelError(f"the kernel does not boot: {said}") from None
        finally:
            connections.close()
            process.kill()
            process.communicate()
        content = _running((place / "snapshot").read_bytes())
        unfinished = folder / "snapshot.new"
        unfinished.write_bytes(content)
        unfinished.rename(folder / "snapshot")
        return (place / "results").read_bytes()


def run(folder: Path, plan: bytes) -> Ended:
    """Continues from the snapshot with this plan, to its end."""
    with temporary_folder("vm") as place:
        (place / "plan").write_bytes(plan)
        arguments = [
            *command(folder),
            *("-chardev", f"file,id=results,path={place}/results", "-serial", "stdio"),
            *("-fw_cfg", f"name=opt/fairlane/plan,file={place}/plan"),
            *("-incoming", f"exec:cat '{folder}/snapshot'"),
        ]
        with open(place / "console", "wb") as console:
            has_ended, usage = running.run(_bound(arguments), console, _Hang(place / "results").is_there)
        output, said = _text(place / "results"), _text(place / "console")
        return Ended(output, said, usage, is_hung=not has_ended)


def failure(console: str) -> str:
    """The message about its end on a guest's console; empty if there is none."""
    for pattern, words in (
        (r"Out of memory|panic_on_oom", f"the guest ran out of its {MEMORY_MB} MB of memory"),
        (r"Kernel panic - not syncing: (.*)", "the kernel panicked: {}"),
        (r"(BUG: .*)", "the kernel failed: {}"),
        (r"(qemu-system-x86_64: .*)", "{}"),
    ):
        found = re.search(pattern, console)
        if found:
            return words.format(*(group.strip() for group in found.groups()))
    return ""


def _bound(arguments: list[str]) -> list[str]:
    """The command as a process that dies with this one, however that ends, and that the host cannot disturb (TURNS).

    The library is loaded into QEMU alone: a program in front of it would take it out of the environment.
    """
    bound = ["setpriv", "--pdeathsig", "KILL"] if shutil.which("setpriv") else []
    return [*bound, "env", f"LD_PRELOAD={building.library(TURNS)}", *arguments]


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
        size = self._results.stat().st_size if self._results.exists() else 0
        if size != self._written:
            self._written, self._alive_cpu_s = size, cpu_s
        if cpu_s != self._used_cpu_s or words[0] == "R":
            self._used_cpu_s, self._used_s = cpu_s, time.monotonic()
        return cpu_s - self._alive_cpu_s > HANG_CPU_S or time.monotonic() - self._used_s > STANDSTILL_S


def _text(path: Path) -> str:
    return path.read_text(errors="replace") if path.exists() else ""


def _last_line(text: str) -> str:
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else ""


def _connect(path: Path, process: "subprocess.Popen[str]") -> socket.socket:
    found = socket.socket(socket.AF_UNIX)
    while True:
        with contextlib.suppress(FileNotFoundError, ConnectionRefusedError):
            found.connect(str(path))
            return found
        if process.poll() is not None:
            found.close()
            raise OSError(_last_line(process.stderr.read() if process.stderr else "") or "QEMU ended")
        time.sleep(_POLL_S)


def _debug(debugger: socket.socket, words: bytes) -> bytes:
    """A command of GDB's remote protocol, and the answer to it."""
    debugger.sendall(b"$%s#%02x" % (words, sum(words) % 256))
    answer = b""
    while not re.search(rb"\$[^#]*#..$", answer):
        more = debugger.recv(4096)
        if not more:
            raise OSError("QEMU ended")
        answer += more
    debugger.sendall(b"+")
    return answer.partition(b"$")[2].partition(b"#")[0]


class _Monitor:
    """QEMU's own protocol for control."""

    def __init__(self, connection: socket.socket, closing: contextlib.ExitStack) -> None:
        self._file = closing.enter_context(connection.makefile("rw"))
        self._file.readline()
        self.do("qmp_capabilities")

    def do(self, name: str, **arguments: Any) -> Any:
        """The return value of a command."""
        self._file.write(json.dumps({"execute": name, "arguments": arguments}) + "\n")
        self._file.flush()
        for line in self._lines():
            if "error" in line:
                raise OSError(line["error"]["desc"])
            if "return" in line:
                return line["return"]
        raise OSError("QEMU ended")

    def _lines(self) -> Iterator[dict[str, Any]]:
        while line := self._file.readline():
            yield json.loads(line)


def _running(snapshot: bytes) -> bytes:
    """A snapshot that was taken at a breakpoint, as one of a running guest.

    QEMU notes the state `debug` in the section `globalstate` (a length, then a name in 100 bytes), and would not go on.
    """
    begin = snapshot.index(b"\x0bglobalstate")
    at = snapshot.index(b"debug\0", begin)
    if at - begin > 64 or snapshot[at - 4 : at] != len(b"debug\0").to_bytes(4, "big"):
        raise KernelError(f"the snapshot of QEMU {version()} has another form than is known; use 7.2 or later")
    size = len(b"running\0").to_bytes(4, "big")
    return snapshot[: at - 4] + size + b"running\0" + snapshot[at + 8 :]
