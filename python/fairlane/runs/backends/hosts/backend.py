"""Hosts over SSH as a backend: real time, one run after the other."""

import asyncio
import json
import re
import time
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any

from fairlane.algorithm.kernel import KernelError
from fairlane.engine import AlgorithmError
from fairlane.engine.types import LinkConfig, Scenario
from fairlane.runs.backends import Backend, Outcome
from fairlane.runs.backends.hosts import answers, changes, testbeds, transfer
from fairlane.runs.backends.hosts import shape as shapes
from fairlane.runs.backends.hosts.changes import Journal
from fairlane.runs.backends.hosts.connection import Connection, HostError, HostGone, connect
from fairlane.runs.backends.hosts.inventory import Testbed
from fairlane.runs.backends.hosts.probe import Probed, probe
from fairlane.runs.backends.hosts.transfer import Device, Route
from fairlane.runs.backends.linux import building, limits, measured, programs, tc
from fairlane.runs.backends.linux.host import Host, largest_mtu_bytes
from fairlane.runs.backends.linux.limits import Abilities
from fairlane.runs.backends.linux.samples import NoResult, Sample


@cache
def open_backend(argument: str) -> "Hosts":
    """The backend of a file with hosts, or of fabric:SLICE. Raises KernelError."""
    testbed = testbeds.read(argument)
    with changes.alone(testbed):
        return Hosts(testbed, asyncio.run(_probed(testbed)))


class Hosts(Backend):
    """Runs scenarios on hosts, one at a time."""

    def __init__(self, testbed: Testbed, probed: Mapping[str, Probed]) -> None:
        self.testbed, self.probed, self.name = testbed, probed, testbed.name
        senders = [probed[host.name] for host in testbed.of("sender") if host.name in probed]
        receivers = [probed[host.name] for host in testbed.of("receiver") if host.name in probed]
        router = probed[testbed.of("router")[0].name]
        delays = all("netem" in one.queues for one in receivers)
        self.hosts = (len(senders), len(receivers))
        self.abilities = Abilities(
            forgets_routes=True,
            name=f"{testbed.name} (Linux {senders[0].release})",
            version=min(one.version for one in senders),
            queues=(router.queues - {"netem"}) | ({"netem"} if delays else set()),
            algorithms=frozenset.intersection(*(one.algorithms for one in senders)),
            hz=senders[0].hz,
            takes_programs=all(one.version >= programs.UNLOADED_SINCE and one.btf for one in senders),
            delays_frames=False,
            without_netem="load it at the receivers (modprobe sch_netem), or use --on vm, or --on simulator",
        )
        self.hz = self.abilities.hz

    def run(self, scenario: str) -> Outcome:
        """Runs a scenario; it takes its duration. The CPU time is that of this process."""
        parsed = json.loads(scenario)
        begin_s, cpu_s = time.perf_counter(), time.process_time()
        try:
            with changes.alone(self.testbed):
                was, samples, kinds = asyncio.run(_run(self.testbed, self.probed, self.abilities, parsed))
            packed = measured.result(was, samples, kinds)
        except (KernelError, AlgorithmError, NoResult) as error:
            return Outcome.failed(error)
        usage = {"cpu_s": time.process_time() - cpu_s, "wall_s": time.perf_counter() - begin_s, "peak_rss_mb": 0.0}
        return Outcome([packed], usage)

    def limits(self, scenario: Scenario) -> list[str]:
        """Parts of a scenario that these hosts cannot do."""
        return shapes.limits(scenario, *self.hosts) + limits.limits(scenario, self.abilities)

    def notes(self, scenario: Scenario) -> list[str]:
        """Differences between the run here and the scenario."""
        absent = [host.name for host in self.testbed.hosts if host.name not in self.probed]
        return [
            *limits.notes(scenario, self.abilities),
            *([f"{self.testbed.name}: not reached, and left out: {', '.join(absent)}"] if absent else []),
            f"{self.testbed.name} runs in real time: no seed repeats a run; delays are added to those of the cables, at"
            " the receivers; buffers of sockets are the hosts' own; iperf3 ends flows after whole seconds",
        ]

    def identity(self) -> str:
        """The hosts and their kernels."""
        named = sorted(
            f"{host.role} {host.host} Linux {self.probed[host.name].release}"
            for host in self.testbed.hosts
            if host.name in self.probed
        )
        return f"{', '.join(named)}, in real time"


