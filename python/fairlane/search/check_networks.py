"""The networks of `fairlane algorithm check`, which expose common bugs of congestion controls.

Each network has a metric and a bound that any sound congestion control reaches; every bundled one passes by a margin.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from fairlane.engine.result_bytes import Result
from fairlane.engine.types import Scenario
from fairlane.scenario.requests import Toml, dumbbell, scenario

_FRAME_BYTES = 1514


@dataclass(frozen=True)
class Network:
    """One check: a scenario, and a value in per cent that must reach `least`."""

    name: str
    experiment: Mapping[str, Any]
    """As in an experiment file."""
    figure: Callable[[Result], float]
    least: float
    what: str
    """Percent of what."""

    @property
    def scenario(self) -> Scenario:
        """For the engine."""
        return scenario(self.experiment)

    @property
    def short_name(self) -> str:
        """For the command line and files, such as survives-10-loss."""
        return "-".join(re.findall(r"\w+", self.name.lower()))

    def judge(self, result: Result) -> tuple[bool, str]:
        """Whether a run of the scenario reaches the bound, and its value with the bound."""
        value = self.figure(result)
        return value >= self.least, f"{value:.3g} % {self.what} (at least {self.least:g} %)"


def networks(algorithm: str, parameters: Mapping[str, int]) -> list[Network]:
    """All of them, for this algorithm."""

    def network(
        name: str, least: float, figure: Callable[[Result], float], what: str = "used", **settings: Any
    ) -> Network:
        return Network(name, _experiment(algorithm, parameters, **settings), figure, least, what)

    outage = [("10s", "10kbit"), ("13s", "20mbit")]
    faster, slower = [("10s", "50mbit")], [("20s", "5mbit")]
    at_the_end = "used in the last 10 s"
    return [
        network("fills a link alone", 70, _used(20)),
        network("shares with itself", 10, _smaller_share, "smaller share", flows=2, duration_s=80, warm_up_s=40),
        network("survives 10 % loss", 1, _used(20), loss="10%"),
        network("survives reordering", 3, _used(20), jitter="20ms"),
        network("survives timeouts", 30, _used(20), at_the_end, changes=outage, duration_s=40, warm_up_s=30),
        network("works after idling", 15, _used(20), "used, half idle", workload=_ON_OFF, duration_s=41),
        network("rate from 5 to 50 Mbps", 25, _used(50), at_the_end, rate_mbit=5, changes=faster, **_LONG),
        network("rate from 50 to 5 Mbps", 70, _used(5), at_the_end, rate_mbit=50, changes=slower, **_LONG),
        network("buffer of 1 packet", 1, _used(20), buffer="1p"),
        network("RTT of 10 us", 50, _used(1000), rate_mbit=1000, rtt_us=10, duration_s=1, buffer="100p"),
        network("RTT of 2 s", 10, _used(10), rate_mbit=10, rtt_us=2_000_000, duration_s=120),
    ]


_LONG = {"duration_s": 60, "warm_up_s": 50}


_ON_OFF = {"kind": "on_off", "on": "3s", "off": "3s"}


def _used(rate_mbit: float) -> Callable[[Result], float]:
    """Frames that arrived, in percent of the rate."""
    return lambda result: 100 * sum(flow["throughput_mbps"] for flow in result["flows"]) / rate_mbit


def _smaller_share(result: Result) -> float:
    rates = [flow["goodput_mbps"] for flow in result["flows"]]
    return 100 * min(rates) / sum(rates) if sum(rates) else 0.0


def _experiment(
    algorithm: str,
    parameters: Mapping[str, int],
    *,
    rate_mbit: int = 20,
    rtt_us: int = 40_000,
    flows: int = 1,
    duration_s: int = 30,
    warm_up_s: int = 0,
    buffer: str | None = None,
    loss: str | None = None,
    jitter: str | None = None,
    changes: list[tuple[str, str]] | None = None,
    workload: Toml | None = None,
) -> Toml:
    """One bottleneck with a buffer of one BDP, at least 20 packets, unless given. A second flow comes 5 s later."""
    bdp_bytes = rate_mbit * rtt_us // 8
    flow = {
        "algorithm": algorithm,
        "parameters": dict(parameters),
        "rtt": f"{rtt_us}us",
        **({"count": flows, "start_every": "5s"} if flows > 1 else {}),
        "workload": workload or "bulk",
    }
    return dumbbell(
        [flow],
        rate=f"{rate_mbit}mbit",
        buffer=buffer or f"{max(bdp_bytes, 20 * _FRAME_BYTES)}B",
        duration=f"{duration_s}s",
        loss=loss,
        jitter={"max": jitter, "reorder": True} if jitter else None,
        changes=[{"at": at, "rate": rate} for at, rate in changes] if changes else None,
        metrics={"warm_up": f"{warm_up_s}s"},
    )
