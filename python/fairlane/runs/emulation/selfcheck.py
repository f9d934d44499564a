"""Whether this machine keeps up: a second in which a link of the scenario's rate is saturated.

One host sends UDP packets faster than the link takes them, through the same devices that the run will use. The rate at
which packets come out at the far end is measured by the machine's clock, and so is by how much each one is late.
"""

import os
import select
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from fairlane import engine
from fairlane.engine.types import Scenario
from fairlane.runs.emulation import namespaces, priority
from fairlane.runs.emulation.devices import Host
from fairlane.runs.emulation.probes import Flood, echoes, meanwhile
from fairlane.scenario.stations import largest_rate_bps

FASTEST_BPS = 500_000_000
"""The largest rate that is promised. Beyond it two hosts and the network disturb each other on few processors."""
RATE_ERROR = 0.002
"""The largest error of the rate of a machine that keeps up."""
LATE_US = 1_000
"""The largest 99th percentile of lateness of a machine that keeps up: a tick of the kernel's timers."""
_BUFFER_NS = 200_000_000
"""Length of the queue, as time at the link's rate: longer than a busy machine keeps the sender waiting."""
ADDED_RTT_US = 100
"""The delay that a machine may add to each round trip without a warning."""
IDLE_SHARE = 0.05
"""The share of the processors' time that must be left while the bottleneck is saturated."""
_PINGS = 40
_PING_GAP_S = 0.002
_PING_DELAY_NS = 1_000_000
"""Of each direction: longer than a processor takes to wake up."""


