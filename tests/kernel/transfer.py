"""Moves data over TCP between two network namespaces through a token bucket, and prints what TCP did as JSON.

    sender --s0----s1-- router --[token bucket]--r1----r0-- receiver         no delay but the queue's

The router stands between because TCP holds back what waits in a queue of its own host. Run as
`python transfer.py '{"algorithm": "cubic", ...}'`, as root. The namespaces have no names: they live as long as the
three processes, and the kernel removes them with all that is in them, however the processes end. Nothing of the
host's own network is touched.

The processes run at real-time priority, so that other work on the machine does not delay them. What still stops them
(a hypervisor that gives the processor to somebody else) shows as `stalled_s`: how much later than asked the watcher
woke up, added up over the transfer.
"""

import ctypes
import json
import os
import select
import socket
import struct
import subprocess
import sys
import threading
import time
from pathlib import Path

CLONE_NEWNET = 0x40000000
PR_SET_PDEATHSIG = 1
SIGKILL = 9
PATIENCE_S = 40.0
REAL_TIME_PRIORITY = 10
PUNCTUAL_S = 0.0005
"""A wake-up no later than this is on time: half of what two packets in flight keep the bottleneck busy."""
SENDER, RECEIVER, PORT = "10.0.1.2", "10.0.2.2", 5201

# Offsets in struct tcp_info (include/uapi/linux/tcp.h).
SRTT_US, SND_CWND, TOTAL_RETRANS, MIN_RTT_US = 68, 80, 100, 148


def main() -> None:
    """The router: builds the network, and has the others use it."""
    settings = json.loads(sys.argv[1])
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(REAL_TIME_PRIORITY))  # its children inherit it
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
        sender.tell(json.dumps(settings))
        sent, received = json.loads(sender.hear()), json.loads(receiver.hear())
        assert received["bytes"] == settings["bytes"], received
        print(json.dumps({**sent, "duration_s": received["end_s"] - sent["start_s"]}))
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
    """Sends the data, and watches TCP meanwhile."""
    begin("s")
    settings = json.loads(sys.stdin.readline())
    connection = socket.socket()
    connection.settimeout(PATIENCE_S)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, settings["algorithm"].encode())
    start_s = time.monotonic()
    connection.connect((RECEIVER, PORT))
    samples: list[tuple[float, int, int]] = []
    finished = threading.Event()
    stalled_s = 0.0

    def watch() -> None:
        nonlocal stalled_s
        while True:
            asked_s = time.monotonic() + settings["sample_s"]
            if finished.wait(settings["sample_s"]):
                return
            late_s = time.monotonic() - asked_s
            stalled_s += late_s if late_s > PUNCTUAL_S else 0
            info = tcp_info(connection)
            samples.append((time.monotonic() - start_s, number(info, SND_CWND), number(info, SRTT_US)))

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        connection.sendall(bytes(settings["bytes"]))
        connection.shutdown(socket.SHUT_WR)
        assert connection.recv(1) == b"", "the receiver says nothing, and closes when it has everything"
    finally:
        finished.set()
        watcher.join()
    info = tcp_info(connection)
    done = {
        "start_s": start_s,
        "algorithm": connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, 16).rstrip(b"\0").decode(),
        "retransmits": number(info, TOTAL_RETRANS),
        "min_rtt_us": number(info, MIN_RTT_US),
        "stalled_s": stalled_s,
        "samples": samples,
    }
    say(json.dumps(done))


def receive() -> None:
    """Takes everything, and tells when it had it."""
    begin("r")
    listener = socket.create_server((RECEIVER, PORT))
    listener.settimeout(PATIENCE_S)
    say("listening")
    connection, _ = listener.accept()
    connection.settimeout(PATIENCE_S)
    total = 0
    while count := len(connection.recv(1 << 18)):
        total += count
    end_s = time.monotonic()
    connection.close()
    say(json.dumps({"bytes": total, "end_s": end_s}))


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


def tcp_info(connection: socket.socket) -> bytes:
    return connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 232)


def number(info: bytes, offset: int) -> int:
    return struct.unpack_from("I", info, offset)[0]


def run(command: str) -> str:
    done = subprocess.run(command.split(), capture_output=True, text=True, timeout=PATIENCE_S)
    assert done.returncode == 0, f"{command}: {done.stderr.strip()}"
    return done.stdout


def say(text: str) -> None:
    print(text, flush=True)


if __name__ == "__main__":
    {"receive": receive, "send": send}.get(sys.argv[1], main)()
