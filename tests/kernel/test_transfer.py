"""Every program in the running kernel does what it does in the simulator.

20 MB through a token bucket of 50 Mbit/s with a queue of 250 kB and no other delay: the RTT is the queue's. A flow that
fills the queue has windows of a hundred packets, and those agree closely. A flow that keeps the queue short lives at
the scale of this machine's own noise (a few ms until a process runs), which the simulator does not have: of its
window only the upper bound is compared.
"""

import json
import subprocess
import sys
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, quantiles

import pytest
from fairlane import engine
from fairlane.kernel import machine

from .conftest import ALGORITHMS, PROGRAMS

BYTES = 20_000_000
RATE_BPS = 50_000_000
BURST_BYTES = 15_400
LIMIT_BYTES = 250_000
FRAME_BYTES = 1514
PACKETS = BYTES / 1448
SAMPLE_S = 0.005
AFTER_S = 0.5
"""The windows of slow start are no figure to compare: they last for milliseconds."""

PARAMETERS = {
    # Without a delay on the path Copa's own queue never looks empty; whether it then competes with itself is chance.
    "copa": {"mode_switching": 0},
}

AT_ONCE = 2
ATTEMPTS = 3
"""Transfers that may disagree before the test fails."""
STALLED_SHARE = 0.03
"""A transfer that the machine stalled for more than this says nothing about the algorithm, and is not counted."""
TRANSFERS = 8
"""After that many transfers the machine is too disturbed to tell."""


@dataclass(frozen=True)
class Figures:
    goodput_mbps: float
    retransmits: int
    cwnd_low: float
    cwnd_mean: float
    cwnd_high: float
    stalled_share: float

    @classmethod
    def of(cls, duration_s: float, retransmits: int, windows: list[float], stalled_s: float = 0.0) -> "Figures":
        tenths = quantiles(windows, n=10)
        goodput_mbps = BYTES * 8 / duration_s / 1e6
        return cls(goodput_mbps, retransmits, tenths[0], mean(windows), tenths[-1], stalled_s / duration_s)

    def differences(self, kernel: "Figures") -> list[str]:
        """What is too far from this, the simulator's."""
        wrong = []
        if abs(kernel.goodput_mbps / self.goodput_mbps - 1) > 0.03:
            wrong.append("goodput differs by more than 3 %")
        if abs(kernel.retransmits - self.retransmits) > 0.015 * PACKETS:
            wrong.append("retransmissions differ by more than 1.5 % of the packets")
        fills_the_queue = self.cwnd_mean > 0.3 * LIMIT_BYTES / FRAME_BYTES
        if fills_the_queue:
            for name in ("cwnd_low", "cwnd_mean", "cwnd_high"):
                if abs(getattr(kernel, name) / getattr(self, name) - 1) > 0.2:
                    wrong.append(f"{name} differs by more than 20 %")
        elif kernel.cwnd_high > 1.3 * LIMIT_BYTES / FRAME_BYTES:
            wrong.append("the window is larger than the path")
        return wrong


@pytest.fixture(scope="module")
def transfers(request, load, namespaces):
    """The transfers of all selected programs, a few at once."""
    chosen = [item.callspec.params["program"] for item in request.session.items if "transfers" in item.fixturenames]
    pool = ThreadPoolExecutor(AT_ONCE)
    yield {program: pool.submit(in_kernel, load, program) for program in dict.fromkeys(chosen)}
    pool.shutdown(cancel_futures=True)


@pytest.mark.parametrize("program", PROGRAMS)
def test_kernel_and_simulator_agree(program, transfers: dict[str, Future]):
    simulated = in_simulator(program)
    kernel_name, figures = transfers[program].result()
    seen = [figures]
    while wrong := simulated.differences(figures):
        lines = "\n".join(f"  kernel     {one}" for one in seen)
        if sum(one.stalled_share <= STALLED_SHARE for one in seen) >= ATTEMPTS:
            pytest.fail(f"{program}: {'; '.join(wrong)}\n  simulator  {simulated}\n{lines}")
        if len(seen) == TRANSFERS:
            pytest.skip(f"the machine stalls too often to compare {program}:\n{lines}")
        figures = transfer(kernel_name)
        seen.append(figures)
    print(f"{program:<12} simulator {show(simulated)}\n{'':<12} kernel    {show(figures)}")  # seen with pytest -s


def in_kernel(load, program: str) -> tuple[str, Figures]:
    name = load(str(ALGORITHMS / f"{program}.c"), PARAMETERS.get(program))
    return name, transfer(name)


def transfer(kernel_name: str) -> Figures:
    settings = {
        "algorithm": kernel_name,
        "bytes": BYTES,
        "rate_bps": RATE_BPS,
        "burst_bytes": BURST_BYTES,
        "limit_bytes": LIMIT_BYTES,
        "sample_s": SAMPLE_S,
    }
    script = Path(__file__).with_name("transfer.py")
    command = [sys.executable, str(script), json.dumps(settings)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["algorithm"] == kernel_name
    windows = [cwnd for t_s, cwnd, _ in found["samples"] if t_s > AFTER_S]
    return Figures.of(found["duration_s"], found["retransmits"], windows, found["stalled_s"])


def in_simulator(program: str) -> Figures:
    """The same network; the cables take 10 us each."""
    result = engine.run(
        {
            "seed": 1,
            "duration_ns": 20 * 10**9,
            "hz": machine.timer_interrupts_per_s(),
            "series_interval_ns": int(SAMPLE_S * 1e9),
            "links": [
                {
                    "name": "bucket",
                    "rate_bps": RATE_BPS,
                    "burst_bytes": BURST_BYTES,
                    "delay_ns": 20_000,
                    "queue": {"kind": "fifo", "limit_bytes": LIMIT_BYTES},
                },
                {"name": "return", "delay_ns": 20_000},
            ],
            "flows": [
                {
                    "algorithm": str(ALGORITHMS / f"{program}.c"),
                    "parameters": PARAMETERS.get(program, {}),
                    "forward": ["bucket"],
                    "reverse": ["return"],
                    "workload": {"kind": "bytes", "bytes": BYTES},
                    "sender": {"wmem_max_bytes": memory_limit("tcp_wmem")},
                    "receiver": {"rmem_max_bytes": memory_limit("tcp_rmem")},
                }
            ],
        }
    )
    flow, series = result["flows"][0], result["series"]["flows"][0]
    end_s = flow["completion_s"]
    windows = [
        cwnd
        for t_s, cwnd in zip(series["t_s"], series["cwnd_packets"], strict=True)
        if AFTER_S < t_s <= end_s and cwnd is not None
    ]
    return Figures.of(end_s, flow["retransmits"], windows)


def memory_limit(name: str) -> int:
    """The largest buffer of a socket here, and so in a new namespace."""
    return int(Path(f"/proc/sys/net/ipv4/{name}").read_text().split()[2])


def show(figures: Figures) -> str:
    return (
        f"{figures.goodput_mbps:5.2f} Mbps, {figures.retransmits:4} retransmissions,"
        f" window {figures.cwnd_low:3.0f} to {figures.cwnd_high:3.0f}, mean {figures.cwnd_mean:3.0f}"
    )
