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
from types import MappingProxyType
from typing import IO, Any

from fairlane.algorithm.kernel import KernelError, Lacking, elf
from fairlane.algorithm.kernel.machine import install_command
from fairlane.runs.backends.linux import building, running
from fairlane.runs.backends.vm import confined

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
_SANDBOX = ("-sandbox", "on,obsolete=deny,elevateprivileges=deny,spawn=deny,resourcecontrol=deny")


_RESULTS = ("-chardev", "file,id=results,path=results", "-fw_cfg", "name=opt/fairlane/plan,file=plan")
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


@cache
def machine() -> list[str]:
    """Identifies the machine: QEMU, its arguments, and the files that are loaded into it."""
    return [version(), *command(), hashlib.blake2b(TURNS.read_bytes(), digest_size=16).hexdigest()]


@cache
def sandbox() -> tuple[str, ...]:
    """The options by which QEMU confines itself with seccomp; none if it was built without."""
    alone = ("-machine", "none", "-nodefaults", "-no-user-config", "-display", "none", "-monitor", "stdio")
    done = subprocess.run([PROGRAM, *_SANDBOX, *alone], input=b"quit\n", capture_output=True)
    return _SANDBOX if done.returncode == 0 else ()


def command() -> list[str]:
    """The machine, without its ports to the outside. No instruction of its processor gives random numbers.

    It has no network, display, USB or disk. Names of files are relative to the folder in which QEMU runs (`_place`).
    """
    return [
        *(PROGRAM, "-M", "q35", "-accel", "tcg", "-icount", "shift=0,sleep=off", "-m", str(MEMORY_MB)),
        *("-cpu", "max,-rdrand,-rdseed,-la57,-erms,-fsrm", "-rtc", "base=2026-01-01,clock=vm", "-seed", "1"),
        *("-nodefaults", "-no-user-config", "-display", "none", "-no-reboot"),
        *("-kernel", "vmlinuz", "-initrd", "initramfs"),
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
    with _place(folder, b"") as place, contextlib.ExitStack() as connections:
        arguments = [
            *command(),
            *(*_RESULTS, "-serial", "file:console", "-S"),
            *("-gdb", "unix:gdb,server=on,wait=off", "-qmp", "unix:qmp,server=on,wait=off"),
        ]
        process = subprocess.Popen(
            _bound(arguments), stderr=subprocess.PIPE, text=True, **confined.process_options(place)
        )
        try:
            debugger = connections.enter_context(_connect(place / "gdb", process))
            monitor = _Monitor(connections.enter_context(_connect(place / "qmp", process)), connections)
            _debug(debugger, b"Z1,%x,1" % address)
            if not _debug(debugger, b"c").startswith(b"T05"):
                raise OSError("no breakpoint")
            _debug(debugger, b"z1,%x,1" % address)
            monitor.do("migrate-set-parameters", {"max-bandwidth": 10**12})
            _write_state(monitor, place.parent / "state")
        except OSError as error:
            process.kill()
            said = (
                failure(confined.text(place / "console")) or _last_line(confined.text(place / "results")) or str(error)
            )
            raise KernelError(f"the kernel does not boot: {said}") from None
        finally:
            process.kill()
            process.communicate()
        unfinished = folder / "snapshot.new"
        unfinished.write_bytes(_running((place.parent / "state").read_bytes()))
        unfinished.rename(folder / "snapshot")
        return confined.content(place / "results")


def _write_state(monitor: "_Monitor", path: Path) -> None:
    """Writes the state of a machine that is stopped. Raises OSError."""
    with open(path, "wb") as file, subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=file) as writer:
        assert writer.stdin is not None
        try:
            monitor.do("getfd", {"fdname": "state"}, sent=writer.stdin)
            writer.stdin.close()
            monitor.do("migrate", {"uri": "fd:state"})
            while (status := monitor.do("query-migrate")["status"]) not in ("completed", "failed"):
                time.sleep(_POLL_S)
            if status == "failed":
                raise OSError("the memory cannot be written")
        except OSError:
            writer.kill()
            raise


def run(folder: Path, plan: bytes) -> Ended:
    """Continues from the snapshot with this plan, to its end."""
    with _place(folder, plan) as place, open(place / "console", "wb") as console, _output(folder / "snapshot") as state:
        arguments = [*command(), *_RESULTS, "-serial", "stdio", "-incoming", f"fd:{state}"]
        is_lost = _Hang(place / "results").is_there
        has_ended, usage = running.run(
            _bound(arguments), console, is_lost, pass_fds=(state,), **confined.process_options(place)
        )
        output, said = confined.text(place / "results"), confined.text(place / "console")
        return Ended(output, said, usage, is_hung=not has_ended)


def _place(folder: Path, plan: bytes) -> contextlib.AbstractContextManager[Path]:
    """A folder to run QEMU in, with the files of a kernel's folder under names that no option has to quote.

    Commas in options, blanks in LD_PRELOAD and long names of sockets would be misread.
    """
    files = {"vmlinuz": folder / "vmlinuz", "initramfs": folder / "initramfs", "turns": building.library(TURNS)}
    return confined.place(files, {"plan": plan})


@contextlib.contextmanager
def _output(path: Path) -> Iterator[int]:
    """A pipe from which a file can be read: QEMU discourages files themselves in `fd:`."""
    with open(path, "rb") as file, subprocess.Popen(["cat"], stdin=file, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        yield process.stdout.fileno()


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

    The library is loaded into QEMU alone: a program in front of it would take it out of the environment. It is that of
    the folder in which the command runs.
    """
    bound = ["setpriv", "--pdeathsig", "KILL"] if shutil.which("setpriv") else []
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


def _last_line(text: str) -> str:
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else ""


def _connect(path: Path, process: "subprocess.Popen[str]") -> socket.socket:
    found = socket.socket(socket.AF_UNIX)
    folder = os.open(path.parent, os.O_PATH | os.O_CLOEXEC)
    name = f"/proc/self/fd/{folder}/{path.name}"  # a socket's own name is limited to 107 bytes
    while True:
        with contextlib.suppress(FileNotFoundError, ConnectionRefusedError):
            found.connect(name)
            os.close(folder)
            return found
        if process.poll() is not None:
            found.close()
            os.close(folder)
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
        self._connection = connection
        self._file = closing.enter_context(connection.makefile("r"))
        self._file.readline()
        self.do("qmp_capabilities")

    def do(self, name: str, arguments: Mapping[str, Any] = MappingProxyType({}), sent: IO[bytes] | None = None) -> Any:
        """The return value of a command, which gets an open file where it needs one."""
        line = json.dumps({"execute": name, "arguments": dict(arguments)}).encode() + b"\n"
        socket.send_fds(self._connection, [line], [] if sent is None else [sent.fileno()])
        for answer in self._answers():
            if "error" in answer:
                raise OSError(answer["error"]["desc"])
            if "return" in answer:
                return answer["return"]
        raise OSError("QEMU ended")

    def _answers(self) -> Iterator[dict[str, Any]]:
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
