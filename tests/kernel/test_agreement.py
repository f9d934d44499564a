"""Every program behaves in a stock kernel as in the simulator.

10 MB over a token bucket of 50 Mbit/s with a queue of 250 kB and an RTT of 20 ms. The kernel runs in QEMU, in virtual
time: its values are the same on every machine, under any load. Skipped, with the reason, where there is no
QEMU, or no kernel can be fetched, or no program can be compiled.
"""

import json
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict, dataclass
from statistics import mean, quantiles

import pytest
from fairlane import engine
from fairlane.algorithm.kernel import KernelError, compiler
from fairlane.engine.result_bytes import unpack
from fairlane.runs.backends import backend

from .conftest import ALGORITHMS, PROGRAMS

BYTES = 10_000_000
RATE_BPS = 50_000_000
DELAY_NS = 10_000_000
NEARBY = (0.98, 0.99, 1, 1.01, 1.02)
"""Parts of the delay that the simulator is asked about. Where a loss falls can be chance: Illinois reduces its window
by an eighth or by a half, depending on where in a round slow start ended, and one percent of delay changes that."""
LIMIT_BYTES = 250_000
PACKETS = BYTES / 1448
AFTER_S = 0.5
"""Slow start's windows last for milliseconds, and are no figure to compare."""
AT_ONCE = 2


@dataclass(frozen=True)
class Figures:
    goodput_mbps: float
    retransmits: int
    cwnd_low: float
    cwnd_mean: float
    cwnd_high: float

    @classmethod
    def of(cls, flow: dict, samples: list[tuple[float, float | None]]) -> "Figures":
        end_s = flow["completion_s"]
        assert end_s is not None, "the transfer does not end"
        windows = [cwnd for t_s, cwnd in samples if AFTER_S < t_s <= end_s and cwnd is not None]
        tenths = quantiles(windows, n=10)
        return cls(BYTES * 8 / end_s / 1e6, flow["retransmits"], tenths[0], mean(windows), tenths[-1])

    def __str__(self) -> str:
        return (
            f"{self.goodput_mbps:5.2f} Mbps, {self.retransmits:4} retransmissions,"
            f" window {self.cwnd_low:3.0f} to {self.cwnd_high:3.0f}, mean {self.cwnd_mean:3.0f}"
        )


@pytest.fixture(scope="module")
def transfers(request, stock_kernel) -> Iterator[dict[str, Future]]:
    """The transfers of all selected programs, a few at once."""
    try:
        compiler.find_clang()
        compiler.check_headers()
        vm = backend(f"vm:{stock_kernel}")
    except KernelError as lacking:
        pytest.skip(str(lacking))
    chosen = [item.callspec.params["program"] for item in request.session.items if "transfers" in item.fixturenames]
    pool = ThreadPoolExecutor(AT_ONCE)
    yield {program: pool.submit(transfer, vm, program) for program in dict.fromkeys(chosen)}
    pool.shutdown(cancel_futures=True)


@pytest.mark.parametrize("program", PROGRAMS)
def test_kernel_and_simulator_agree(program, transfers):
    kernel, simulator = transfers[program].result()
    lines = [f"{program}:", *(f"  simulator  {one}" for one in simulator), f"  kernel     {kernel}"]
    print("\n".join(lines))  # seen with pytest -s
    wrong = differences(kernel, simulator)
    assert not wrong, "\n".join([*wrong, *lines])


def differences(kernel: Figures, simulator: list[Figures]) -> list[str]:
    """Values of the kernel outside the tolerance around the simulator's range."""
    allowed = {"goodput_mbps": (1.03, 0), "retransmits": (1, 0.015 * PACKETS)}
    wrong = []
    for name, value in asdict(kernel).items():
        others = [getattr(one, name) for one in simulator]
        factor, more = allowed.get(name, (1.2, 0))
        low, high = min(others) / factor - more, max(others) * factor + more
        if not low <= value <= high:
            wrong.append(f"{name}: {value:.2f} is not between {low:.2f} and {high:.2f}")
    return wrong


def transfer(vm, program: str) -> tuple[Figures, list[Figures]]:
    """Results of the kernel, and of the simulator with each of the nearby delays."""
    simulated, end_s = [], 0.0
    for factor in NEARBY:
        result = engine.run(scenario(program, vm.hz, 20.0, round(DELAY_NS * factor)))
        flow, series = result["flows"][0], result["series"]["flows"][0]
        simulated.append(Figures.of(flow, list(zip(series["t_s"], series["cwnd_packets"], strict=True))))
        end_s = max(end_s, flow["completion_s"])
    # A guest whose flow has ended costs time for nothing.
    outcome = vm.run(json.dumps(scenario(program, vm.hz, 1.1 * end_s)))
    assert outcome.message == ""
    unpacked = unpack(b"".join(outcome.pieces))
    rows = unpacked.table("flow_series").iter_rows(named=True)
    samples = [(row["t_s"], row["cwnd_packets"]) for row in rows]
    return Figures.of(unpacked.metrics["flows"][0], samples), simulated


def scenario(program: str, hz: int, duration_s: float, delay_ns: int = DELAY_NS) -> dict:
    queue = {"kind": "fifo", "limit_bytes": LIMIT_BYTES}
    return {
        "seed": 1,
        "duration_ns": round(duration_s * 1e9),
        "hz": hz,
        "series_interval_ns": 5_000_000,
        "links": [
            {"name": "there", "rate_bps": RATE_BPS, "burst_bytes": 15_400, "delay_ns": delay_ns, "queue": queue},
            {"name": "back", "delay_ns": delay_ns},
        ],
        "flows": [
            {
                "algorithm": str(ALGORITHMS / f"{program}.c"),
                "forward": ["there"],
                "reverse": ["back"],
                "workload": {"kind": "bytes", "bytes": BYTES},
            }
        ],
    }