async def _probed(testbed: Testbed) -> dict[str, Probed]:
    """Probes each host that can be reached; one of each role has to be."""
    async with _reached(testbed) as reached:
        try:
            async with asyncio.TaskGroup() as group:
                connections = reached.connections.items()
                probes = {name: group.create_task(probe(one, reached.journal)) for name, one in connections}
        except* KernelError as errors:
            raise _first(errors) from None
        return {name: one.result() for name, one in probes.items()}


async def _run(
    testbed: Testbed, probed: Mapping[str, Probed], abilities: Abilities, scenario: Scenario
) -> tuple[Scenario, list[Sample], dict[str, str]]:
    """A run: the scenario with its actual times, its samples, and the queue of each link. Raises KernelError."""
    shape = shapes.shape(scenario)
    async with _reached(testbed) as reached:
        senders, receivers, journal = reached.of("sender"), reached.of("receiver"), reached.journal
        if len(set(shape.delays_ns)) > len(receivers):
            raise HostError(f"{testbed.name}: too few receivers can be reached for the RTTs of this run")
        places = shapes.places(shape.delays_ns, len(senders), len(receivers))
        names = await _algorithms(scenario, abilities, senders, probed, journal)
        ways = [(one, receivers[0]) for one in senders] + [(one, senders[0]) for one in receivers]
        found = await asyncio.gather(*(_device(one, other.host.address) for one, other in ways))
        first = scenario["flows"][0]
        for (one, _), device in zip(ways, found, strict=True):
            is_sender = one.host.role == "sender"
            await _offloads(one, journal, device, Host("s" if is_sender else "r", 0, first).settings)
        delays_ns = {receiver: delay_ns for delay_ns, (_, receiver) in zip(shape.delays_ns, places, strict=True)}
        for index, (receiver, device) in enumerate(zip(receivers, found[len(senders) :], strict=True)):
            if delays_ns.get(index):
                await changes.free(receiver, journal, device)
                await receiver.output(*shapes.delay(device, delays_ns[index]))
        shaped = ((shape.forward, receivers[0], largest_mtu_bytes(scenario)), (shape.reverse, senders[0], tc.ACK_BYTES))
        [router] = reached.of("router")
        devices = [
            await _shaped(router, journal, link, towards, packet_bytes)
            for link, towards, packet_bytes in shaped
            if link
        ]
        routes = [
            Route(senders[sender], receivers[receiver], names[n], transfer.FIRST_PORT + n)
            for n, (sender, receiver) in enumerate(places)
        ]
        try:
            transfers, queues = await transfer.transfer(scenario, routes, devices)
        except* HostError as group:
            raise _first(group) from None
        was = answers.as_it_was(scenario, transfers)
        return was, answers.samples(was, transfers, queues), {device.link: device.kind for device in devices}


async def _shaped(
    router: Connection, journal: Journal, link: LinkConfig, towards: Connection, packet_bytes: int
) -> Device:
    """Gives the router's device towards a host the queue and the rate of a link."""
    device = await _device(router, towards.host.address)
    await changes.switch(router, journal, device, {"gro": False})
    await changes.free(router, journal, device)
    commands = shapes.discipline(link, device, packet_bytes)
    for command in commands:
        await router.output(*command)
    kind = tc.queue(link["queue"])[0] if link.get("queue") else "tbf"
    return Device(link["name"], router, device, f"{len(commands)}:", kind)


