"""Plays a behaviour script against the TCP of the running kernel: `python live_script.py FILE.pkt`, as root.

The script's packets go in and out of a tun device in a network namespace of this process's own; its system calls are
made for real, and what it asserts is asked of `struct tcp_info`. It takes as long as the script says, on the machine's
clock. This verifies the scripts in `tests/behaviour` against Linux.

Only the features of those scripts are supported: one connection, calls that do not block.
"""

import contextlib
import os
import re
import select
import socket
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

if __package__:
    from .live_wire import Endpoint, Packet, enter_namespace, open_tun, run, tcp_info
else:
    from live_wire import Endpoint, Packet, enter_namespace, open_tun, run, tcp_info

DEFAULTS = {
    "tcp_no_metrics_save": "1",
    "tcp_timestamps": "1",
    "tcp_ecn": "2",
    "tcp_rmem": "4096 131072 6291456",
    "tcp_wmem": "4096 4000000 4194304",
}
"""Linux's defaults, regardless of this machine's settings; a send buffer that holds the largest write of a script."""

TCP_CONGESTION = 13
SLACK_S = 0.045
"""How late a timer may be: at 250 jiffies a second, waits of 0.25 s and more end on a grain of 32 ms, and then this
process has to notice."""

STATES = """
    TCP_ESTABLISHED TCP_SYN_SENT TCP_SYN_RECV TCP_FIN_WAIT1 TCP_FIN_WAIT2 TCP_TIME_WAIT TCP_CLOSE TCP_CLOSE_WAIT
    TCP_LAST_ACK TCP_LISTEN TCP_CLOSING
"""
CONTROL_STATES = ("TCP_CA_Open", "TCP_CA_Disorder", "TCP_CA_CWR", "TCP_CA_Recovery", "TCP_CA_Loss")
CONSTANTS = {name: value for value, name in enumerate(STATES.split(), 1)}
CONSTANTS |= {name: value for value, name in enumerate(CONTROL_STATES)}


class Mismatch(Exception):
    """The kernel does something else than the script says."""


@dataclass
class Event:
    line: int
    from_s: float
    to_s: float
    relative: bool
    text: str


def read_events(text: str) -> list[Event]:
    """The script's events; comments go."""
    events = []
    lines = iter(enumerate(text.splitlines(), 1))
    for number, raw in lines:
        line = raw.split("//")[0].strip()
        if not line:
            continue
        for opening, closing in (("%{", "}%"), ("`", "`")):
            while opening in line and closing not in line.split(opening, 1)[1]:
                line += "\n" + next(lines)[1]
        match = re.match(r"(\+?)(\d*\.?\d+)(?:~\+?(\d*\.?\d+))?\s+(.*)", line, re.DOTALL)
        if match:
            start = float(match[2])
            events.append(Event(number, start, float(match[3] or start), bool(match[1]), match[4].strip()))
        else:
            events.append(Event(number, 0.0, 0.0, True, line))
    return events


