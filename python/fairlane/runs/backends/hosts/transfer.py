"""The flows of a run by iperf3, and the samples of ss and tc while they last."""

import asyncio
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from fairlane.engine.types import FlowConfig, Scenario
from fairlane.runs.backends.hosts import answers
from fairlane.runs.backends.hosts.answers import Transfer
from fairlane.runs.backends.hosts.connection import Connection, HostError

FIRST_PORT = 5201
"""iperf3's own; each flow has the next one."""
SAMPLING_S = 0.2
"""ss and tc are not asked more often: each answer takes a round trip over SSH."""
IDLE_S = 30
"""After this long without its client a server ends by itself."""
PATIENCE_S = 60
"""Longer than iperf3 takes to end after its time is over."""


@dataclass(frozen=True)
class Route:
    """A flow's place on the hosts."""

    sender: Connection
    receiver: Connection
    algorithm: str
    """As the sender's kernel calls it."""
    port: int

    @property
    def address(self) -> str:
        """Of the receiver."""
        return str(self.receiver.host.address)


@dataclass(frozen=True)
class Device:
    """A queue to be sampled."""

    link: str
    router: Connection
    name: str
    handle: str
    kind: str
    """As tc calls it."""


async def transfer(
    scenario: Scenario, routes: Sequence[Route], devices: Sequence[Device]
) -> tuple[list[Transfer], dict[str, list[tuple[int, Any]]]]:
    """Carries out all flows. Raises HostError."""
    servers = [await _serve(route) for route in routes]
    await asyncio.gather(*(_ready(route) for route in routes))
    sampler = _Sampler(scenario, routes, devices)
    async with asyncio.TaskGroup() as group:
        sampling = group.create_task(sampler.sample())
        flows = [
            group.create_task(_flow(flow, route, scenario["duration_ns"], sampler.begin_s))
            for flow, route in zip(scenario["flows"], routes, strict=True)
        ]
        await asyncio.wait(flows)
        sampling.cancel()
    for server in servers:
        server.close()
    done = [flow.result() for flow in flows]
    for one, route in zip(done, routes, strict=True):
        one.sender, one.receiver = sampler.senders[route.port], sampler.receivers[route.port]
        one.settle()
    return done, sampler.queues


async def _serve(route: Route) -> Any:
    """Starts the server of a flow."""
    words = ("-s", "-1", "-B", route.address, "-p", str(route.port), "-i", "0.1", "--idle-timeout", str(IDLE_S))
    return await route.receiver.start("iperf3", *words, "--json")


async def _ready(route: Route) -> None:
    """Waits until a server listens."""
    for _ in range(100):
        if await route.receiver.output("ss", "-ltnH", f"sport = :{route.port}"):
            return
        await asyncio.sleep(0.05)
    raise HostError(f"{route.receiver.host.name}: iperf3 does not listen at port {route.port}; is it in use?")


async def _flow(flow: FlowConfig, route: Route, duration_ns: int, begin_s: float) -> Transfer:
    """A flow, from its start to its end."""
    start_ns, stop_ns = flow.get("start_ns", 0), flow.get("stop_ns") or duration_ns
    workload = flow.get("workload", {"kind": "bulk"})
    seconds = math.ceil((stop_ns - start_ns) / 1e9)
    amount = ["-n", str(workload["bytes"])] if workload["kind"] == "bytes" else ["-t", str(seconds)]
    loop = asyncio.get_running_loop()
    await asyncio.sleep(begin_s + start_ns / 1e9 - loop.time())
    words = ["-c", route.address, "-B", str(route.sender.host.address), "-p", str(route.port), "-C", route.algorithm]
    words += [*amount, "-i", "0.1", "--json", "--get-server-output"]
    words += ["-N"] if not flow.get("sender", {}).get("nagle", True) else []
    process = await route.sender.start("iperf3", *words)
    status, said = await route.sender.wait(process, seconds + PATIENCE_S)
    if status or answers.failure(said):
        raise HostError(f"{route.sender.host.name}: iperf3: {answers.failure(said)}")
    try:
        return answers.of_iperf3(said, start_ns)
    except ValueError as error:
        raise HostError(f"{route.sender.host.name}: {error}; install iperf3 3.10 or later") from None


class _Sampler:
    def __init__(self, scenario: Scenario, routes: Sequence[Route], devices: Sequence[Device]) -> None:
        self.period_s = max(scenario["series_interval_ns"] / 1e9, SAMPLING_S)
        self.begin_s = asyncio.get_running_loop().time() + SAMPLING_S
        self.routes, self.devices = routes, devices
        ports = [route.port for route in routes]
        self.senders: dict[int, list[tuple[int, dict[str, int]]]] = {port: [] for port in ports}
        self.receivers: dict[int, list[tuple[int, dict[str, int]]]] = {port: [] for port in ports}
        self.queues: dict[str, list[tuple[int, Any]]] = {device.link: [] for device in devices}

    async def sample(self) -> None:
        """Samples until it is cancelled."""
        loop = asyncio.get_running_loop()
        hosts = {id(one): (one, True) for one in (route.sender for route in self.routes)}
        hosts |= {id(one): (one, False) for one in (route.receiver for route in self.routes)}
        due_s = self.begin_s
        while True:
            await asyncio.sleep(due_s - loop.time())
            await asyncio.gather(
                *(self._sockets(host, at_sender=at_sender) for host, at_sender in hosts.values()),
                *(self._queue(device) for device in self.devices),
            )
            due_s = max(due_s + self.period_s, loop.time())

    def _now_ns(self) -> int:
        return round((asyncio.get_running_loop().time() - self.begin_s) * 1e9)

    async def _sockets(self, host: Connection, *, at_sender: bool) -> None:
        ports = [route.port for route in self.routes]
        way = "dport" if at_sender else "sport"
        asked_ns = self._now_ns()
        said = await host.output(
            "ss", "-tinHO", "state", "established", f"{way} >= :{min(ports)} and {way} <= :{max(ports)}"
        )
        at_ns = (asked_ns + self._now_ns()) // 2
        into = self.senders if at_sender else self.receivers
        for port, values in answers.of_ss(said, ports, at_sender=at_sender).items():
            into[port].append((at_ns, values))

    async def _queue(self, device: Device) -> None:
        asked_ns = self._now_ns()
        found = answers.of_tc(await device.router.output("tc", "-s", "-j", "qdisc", "show", "dev", device.name))
        self.queues[device.link].append(((asked_ns + self._now_ns()) // 2, found.get(device.handle, {})))
