"""Boots a guest once, up to a breakpoint in the agent, and keeps its memory in a file, from which runs continue."""

import contextlib
import json
import os
import re
import socket
import struct
import subprocess
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import IO, Any

from fairlane.algorithm.kernel import KernelError, elf
from fairlane.runs.backends.vm import confined, qemu

BREAKPOINT = "snapshot_is_taken_here"
_TEXT = 0xFFFFFFFF81000000
"""Where a kernel of x86-64 begins without randomisation of its addresses."""
_LOCAL_TIMER_HZ = 1_000_000_000
"""The clock of QEMU's local APIC, of which its timer's is a fraction."""
_TIMER_HZ = range(10, 10_001)
_ADDRESS, _MEMORY = re.compile("[0-9a-f]{1,16}"), re.compile("[0-9a-f]{8}")
_POLL_S = 0.05


@dataclass(frozen=True)
class Told:
    """The facts that a kernel tells when it has booted."""

    addresses: Mapping[str, int] = field(default_factory=dict)
    """Of `qemu.SYMBOLS`, without those that it does not tell."""
    hz: int = 250
    """Its timer interrupts per second; those of Debian's kernels if it does not tell how long it takes for one."""

    @property
    def has_all_addresses(self) -> bool:
        """Whether its guests can have another speed."""
        return set(self.addresses) == set(qemu.SYMBOLS)


def take(
    folder: Path, agent: Path, speed: int = 1, told: Told | None = None, initramfs: str = qemu.INITRAMFS
) -> tuple[Told, bytes]:
    """Boots the kernel of a folder and writes its snapshot next to it. Raises KernelError.

    A guest of another speed than 1 needs what the kernel `told` at speed 1. Returns what it tells now, and its BTF,
    empty if it has none.
    """
    qemu.version()
    breakpoint_ = elf.symbol(agent.read_bytes(), BREAKPOINT)
    with qemu.place(folder, b"", initramfs) as place, contextlib.ExitStack() as connections:
        arguments = [
            *qemu.command(speed),
            *(*qemu.RESULTS, "-serial", "file:console", "-S"),
            *("-gdb", "unix:gdb,server=on,wait=off", "-qmp", "unix:qmp,server=on,wait=off"),
        ]
        process = subprocess.Popen(
            qemu.bound(arguments), stderr=subprocess.PIPE, text=True, **confined.process_options(place)
        )
        try:
            debugger = connections.enter_context(_connect(place / "gdb", process))
            monitor = _Monitor(connections.enter_context(_connect(place / "qmp", process)), connections)
            if told is not None:
                _tell_rate_of_timer(debugger, told, speed)
            _continue_to(debugger, breakpoint_)
            addresses, _, types = confined.content(place / "results").partition(b"\n\n")
            told = told or _read_told(debugger, addresses.decode(errors="replace"))
            monitor.do("migrate-set-parameters", {"max-bandwidth": 10**12})
            _write_state(monitor, place.parent / "state")
        except OSError as error:
            process.kill()
            console, results = (confined.text(place / name) for name in ("console", "results"))
            said = qemu.failure(console, speed) or _last_line(results) or str(error)
            raise KernelError(f"the kernel does not boot: {said}") from None
        finally:
            process.kill()
            process.communicate()
        target = qemu.snapshot_file(folder, speed, initramfs)
        unfinished = target.with_suffix(".new")
        unfinished.write_bytes(_running((place.parent / "state").read_bytes()))
        unfinished.rename(target)
        return told, types


def _read_told(debugger: socket.socket, lines: str) -> Told:
    """The facts in lines of /proc/kallsyms, and in the memory at one of their addresses. Raises OSError."""
    told = [line.split() for line in lines.splitlines()]
    addresses = {words[2]: int(words[0], 16) for words in told if len(words) == 3 and _ADDRESS.fullmatch(words[0])}
    if qemu.TICKS_PER_JIFFY not in addresses:
        return Told(addresses)
    answer = _debug(debugger, b"m%x,4" % addresses[qemu.TICKS_PER_JIFFY]).decode(errors="replace")
    ticks = int.from_bytes(bytes.fromhex(answer), "little") if _MEMORY.fullmatch(answer) else 0
    if not ticks or round(_LOCAL_TIMER_HZ / ticks) not in _TIMER_HZ:
        raise OSError("it tells another rate of its timer than kernels have")
    return Told(addresses, round(_LOCAL_TIMER_HZ / ticks))


def _tell_rate_of_timer(debugger: socket.socket, told: Told, speed: int) -> None:
    """Sets the ticks of the local timer per jiffy, which is `speed` times as long as it seems to the guest.

    A kernel that knows them neither measures them nor needs another timer. Raises OSError.
    """
    text, start, ticks = (told.addresses[name] for name in qemu.SYMBOLS)
    _continue_to(debugger, start - text + _TEXT)
    slower = qemu.SLOWER if speed > qemu.FASTEST_TIMER else 1
    content = struct.pack("<I", speed * _LOCAL_TIMER_HZ // told.hz // slower).hex().encode()
    if _debug(debugger, b"M%x,4:%s" % (ticks - text + _TEXT, content)) != b"OK":
        raise OSError("its memory cannot be written")


def _continue_to(debugger: socket.socket, address: int) -> None:
    """Lets the guest execute up to an instruction. Raises OSError."""
    _debug(debugger, b"Z1,%x,1" % address)
    if not _debug(debugger, b"c").startswith(b"T05"):
        raise OSError("no breakpoint")
    _debug(debugger, b"z1,%x,1" % address)


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


def _last_line(text: str) -> str:
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else ""


def _connect(path: Path, process: subprocess.Popen[str]) -> socket.socket:
    found = socket.socket(socket.AF_UNIX)
    folder = os.open(path.parent, os.O_PATH | os.O_CLOEXEC)
    name = f"/proc/self/fd/{folder}/{path.name}"  # a socket's own name is limited to 107 bytes
    while True:
        with contextlib.suppress(FileNotFoundError, ConnectionRefusedError):
            found.connect(name)
            found.settimeout(qemu.HANG_CPU_S)  # a kernel may never come to the breakpoint
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
        raise KernelError(f"the snapshot of QEMU {qemu.version()} has another form than is known; use 7.2 or later")
    size = len(b"running\0").to_bytes(4, "big")
    return snapshot[: at - 4] + size + b"running\0" + snapshot[at + 8 :]