async def _algorithms(
    scenario: Scenario,
    abilities: Abilities,
    senders: Sequence[Connection],
    probed: Mapping[str, Probed],
    journal: Journal,
) -> dict[int, str]:
    """The name in the senders' kernels of each flow's algorithm; those that they lack are loaded for this run."""
    names: dict[int, str] = {}
    for connection in senders:
        own = probed[connection.host.name]
        names, needed = programs.needed(scenario, abilities.algorithms, own.target(connection.host.name))
        if not needed:
            continue
        folder = f"/tmp/fairlane-{own.token}"
        loader = f"{folder}-loader"
        journal.note(connection.host.name, "remove", [loader])
        await connection.write(loader, building.loader().read_bytes(), 0o700)
        for one in needed:
            path = f"{folder}-{one.name}.o"
            journal.note(connection.host.name, "remove", [path])
            await connection.write(path, one.content)
            process = await connection.start(loader, path, one.table, one.functions, str(own.hz), "hold")
            said = await _until(process, "ready")
            if "ready" not in said:
                reason = " ".join(said.split()) or "the loader said nothing; it needs libbpf, which iproute2 has"
                raise HostError(f"{connection.host.name}: {one.name} cannot be loaded: {reason[-300:]}")
    return names


async def _until(process: Any, word: str) -> str:
    said = ""
    while word not in said:
        try:
            more = await asyncio.wait_for(process.stdout.read(4096), 30)
        except TimeoutError:
            return said
        if not more:
            return said
        said += more
    return said


async def _offloads(connection: Connection, journal: Journal, device: str, settings: Mapping[str, Any]) -> None:
    """TSO, GSO and GRO as the scenario says."""
    segments = bool(settings["offload"] and settings.get("segmentation_offload", True))  # a receiver sends ACKs only
    wanted = {"tso": segments, "gso": segments, "gro": bool(settings["offload"])}
    await changes.switch(connection, journal, device, wanted)


async def _device(connection: Connection, address: str | None) -> str:
    """The device by which a host reaches an address; it may not be the one by which we reach the host."""
    name = connection.host.name
    status, said, _ = await connection.result("ip", "-j", "route", "get", str(address))
    found = json.loads(said) if status == 0 else []
    device = str(found[0].get("dev", "")) if found else ""
    if not re.fullmatch(r"[\w.@:-]{1,15}", device) or device == "lo":
        raise HostError(f"{name}: has no route to {address} by a device of its own; check the routes")
    for entry in json.loads(await connection.output("ip", "-j", "address", "show", "dev", device)):
        if connection.address in [one.get("local") for one in entry.get("addr_info", ())]:
            raise HostError(
                f"{name}: {device} leads to {address} and is also how SSH reaches this host; shaping it would cut us"
                " off; reach the host by another of its addresses"
            )
    return device


@dataclass(frozen=True)
class _Reached:
    """The hosts of a testbed that are connected, by name, and how their changes are taken back."""

    connections: Mapping[str, Connection]
    journal: Journal

    def of(self, role: str) -> list[Connection]:
        return [one for one in self.connections.values() if one.host.role == role]


@asynccontextmanager
async def _reached(testbed: Testbed) -> AsyncIterator[_Reached]:
    """Connects all hosts that can be reached, if there is one of each role.

    Changes that a killed run left are taken back at the beginning, and all changes at the end.
    """
    found = await asyncio.gather(*(connect(testbed, host) for host in testbed.hosts), return_exceptions=True)
    connected = {one.host.name: one for one in found if isinstance(one, Connection)}
    reached = _Reached(connected, Journal(testbed))
    try:
        errors = [
            one
            for host, one in zip(testbed.hosts, found, strict=True)
            if isinstance(one, BaseException) and not (isinstance(one, HostGone) and reached.of(host.role))
        ]
        for error in sorted(errors, key=lambda one: isinstance(one, HostGone)):
            raise error
        await reached.journal.take_back(connected)
        try:
            yield reached
        finally:
            await asyncio.shield(reached.journal.take_back(connected))
    finally:
        for connection in connected.values():
            connection.close()


def _first(group: BaseExceptionGroup[KernelError]) -> KernelError:
    """The error that says most: a host that has gone, before what follows from that."""
    found = [error for error in _leaves(group) if isinstance(error, KernelError)]
    return next((error for error in found if isinstance(error, HostGone)), found[0])


def _leaves(group: BaseExceptionGroup[Any]) -> Iterator[BaseException]:
    for error in group.exceptions:
        yield from _leaves(error) if isinstance(error, BaseExceptionGroup) else [error]
