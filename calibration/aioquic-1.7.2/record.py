"""Records results of aioquic in the scenarios of scenarios.json: another QUIC implementation with its own CUBIC.

aioquic does no I/O and takes the time as an argument, so both ends run in virtual time over a path that is written
here: a bottleneck with a drop-tail queue that counts bytes, and a delay. Nothing of Fairlane is used.

Usage: pip install aioquic==1.7.2 && python record.py    writes aioquic.csv, one row for each scenario
       python record.py NAME...                          prints rows and writes nothing
"""

import csv
import heapq
import ipaddress
import json
import sys
from collections import deque
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from aioquic.quic import recovery
from aioquic.quic.configuration import QuicConfiguration
from aioquic.quic.congestion import cubic
from aioquic.quic.connection import QuicConnection
from aioquic.quic.events import StreamDataReceived
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec

HERE = Path(__file__).parent
COLUMNS = ["name", "goodput_mbps", "packets_sent", "packets_lost", "mean_rtt_ms", "mean_payload_bytes"]
UDP_PAYLOAD_BYTES = 1200
HEADER_BYTES = 20 + 8 + 14
"""IPv4, UDP and Ethernet: rate and queue count frames."""
WINDOW_BYTES = 1 << 28
READY_BYTES = 1 << 20
ADDRESSES = (("10.0.0.1", 1), ("10.0.0.2", 443))


class NoHystart:
    """Stands for aioquic's RTT monitor: slow start ends with a loss."""

    def add_rtt(self, *, rtt: float) -> None:
        """Ignores it."""

    def is_rtt_increasing(self, *, now: float, rtt: float) -> bool:
        """Never."""
        return False


class Cubic(cubic.CubicCongestionControl):
    """aioquic's CUBIC with settings of the scenario; its code is unchanged."""

    reno_friendly_alpha = 1.0
    """Growth of the Reno-friendly window, packets per round trip. RFC 9438 section 4.3: 3 (1 - beta) / (1 + beta)."""

    def __init__(self, max_datagram_size: int) -> None:
        super().__init__(max_datagram_size)
        self._rtt_monitor = NoHystart()
        self.additive_increase_factor = self.reno_friendly_alpha * max_datagram_size


cubic.register_congestion_control("scenario", Cubic)


class WholePackets(recovery.QuicPacketRecovery):
    """Offers the window in whole packets. aioquic cuts a packet to the rest of the window; others do not."""

    @property
    def congestion_window(self) -> int:
        """The bytes in flight, and as many full packets as fit beyond them."""
        free = self._cc.congestion_window - self.bytes_in_flight
        return self.bytes_in_flight + free // UDP_PAYLOAD_BYTES * UDP_PAYLOAD_BYTES


class Counts:
    """Counters of the sender after the warm-up."""

    def __init__(self) -> None:
        self.sent = self.lost = self.payload_bytes = 0
        self.rtts: list[float] = []


def count_losses(sender: QuicConnection, counts: Counts, is_warm: Callable[[], bool]) -> None:
    """Lets aioquic's loss recovery report lost packets and RTT samples."""
    control = sender._loss._cc
    on_lost, on_rtt = control.on_packets_lost, control.on_rtt_measurement

    def lost(*, now: float, packets: Any) -> None:
        listed = list(packets)
        counts.lost += len(listed) * is_warm()
        on_lost(now=now, packets=listed)

    def rtt(*, now: float, rtt: float) -> None:
        if is_warm():
            counts.rtts.append(rtt)
        on_rtt(now=now, rtt=rtt)

    control.on_packets_lost, control.on_rtt_measurement = lost, rtt


