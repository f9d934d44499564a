"""Accuracy of networks in real time on this machine; run it as root, while nothing else runs.

Rate: a saturated second, five times for each rate, as in the check before a run. Delay: RTTs of ICMP echoes over an
idle link of 40 ms, minus the time of the packets on the link and minus the RTT over the loopback device. An RTT ends
when the kernel has the reply, as TCP and ping measure it; the last column adds the time to wake the waiting program.
"""

import json
import os
import statistics
import struct
import sys
import threading
import time

import table
from fairlane import engine
from fairlane.runs.emulation import namespaces, priority, selfcheck
from fairlane.runs.emulation.devices import Host, HostPlan
from fairlane.runs.emulation.probes import PACKET_BYTES, Echo, echoes
from fairlane.scenario.requests import dumbbell, point

RATES_BPS = (10_000_000, 100_000_000, 500_000_000)
REPEATS = 5
ECHOES = 500
WAKES = 400
GAP_S = 0.002
RTT_NS = 40_000_000
COLUMNS = [
    "Mbit/s",
    "rate error, %",
    "idle, %",
    "late: median, us",
    "99th percentile, us",
    "subtracted, us",
    "added RTT: median, us",
    "99th percentile, us",
    "until the program wakes: median, us",
]


def main() -> None:
    """Prints a table, and all values as a line of JSON on standard error."""
    namespaces.become_root_of_own()
    paths, networks = [], []
    for _ in range(2):
        networks.append(namespaces.new_network())
        paths.append(f"/proc/self/fd/{networks[-1]}")
    hosts = [HostPlan(path, f"10.0.0.{n}", 1500).create() for n, path in enumerate(paths, start=1)]
    has_priority = priority.gain(priority.NETWORK)
    awake = priority.keep_awake()  # as a run does
    print(f"load average {os.getloadavg()[0]:.1f}, real-time priority: {'yes' if has_priority else 'no'}")
    for name, late_us in (("a timer", timer_us()), ("another processor", processor_us())):
        if late_us:
            print(f"woken by {name}: median {statistics.median(late_us):.1f} us, p99 {quantile(late_us, 0.99):.1f} us")
    measured, rows = [], []
    for rate_bps in RATES_BPS:
        scenario = network(rate_bps)
        checks = [selfcheck.check(scenario, hosts, 1_000_000_000) for _ in range(REPEATS)]
        worst = max(checks, key=lambda one: one["rate_error"])
        late = [statistics.median(one[f"lateness_{name}_us"] for one in checks) for name in ("median", "p99")]
        idle = statistics.median(one["idle_share"] for one in checks)
        wake_us = statistics.median(one["wake_us"] for one in checks)
        pairs = added_rtts_us(scenario, hosts, rate_bps, round(1e3 * wake_us))
        added, woken = ([pair[which] for pair in pairs] for which in (0, 1))
        measured.append({"rate_bps": rate_bps, "checks": checks, "added_rtt_us": added, "woken_us": woken})
        values = [*late, wake_us, statistics.median(added), quantile(added, 0.99), statistics.median(woken)]
        error_pct, idle_pct = f"{100 * worst['rate_error']:.4f}", f"{100 * idle:.0f}"
        rows.append([f"{rate_bps / 1e6:.0f}", error_pct, idle_pct, *(f"{value:.1f}" for value in values)])
    table.show("real-time", COLUMNS, rows)
    print(json.dumps(measured), file=sys.stderr)
    if awake is not None:
        os.close(awake)


def timer_us() -> list[float]:
    """Wake-up latencies of this thread, which has a real-time priority."""
    late = []
    for _ in range(WAKES):
        due_ns = time.monotonic_ns() + round(GAP_S * 1e9)
        time.sleep(GAP_S)
        late.append((time.monotonic_ns() - due_ns) / 1e3)
    return late


def processor_us() -> list[float]:
    """Wake-up latencies of a real-time child on another processor that reads from a pipe."""
    processors = sorted(os.sched_getaffinity(0))
    if len(processors) < 2:
        return []
    request, response = os.pipe(), os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(request[1])
            os.sched_setaffinity(0, processors[1:2])
            priority.gain(priority.NETWORK)
            while sent := os.read(request[0], 8):
                os.write(response[1], struct.pack("q", time.monotonic_ns() - struct.unpack("q", sent)[0]))
        finally:
            os._exit(0)
    late = []
    os.sched_setaffinity(0, processors[:1])
    for _ in range(WAKES):
        time.sleep(GAP_S)
        os.write(request[1], struct.pack("q", time.monotonic_ns()))
        late.append(struct.unpack("q", os.read(response[0], 8))[0] / 1e3)
    os.sched_setaffinity(0, processors)
    os.close(request[1])
    os.waitpid(child, 0)
    for descriptor in (request[0], *response):
        os.close(descriptor)
    return late


def network(rate_bps: int) -> dict[str, object]:
    """A link of this rate in both directions."""
    flows = [{"algorithm": "reno", "rtt": f"{RTT_NS}ns"}]
    rate = f"{rate_bps}bit"
    return point(dumbbell(flows, rate=rate, reverse_rate=rate, duration="1s", seed=1)).repeat(0)


def added_rtts_us(
    scenario: dict[str, object], hosts: list[Host], rate_bps: int, wake_ns: int
) -> list[tuple[float, float]]:
    """RTTs minus those of the scenario: until the kernel has the reply, and until the program has it."""
    reading, writing = os.pipe()
    ports = [host.device for host in hosts]

    def carry() -> None:
        priority.gain(priority.NETWORK)  # priorities belong to threads
        engine.emulate(scenario, ports, reading, origin_ns=time.monotonic_ns(), wake_ns=wake_ns)

    carrier = threading.Thread(target=carry, daemon=True)
    carrier.start()
    with namespaces.inside(hosts[0].network):
        loopback = [times_us(echo) for echo in echoes(hosts[0].address, ECHOES, GAP_S)]
        asking_us = [statistics.median(column) for column in zip(*loopback, strict=True)]
        over_link = [times_us(echo) for echo in echoes(hosts[1].address, ECHOES, GAP_S)]
    os.write(writing, b".")
    carrier.join()
    for descriptor in (reading, writing):
        os.close(descriptor)
    on_link_us = (RTT_NS + 2 * (PACKET_BYTES + 14) * 8e9 / rate_bps) / 1e3
    return [(kernel - on_link_us - asking_us[0], program - on_link_us - asking_us[1]) for kernel, program in over_link]


def times_us(echo: Echo) -> tuple[float, float]:
    """RTT and wake-up time of an echo."""
    return echo.rtt_ns / 1e3, echo.woken_ns / 1e3


def quantile(values: list[float], share: float) -> float:
    """The value that this share of the values does not exceed."""
    return sorted(values)[min(int(share * len(values)), len(values) - 1)]


if __name__ == "__main__":
    main()
