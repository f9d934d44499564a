"""Moves data over TCP between two network namespaces through a token bucket, and prints TCP's counters as JSON.

    sender --s0----s1-- router --[token bucket]--r1----r0-- receiver         no delay but the queue's

One connection after the other, each with a congestion control of its own. The router stands between because TCP holds
back what waits in a queue of its own host. Run as `python transfer.py '{"algorithms": ["cubic"], ...}'`, as root. The
namespaces have no names: they live as long as the three processes, and the kernel removes them with all that is in
them, however the processes end. Nothing of the host's own network is touched.
"""

import ctypes
import json
import os
import select
import socket
import struct
import subprocess
import sys
import time
from pathlib import Path

CLONE_NEWNET = 0x40000000
PR_SET_PDEATHSIG = 1
SIGKILL = 9
PATIENCE_S = 40.0
SENDER, RECEIVER, PORT = "10.0.1.2", "10.0.2.2", 5201

COUNTERS = {
    "srtt_us": ("I", 68),
    "cwnd": ("I", 80),
    "retransmits": ("I", 100),
    "bytes_acked": ("Q", 120),
    "min_rtt_us": ("I", 148),
    "data_packets_sent": ("I", 156),
    "bytes_sent": ("Q", 200),
    "bytes_retransmitted": ("Q", 208),
}
"""Their form and offset in struct tcp_info (include/uapi/linux/tcp.h)."""


def main() -> None:
    """The router: builds the network, and has the others use it."""
    settings = json.loads(sys.argv[1])
    enter_namespace()
    Path("/proc/sys/net/ipv4/ip_forward").write_text("1")
    receiver, sender = Peer("receive"), Peer("send")
    try:
        receiver.expect("ready")
        sender.expect("ready")
        connect("s", sender, "10.0.1")
        connect("r", receiver, "10.0.2")
        bucket = f"rate {settings['rate_bps']}bit burst {settings['burst_bytes']} limit {settings['limit_bytes']}"
        run(f"tc qdisc add dev r1 root tbf {bucket}")
        receiver.tell("10.0.2")
        receiver.expect("listening")
        sender.tell("10.0.1")
        found = []
        for algorithm in settings["algorithms"]:
            sender.tell(json.dumps({"algorithm": algorithm, "bytes": settings["bytes"]}))
            found.append({**json.loads(sender.hear()), "bytes_received": int(receiver.hear())})
        print(json.dumps(found))
    finally:
        receiver.end()
        sender.end()


def connect(name: str, peer: "Peer", net: str) -> None:
    """A virtual cable to a host; the router's end has the address 1."""
    run(f"ip link add {name}1 type veth peer name {name}0 netns {peer.process.pid}")
    run(f"ip address add {net}.1/24 dev {name}1")
    run(f"ip link set {name}1 up")


def enter_namespace() -> None:
    """Gives this process a network of its own, and an end with its parent."""
    library = ctypes.CDLL(None, use_errno=True)
    library.prctl(PR_SET_PDEATHSIG, SIGKILL)
    if library.unshare(CLONE_NEWNET) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"no network namespace: {os.strerror(number)}")


def begin(name: str) -> None:
    """A host's first steps: its namespace, then its end of the cable."""
    enter_namespace()
    say("ready")
    net = sys.stdin.readline().strip()
    run(f"ip address add {net}.2/24 dev {name}0")
    # One segment per packet, as without segmentation offload.
    run(f"ip link set {name}0 gso_max_segs 1")
    run(f"ip link set {name}0 up")
    run(f"ip route add default via {net}.1")
    # The kernel notices up to a second late that both ends are up; a SYN before that would be lost.
    end_s = time.monotonic() + PATIENCE_S
    while "state UP" not in run(f"ip link show {name}0"):
        assert time.monotonic() < end_s, "the virtual cable does not come up"
        time.sleep(0.01)


def send() -> None:
    """Sends data as often as it is told to."""
    begin("s")
    for line in sys.stdin:
        wanted = json.loads(line)
        with socket.socket() as connection:
            connection.settimeout(PATIENCE_S)
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, wanted["algorithm"].encode())
            begin_s = time.monotonic()
            connection.connect((RECEIVER, PORT))
            connection.sendall(bytes(wanted["bytes"]))
            connection.shutdown(socket.SHUT_WR)
            assert connection.recv(1) == b"", "the receiver says nothing, and closes when it has everything"
            duration_s = time.monotonic() - begin_s
            name = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, 16).rstrip(b"\0").decode()
            info = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 232)
        counted = {key: struct.unpack_from(form, info, offset)[0] for key, (form, offset) in COUNTERS.items()}
        say(json.dumps({"algorithm": name, "duration_s": duration_s, **counted}))


def receive() -> None:
    """Takes everything of each connection, and tells how much it was."""
    begin("r")
    listener = socket.create_server((RECEIVER, PORT))
    say("listening")
    while True:
        connection, _ = listener.accept()
        total = 0
        with connection:
            connection.settimeout(PATIENCE_S)
            while count := len(connection.recv(1 << 18)):
                total += count
        say(str(total))


class Peer:
    """A host: another process of this file."""

    def __init__(self, role: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, __file__, role], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def tell(self, text: str) -> None:
        self.process.stdin.write(text + "\n")
        self.process.stdin.flush()

    def hear(self) -> str:
        ready, _, _ = select.select([self.process.stdout], [], [], PATIENCE_S)
        assert ready, f"{self.process.args[-1]} does not answer"
        return self.process.stdout.readline().strip()

    def expect(self, text: str) -> None:
        said = self.hear()
        assert said == text, f"{self.process.args[-1]} said '{said}' instead of '{text}'"

    def end(self) -> None:
        self.process.kill()
        self.process.wait()


def run(command: str) -> str:
    done = subprocess.run(command.split(), capture_output=True, text=True, timeout=PATIENCE_S)
    assert done.returncode == 0, f"{command}: {done.stderr.strip()}"
    return done.stdout


def say(text: str) -> None:
    print(text, flush=True)


if __name__ == "__main__":
    {"receive": receive, "send": send}.get(sys.argv[1], main)()