@dataclass
class Player:
    tun: int
    endpoint: Endpoint = field(default_factory=Endpoint)
    sockets: dict[int, socket.socket] = field(default_factory=dict)
    names: dict[str, object] = field(default_factory=lambda: dict(CONSTANTS))
    algorithm: str = "cubic"

    def play(self, events: list[Event]) -> None:
        start_s = self.now_s = time.monotonic()
        for event in events:
            base_s = self.now_s if event.relative else start_s
            due_s = base_s + event.from_s
            try:
                if event.text.startswith(">"):
                    self.expect(Packet.read(event.text), due_s, base_s + event.to_s)
                    continue
                while (left_s := due_s - time.monotonic()) > 0:
                    time.sleep(max(left_s - 0.001, 0))
                self.act(event.text)
            except Mismatch as mismatch:
                raise Mismatch(f"{event.line}: {mismatch}") from None
            self.now_s = max(time.monotonic(), due_s)

    def act(self, text: str) -> None:
        if text.startswith("<"):
            os.write(self.tun, self.endpoint.encode(Packet.read(text)))
        elif text.startswith("%{"):
            self.run_code(text[2 : text.rindex("}%")])
        elif text.startswith("`"):
            self.settle(text.strip("`"))
        else:
            self.call(text)

    def expect(self, wanted: Packet, from_s: float, to_s: float) -> None:
        """Waits for a packet, joining segments up to the length that the script names."""
        whole: Packet | None = None
        while whole is None or whole.length < wanted.length:
            ready, _, _ = select.select([self.tun], [], [], max(0.0, to_s + 0.3 - time.monotonic()))
            if not ready:
                raise Mismatch(f"no packet; wanted {wanted}; got {whole}")
            part = self.endpoint.decode(os.read(self.tun, 65536), wanted)
            if part is None:
                continue
            self.now_s = time.monotonic()
            whole = part if whole is None else whole.joined(part)
        if difference := wanted.difference(whole):
            raise Mismatch(f"{difference}\n  script {wanted}\n  kernel {whole}")
        self.endpoint.learn_time(wanted, whole)
        if not from_s - 0.004 <= self.now_s <= to_s + SLACK_S:
            off_ms = (self.now_s - from_s) * 1000
            raise Mismatch(f"{off_ms:+.1f} ms off (allowed {(to_s - from_s) * 1000:.0f}): {wanted}")

    def settle(self, commands: str) -> None:
        """The sysctls of a script, in this namespace alone."""
        for command in commands.splitlines():
            for assignment in re.findall(r"net\.ipv4\.\w+=(?:\"[^\"]*\"|'[^']*'|\S+)", command.split("#")[0]):
                name, value = assignment.removeprefix("net.ipv4.").split("=", 1)
                if name == "tcp_congestion_control":
                    self.algorithm = value  # a namespace may not have any algorithm as its default
                else:
                    set_sysctl(name, value.strip("\"'"))

    def run_code(self, code: str) -> None:
        connection = self.sockets.get(4) or self.sockets.get(3)
        self.names.update(tcp_info(connection))
        try:
            exec(code.strip(), self.names)
        except AssertionError as error:
            asked = {name: self.names[name] for name in re.findall(r"tcpi_\w+", code)}
            raise Mismatch(f"assertion: {error} in {code.strip()!r} with {asked}") from None

    def call(self, text: str) -> None:
        """`name(arguments) = result [errno]`"""
        match = re.match(r"(\w+)\((.*)\)\s*=\s*(-?\d+)\s*(\w*)", text, re.DOTALL)
        assert match, text
        name, arguments, result = match[1], match[2], int(match[3])
        words = re.split(r",\s*(?![^\[{]*[\]}])", arguments)
        try:
            found = self.perform(name, words, result)
            errno_name = ""
        except OSError as error:
            found, errno_name = -1, os.strerror(error.errno or 0)
        if found != result:
            raise Mismatch(f"{name} gave {found} {errno_name}, wanted {result}")

    def perform(self, name: str, words: list[str], result: int) -> int:
        if name == "socket":
            self.sockets[result] = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
            self.sockets[result].setsockopt(socket.IPPROTO_TCP, TCP_CONGESTION, self.algorithm.encode())
            return result
        number = int(words[0])
        one = self.sockets[number]
        match name:
            case "bind":
                one.bind(self.endpoint.local)
            case "listen":
                one.listen(int(words[1]))
            case "accept":
                one.settimeout(1)
                self.sockets[result], _ = one.accept()
                return result
            case "connect":
                one.connect(self.endpoint.remote)
            case "fcntl":
                if words[1] == "F_SETFL":
                    one.setblocking("O_NONBLOCK" not in words[2])
                    return 0
                return result
            case "write" | "send":
                one.setblocking(False)
                return one.send(bytes(int(words[2])), flags(words[3:]))
            case "read" | "recv":
                one.setblocking(False)
                return len(one.recv(int(words[2]), flags(words[3:])))
            case "setsockopt":
                level = {"SOL_TCP": socket.IPPROTO_TCP, "SOL_IP": socket.IPPROTO_IP}.get(words[1])
                level = getattr(socket, words[1]) if level is None else level
                value = words[3].strip("[]")
                one.setsockopt(level, option(words[2]), value.strip('"').encode() if '"' in value else int(value))
            case "shutdown":
                one.shutdown(getattr(socket, words[1]))
            case "close":
                self.sockets.pop(number).close()
            case _:
                raise AssertionError(name)
        return 0


def option(name: str) -> int:
    return {"TCP_CONGESTION": TCP_CONGESTION, "SO_MAX_PACING_RATE": 47}.get(name) or getattr(socket, name)


def flags(words: list[str]) -> int:
    total = 0
    for word in words:
        for name in word.split("|"):
            total |= int(name) if name.strip().isdigit() else getattr(socket, name.strip())
    return total


def set_sysctl(name: str, value: str) -> None:
    Path("/proc/sys/net/ipv4", name).write_text(value)


def main() -> int:
    path = Path(sys.argv[1])
    enter_namespace()
    # A busy machine must not make this process late.
    with contextlib.suppress(PermissionError):
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(10))
    for name, value in DEFAULTS.items():
        set_sysctl(name, value)
    Path("/proc/sys/net/ipv6/conf/all/disable_ipv6").write_text("1")
    tun = open_tun("tun0")
    endpoint = Endpoint()
    run(f"ip address add {endpoint.local[0]}/24 dev tun0")
    run("ip link set tun0 mtu 1500 up")
    try:
        Player(tun, endpoint).play(read_events(path.read_text()))
    except Mismatch as mismatch:
        print(f"{path}:{mismatch}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