def check(scenario: Scenario, hosts: Sequence[Host], duration_ns: int) -> dict[str, float]:
    """Saturates the fastest link for a while; returns the measurements.

    `rate_mbps` is the rate of IP packets at the far end, and `asked_mbps` what the link should carry of these;
    `rate_error` is relative. `lateness_p99_us` is by how much packets left too late, `idle_share` the share of the
    processors' time that was left. `wake_us` is what devices, and waking the process that carries packets, add to every
    round trip of the kernels of the two hosts, and `added_rtt_us` the median of what is left if packets are taken to
    have come that much earlier, as `engine.emulate` does with `wake_ns`.
    """
    rate_bps = fastest_bps(scenario)
    mtu_bytes = scenario["flows"][0].get("mtu", 1500)
    sender, receiver = hosts[0], hosts[1]
    # Half of the queue is filled at once.
    flood = Flood(sender.network, receiver.network, receiver.address, mtu_bytes, rate_bps, _BUFFER_NS // 2)
    with flood.sent(after_s=duration_ns / 10e9):  # when the network takes packets
        before = processor_times()
        report = _carry(_saturable(rate_bps, mtu_bytes), sender, receiver, duration_ns)
        after = processor_times()
    _drain([sender.device, receiver.device])
    added_us, wake_us = _added_rtt_us(sender, receiver)
    out = report["ports"][1]
    took_s = (out["last_ns"] - out["first_ns"]) / 1e9
    rate_mbps = (out["bytes"] - out["first_bytes"]) * 8e-6 / took_s if took_s > 0 else 0.0
    return {
        **saturation(rate_mbps, rate_bps * 1e-6 * mtu_bytes / (mtu_bytes + 14), before, after),
        "lateness_median_us": report["lateness"]["median_us"],
        "lateness_p99_us": report["lateness"]["p99_us"],
        "has_priority": float(priority.has_any()),
        "added_rtt_us": added_us,
        "wake_us": wake_us,
    }


def saturation(
    rate_mbps: float, asked_mbps: float, before: tuple[int, int], after: tuple[int, int]
) -> dict[str, float]:
    """The measurements of a saturated link, from its rate and the processors' times."""
    idle, total = (late - early for late, early in zip(after, before, strict=True))
    return {
        "rate_mbps": rate_mbps,
        "asked_mbps": asked_mbps,
        "rate_error": abs(rate_mbps / asked_mbps - 1),
        "idle_share": idle / total if total else 0.0,
    }


def keeps_up(checked: Mapping[str, float]) -> bool:
    """Whether a machine with these measurements carries the rate as it should."""
    return checked.get("rate_error", 0.0) <= RATE_ERROR and checked["lateness_p99_us"] <= LATE_US


def of_check(checked: Mapping[str, float]) -> list[str]:
    """Warnings that a run after these measurements may not show the network; empty if the machine kept up."""
    found = []
    if not keeps_up(checked):
        rates = (
            f"a link of {checked['asked_mbps']:.1f} Mbit/s carried {checked['rate_mbps']:.1f}, and "
            if "rate_mbps" in checked
            else ""
        )
        left = f"; {checked['idle_share']:.0%} of the processors' time was left" if "idle_share" in checked else ""
        found.append(
            f"in the check before the run {rates}1 % of the packets were more than"
            f" {checked['lateness_p99_us']:.0f} us late{left}"
        )
    if checked.get("offload_differences"):
        found.append(f"{checked['offload_differences']:.0f} offloads of the hosts are not as they should be")
    return found


def disturbances(report: Mapping[str, Any]) -> list[str]:
    """Warnings that a run on an emulated network may not show its behaviour; empty if the machine kept up."""
    found = of_check(report["check"]) if report.get("check") else []
    if report["lateness"]["p99_us"] > LATE_US:
        found.append(f"1 % of the packets were more than {report['lateness']['p99_us']:.0f} us late")
    if report["device_drops"]:
        found.append(f"hosts lost {report['device_drops']} packets because the network did not take them in time")
    if report["missing"] or report["unwritten"]:
        found.append(f"{report['missing'] + report['unwritten']} packets were lost outside of the network")
    return found


def warnings(report: Mapping[str, Any]) -> list[str]:
    """Disturbances that an immediate repetition of the run would not change."""
    checked = report.get("check") or {}
    found = []
    if checked.get("added_rtt_us", 0) > ADDED_RTT_US:
        found.append(
            f"this machine adds {checked['added_rtt_us']:.0f} us to each round trip; with an RTT of few milliseconds"
            " use --on vm"
        )
    if checked.get("idle_share", 1) < IDLE_SHARE:
        found.append(
            f"the processors had {checked['idle_share']:.0%} of their time left in the check before the run, so that"
            " hosts may have waited for them; end other programs, or use --on vm"
        )
    return found


def fastest_bps(scenario: Scenario, otherwise_bps: int = 100_000_000) -> int:
    """The largest rate of a bottleneck: the slowest link of the path for which that is fastest.

    `otherwise_bps` is for networks without rates, such as Wi-Fi.
    """
    rates = {link["name"]: largest_rate_bps(link) for link in scenario.get("links", [])}
    paths = [[rates[name] for name in flow["forward"] if rates.get(name)] for flow in scenario["flows"]]
    return max((min(path) for path in paths if path), default=otherwise_bps)


def _saturable(rate_bps: int, mtu_bytes: int) -> dict[str, Any]:
    buffer_bytes = max(rate_bps * _BUFFER_NS // 8_000_000_000, 10 * mtu_bytes)
    return _network({"rate_bps": rate_bps, "queue": {"kind": "fifo", "limit_bytes": buffer_bytes}}, {}, mtu_bytes)


def _network(there: dict[str, Any], back: dict[str, Any], mtu_bytes: int = 1500) -> dict[str, Any]:
    return {
        "seed": 1,
        "duration_ns": 1_000_000_000,
        "links": [{"name": "there", **there}, {"name": "back", **back}],
        "flows": [{"algorithm": "reno", "forward": ["there"], "reverse": ["back"], "mtu": mtu_bytes}],
    }


def _carry(network: dict[str, Any], sender: Host, receiver: Host, duration_ns: int, wake_ns: int = 0) -> dict[str, Any]:
    """Carries packets between two hosts for a while; returns the report."""
    never, end = os.pipe()
    ports, origin_ns = [sender.device, receiver.device], time.monotonic_ns()
    try:
        return engine.emulate(network, ports, never, origin_ns=origin_ns, duration_ns=duration_ns, wake_ns=wake_ns)
    finally:
        os.close(never)
        os.close(end)


def _added_rtt_us(sender: Host, receiver: Host) -> tuple[float, float]:
    """The delay that the machine adds to round trips in the median, and to each, which is compensated; 0 without pings.

    No ping may become faster than the network allows.
    """
    before = _added_rtts_us(sender, receiver, 0)
    wake_us = max(0.0, min(before, default=0.0))
    after = _added_rtts_us(sender, receiver, round(wake_us * 1e3))
    if not after:
        return 0.0, 0.0
    too_much_us = min(max(0.0, -min(after)), wake_us)
    return median(after) + too_much_us, wake_us - too_much_us


def _added_rtts_us(sender: Host, receiver: Host, wake_ns: int) -> list[float]:
    """By how much pings take longer than the network, less what asking takes, as TCP does not measure that."""
    delay = {"delay_ns": _PING_DELAY_NS}
    read_end, write_end = os.pipe()
    duration_ns = round((2 * _PINGS + 5) * _PING_GAP_S * 1e9) + 2 * _PINGS * _PING_DELAY_NS
    with meanwhile(lambda: _ping(sender, receiver.address, write_end)):
        os.close(write_end)
        _carry(_network(delay, delay), sender, receiver, duration_ns, wake_ns)
    with os.fdopen(read_end, "rb") as file:
        asking_ns, *rtts_ns = [int(line) for line in file.read().split()] or [0]
    _drain([sender.device, receiver.device])
    return [(rtt_ns - asking_ns - 2 * _PING_DELAY_NS) / 1e3 for rtt_ns in rtts_ns]


def _ping(sender: Host, address: str, output: int) -> None:
    """Sends echo requests, one after the other, and writes their RTTs in ns, after that of itself."""
    namespaces.enter(sender.network)
    own = [echo.rtt_ns for echo in echoes(sender.address, _PINGS, _PING_GAP_S)]
    os.write(output, b"%d\n" % median(own))
    for echo in echoes(address, _PINGS, _PING_GAP_S):
        os.write(output, b"%d\n" % echo.rtt_ns)


def _drain(ports: Sequence[int]) -> None:
    """Throws away what is still in the devices."""
    while select.select(ports, [], [], 0.01)[0]:
        for port in ports:
            try:
                os.read(port, 1 << 16)
            except BlockingIOError:
                continue


def processor_times() -> tuple[int, int]:
    """Idle time of all processors, and their whole time, in clock ticks."""
    words = Path("/proc/stat").read_text(encoding="ascii").split("\n", 1)[0].split()[1:9]
    times = [int(word) for word in words]
    return times[3] + times[4], sum(times)
