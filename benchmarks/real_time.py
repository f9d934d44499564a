"""How exact networks in real time are on this machine: run it as root, while nothing else runs.

Rate: a saturated second, five times for each rate, as the check before a run does it. Delay: the kernel's answers to
ICMP echo requests over an idle link of 40 ms, less the time that the packets take on the link, and less the same over
the loopback device, which is what asking costs.
"""

import json
import os
import socket
import statistics
import struct
import sys
import threading
import time

from fairlane import engine
from fairlane.emulation import namespaces, priority, selfcheck
from fairlane.emulation.hosts import Host, host
from fairlane.experiment.single import dumbbell, point

RATES_BPS = (10_000_000, 100_000_000, 500_000_000)
REPEATS = 5
ECHOES = 500
RTT_NS = 40_000_000


def main() -> None:
    """Prints a table, and a line of JSON."""
    namespaces.become_root_of_own()
    paths, networks = [], []
    for _ in range(2):
        networks.append(namespaces.new_network())
        paths.append(f"/proc/self/fd/{networks[-1]}")
    hosts = [host(path, f"10.0.0.{n}", 1500) for n, path in enumerate(paths, start=1)]
    has_priority = priority.gain(priority.NETWORK)
    print(f"load average {os.getloadavg()[0]:.1f}, real-time priority: {'yes' if has_priority else 'no'}")
    print("  Mbit/s  rate error %  late median us  late p99 us  idle %   added RTT: median us  p99 us")
    rows = []
    for rate_bps in RATES_BPS:
        scenario = network(rate_bps)
        checks = [selfcheck.check(scenario, hosts, 1_000_000_000) for _ in range(REPEATS)]
        worst = max(checks, key=lambda one: one["rate_error"])
        late = [statistics.median(one[f"lateness_{name}_us"] for one in checks) for name in ("median", "p99")]
        idle = statistics.median(one["idle_share"] for one in checks)
        added = added_rtt_us(scenario, hosts, rate_bps)
        rows.append({"rate_bps": rate_bps, "checks": checks, "added_rtt_us": added})
        error_pct = 100 * worst["rate_error"]
        print(
            f"{rate_bps / 1e6:8.0f}  {error_pct:12.4f}  {late[0]:14.1f}  {late[1]:11.1f}  {100 * idle:6.0f}"
            f"  {statistics.median(added):21.1f}  {quantile(added, 0.99):6.1f}"
        )
    print(json.dumps(rows), file=sys.stderr)


def network(rate_bps: int) -> dict[str, object]:
    """A link of this rate in both directions."""
    flows = [{"algorithm": "reno", "rtt": f"{RTT_NS}ns"}]
    rate = f"{rate_bps}bit"
    return point(dumbbell(flows, rate=rate, reverse_rate=rate, duration="1s", seed=1)).repeat(0)


def added_rtt_us(scenario: dict[str, object], hosts: list[Host], rate_bps: int) -> list[float]:
    """By how much round trips take longer than the network says."""
    reading, writing = os.pipe()
    ports = [host.device for host in hosts]

    def carry() -> None:
        priority.gain(priority.NETWORK)  # it is of a thread
        engine.emulate(scenario, ports, reading, origin_ns=time.monotonic_ns())

    carrier = threading.Thread(target=carry, daemon=True)
    with namespaces.inside(hosts[0].network):
        over_link = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)
        over_loopback = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)
    carrier.start()
    asking_us = statistics.median(echoes_us(over_loopback, hosts[0].address))
    on_link_us = (RTT_NS + 2 * (ECHO_BYTES + 14) * 8e9 / rate_bps) / 1e3
    found = [rtt_us - on_link_us - asking_us for rtt_us in echoes_us(over_link, hosts[1].address)]
    os.write(writing, b".")
    carrier.join()
    for descriptor in (reading, writing):
        os.close(descriptor)
    over_link.close()
    over_loopback.close()
    return found


ECHO_BYTES = 20 + 8 + 56
"""As ping sends them."""


def echoes_us(asker: socket.socket, address: str) -> list[float]:
    """Round-trip times of echo requests, one after the other."""
    found = []
    for number in range(ECHOES):
        head = struct.pack("!BBHHH", 8, 0, 0, 7, number)
        packet = head + bytes(56)
        total = sum(struct.unpack(f"!{len(packet) // 2}H", packet))
        total = (total & 0xFFFF) + (total >> 16)
        packet = packet[:2] + struct.pack("!H", ~total & 0xFFFF) + packet[4:]
        before_ns = time.monotonic_ns()
        asker.sendto(packet, (address, 0))
        while True:
            answer = asker.recv(2048)
            after_ns = time.monotonic_ns()
            if answer[20] == 0 and answer[26:28] == struct.pack("!H", number):
                break
        found.append((after_ns - before_ns) / 1e3)
        time.sleep(0.002)
    return found


def quantile(values: list[float], share: float) -> float:
    """The value that this share of the values does not exceed."""
    return sorted(values)[min(int(share * len(values)), len(values) - 1)]


if __name__ == "__main__":
    main()