def certificate() -> tuple[Any, Any]:
    """A certificate and its key, made for this run."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "peer")])
    now = datetime.now(UTC)
    builder = x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
    builder = builder.not_valid_before(now - timedelta(days=1)).not_valid_after(now + timedelta(days=1))
    names = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("10.0.0.2"))])
    return builder.add_extension(names, critical=False).sign(key, hashes.SHA256()), key


def run(scenario: dict[str, Any]) -> dict[str, Any]:
    """Simulates one scenario; goodput and counts are of the time after the warm-up."""
    Cubic.reno_friendly_alpha = scenario["reno_friendly_alpha"]
    chain, key = certificate()
    shared = {
        "congestion_control_algorithm": "scenario",
        "max_data": WINDOW_BYTES,
        "max_stream_data": WINDOW_BYTES,
        "max_datagram_size": UDP_PAYLOAD_BYTES,
        "alpn_protocols": ["x"],
    }
    sender = QuicConnection(configuration=QuicConfiguration(is_client=True, verify_mode=0, **shared))
    if scenario["whole_packets"]:
        sender._loss.__class__ = WholePackets
    server = QuicConfiguration(is_client=False, certificate=chain, private_key=key, **shared)
    receiver: QuicConnection | None = None
    now, end, warm = 0.0, float(scenario["duration_s"]), float(scenario["warmup_s"])
    rate, one_way = scenario["rate_mbit"] * 1e6 / 8, scenario["rtt_ms"] / 2e3
    counts = Counts()
    count_losses(sender, counts, lambda: now >= warm)
    stream, written, delivered = None, 0, 0
    events: list[tuple[float, int, int, bytes | None]] = []
    number = 0
    queue: deque[tuple[float, int]] = deque()
    queued_bytes, free_at = 0, 0.0
    timers: list[float | None] = [None, None]

    def schedule(at: float, side: int, data: bytes | None) -> None:
        nonlocal number
        number += 1
        heapq.heappush(events, (at, number, side, data))

    def flush(side: int) -> None:
        nonlocal queued_bytes, free_at, written
        end_of = sender if side == 0 else receiver
        if end_of is None:
            return
        if side == 0 and stream is not None:
            held = sender._streams[stream].sender
            while held._buffer_stop - held._buffer_start < READY_BYTES:
                sender.send_stream_data(stream, bytes(READY_BYTES))
                written += READY_BYTES
        for data, _ in end_of.datagrams_to_send(now):
            if side == 1:
                schedule(now + one_way, 0, data)
                continue
            frame_bytes = len(data) + HEADER_BYTES
            counts.sent += now >= warm
            counts.payload_bytes += len(data) * (now >= warm)
            while queue and queue[0][0] <= now:
                queued_bytes -= queue.popleft()[1]
            # The packet that is being sent has left the queue.
            waiting = queued_bytes - (queue[0][1] if queue else 0)
            if queue and waiting + frame_bytes > scenario["queue_bytes"]:
                continue
            free_at = max(free_at, now) + frame_bytes / rate
            queue.append((free_at, frame_bytes))
            queued_bytes += frame_bytes
            schedule(free_at + one_way, 1, data)
        timer = end_of.get_timer()
        if timer != timers[side] and timer is not None:
            schedule(max(timer, now), side, None)
        timers[side] = timer

    sender.connect(ADDRESSES[1], now)
    flush(0)
    while events and events[0][0] <= end:
        now, _, side, data = heapq.heappop(events)
        if side == 1 and receiver is None:
            cid = sender.original_destination_connection_id
            receiver = QuicConnection(configuration=server, original_destination_connection_id=cid)
        end_of = sender if side == 0 else receiver
        if data is not None:
            end_of.receive_datagram(data, ADDRESSES[1 - side], now)
        elif timers[side] is not None and timers[side] <= now:
            timers[side] = None
            end_of.handle_timer(now)
        else:
            continue
        while (event := end_of.next_event()) is not None:
            if isinstance(event, StreamDataReceived) and now >= warm:
                delivered += len(event.data)
        if side == 0 and stream is None and sender._handshake_complete:
            stream = sender.get_next_available_stream_id(is_unidirectional=True)
            sender.send_stream_data(stream, b"")
        flush(side)
    return {
        "name": scenario["name"],
        "goodput_mbps": round(delivered * 8 / (end - warm) / 1e6, 4),
        "packets_sent": counts.sent,
        "packets_lost": counts.lost,
        "mean_rtt_ms": round(1e3 * sum(counts.rtts) / len(counts.rtts), 3),
        "mean_payload_bytes": round(counts.payload_bytes / counts.sent, 1),
    }


def main() -> None:
    """Records all scenarios, or prints those that are named."""
    scenarios = json.loads((HERE / "scenarios.json").read_text())
    named = sys.argv[1:]
    rows = []
    for scenario in scenarios:
        if not named or scenario["name"] in named:
            rows.append(run(scenario))
            print(rows[-1], flush=True)
    if not named:
        with (HERE / "aioquic.csv").open("w", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)


if __name__ == "__main__":
    main()
