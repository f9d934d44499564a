"""Hosts over SSH as a backend: real time, one run after the other."""

import asyncio
import json
import re
import time
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from functools import cache
from typing import Any

from fairlane.algorithm.kernel import KernelError
from fairlane.engine import AlgorithmError
from fairlane.engine.types import Scenario
from fairlane.runs.backends import Backend, Outcome
from fairlane.runs.backends.hosts import answers, changes, testbeds, transfer
from fairlane.runs.backends.hosts import shape as shapes
from fairlane.runs.backends.hosts.changes import Journal
from fairlane.runs.backends.hosts.connection import Connection, HostError, HostGone, connect
from fairlane.runs.backends.hosts.inventory import Host, Testbed
from fairlane.runs.backends.hosts.probe import Probed, probe
from fairlane.runs.backends.hosts.transfer import Device, Route
from fairlane.runs.backends.linux import building, limits, measured, programs, tc
from fairlane.runs.backends.linux.limits import Abilities
from fairlane.runs.backends.linux.samples import Sample

_UNLOADED_SINCE = (6, 4)
"""The first kernel that takes back a congestion control when the process that loaded it ends."""


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
            name=f"{testbed.name} (Linux {senders[0].release})",
            version=min(one.version for one in senders),
            queues=(router.queues - {"netem"}) | ({"netem"} if delays else set()),
            algorithms=frozenset.intersection(*(one.algorithms for one in senders)),
            hz=senders[0].hz,
            takes_programs=all(one.version >= _UNLOADED_SINCE and one.btf for one in senders),
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
        except (KernelError, AlgorithmError) as error:
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
    async with _connected(testbed) as connections, _changed(testbed, connections) as journal:
        try:
            async with asyncio.TaskGroup() as group:
                probes = {name: group.create_task(probe(one, journal)) for name, one in connections.items()}
        except* KernelError as errors:
            raise _first(errors) from None
        return {name: one.result() for name, one in probes.items()}


async def _run(
    testbed: Testbed, probed: Mapping[str, Probed], abilities: Abilities, scenario: Scenario
) -> tuple[Scenario, list[Sample], dict[str, str]]:
    """A run: the scenario with its actual times, its samples, and the queue of each link. Raises KernelError."""
    shape = shapes.shape(scenario)
    async with _connected(testbed) as connections, _changed(testbed, connections) as journal:
        senders = [connections[host.name] for host in testbed.of("sender") if host.name in connections]
        receivers = [connections[host.name] for host in testbed.of("receiver") if host.name in connections]
        router = connections[testbed.of("router")[0].name]
        if len(set(shape.delays_ns)) > len(receivers):
            raise HostError(f"{testbed.name}: too few receivers can be reached for the RTTs of this run")
        places = shapes.places(shape.delays_ns, len(senders), len(receivers))
        names = await _algorithms(scenario, abilities, {id(one): one for one in senders}, probed, journal)
        mtu_bytes = max((flow.get("mtu", 1500) for flow in scenario["flows"]), default=1500)
        ways = [(one, receivers[0]) for one in senders] + [(one, senders[0]) for one in receivers]
        found = await asyncio.gather(*(_device(one, other.host.address) for one, other in ways))
        for one, device in zip(senders, found, strict=False):
            await _offloads(one, journal, device, scenario["flows"][0].get("sender", {}))
        for index, (receiver, device) in enumerate(zip(receivers, found[len(senders) :], strict=True)):
            await _offloads(receiver, journal, device, scenario["flows"][0].get("receiver", {}))
            delay_ns = max(
                (delay for delay, (_, place) in zip(shape.delays_ns, places, strict=True) if place == index), default=0
            )
            if delay_ns:
                await changes.free(receiver, journal, device)
                await receiver.output(*shapes.delay(device, delay_ns))
        devices: list[Device] = []
        kinds: dict[str, str] = {}
        for link, towards, packet_bytes in (
            (shape.forward, receivers[0], mtu_bytes),
            (shape.reverse, senders[0], tc.ACK_BYTES),
        ):
            if link is None:
                continue
            device = await _device(router, towards.host.address)
            await changes.switch(router, journal, device, {"gro": False})
            await changes.free(router, journal, device)
            commands = shapes.discipline(link, device, packet_bytes)
            for command in commands:
                await router.output(*command)
            devices.append(Device(link["name"], router, device, f"{len(commands)}:"))
            kinds[link["name"]] = tc.queue(link["queue"])[0] if link.get("queue") else "tbf"
        routes = [
            Route(
                senders[sender],
                receivers[receiver],
                str(senders[sender].host.address),
                str(receivers[receiver].host.address),
                names[n],
                transfer.FIRST_PORT + n,
            )
            for n, (sender, receiver) in enumerate(places)
        ]
        try:
            transfers, queues = await transfer.transfer(scenario, routes, devices)
        except* HostError as group:
            raise _first(group) from None
        was = answers.as_it_was(scenario, transfers)
        return was, answers.samples(was, transfers, queues), kinds


async def _algorithms(
    scenario: Scenario,
    abilities: Abilities,
    senders: Mapping[int, Connection],
    probed: Mapping[str, Probed],
    journal: Journal,
) -> dict[int, str]:
    """The name in the senders' kernels of each flow's algorithm; those that they lack are loaded for this run."""
    names: dict[int, str] = {}
    for connection in senders.values():
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
    segments = bool(settings.get("segmentation_offload", True) and settings.get("offload", False))
    wanted = {"tso": segments, "gso": segments, "gro": bool(settings.get("offload", False))}
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


@asynccontextmanager
async def _connected(testbed: Testbed) -> AsyncIterator[dict[str, Connection]]:
    """All hosts that can be reached, by name, if there is one of each role; what a killed run left is taken back."""
    found = await asyncio.gather(*(connect(testbed, host) for host in testbed.hosts), return_exceptions=True)
    connections: dict[str, Connection] = {}
    lost: dict[str, list[HostGone]] = {}
    errors = []
    for host, one in zip(testbed.hosts, found, strict=True):
        if isinstance(one, Connection):
            connections[host.name] = one
        elif isinstance(one, HostGone):
            lost.setdefault(host.role, []).append(one)
        else:
            errors.append(one)
    try:
        if errors:
            raise errors[0]
        for role, ones in lost.items():
            if not _of_role(testbed, role, connections):
                raise ones[0]
        journal = Journal(testbed)
        journal.load()
        await journal.take_back(connections)
        yield connections
    finally:
        for connection in connections.values():
            connection.close()


def _of_role(testbed: Testbed, role: str, connections: Mapping[str, Connection]) -> list[Host]:
    return [host for host in testbed.of(role) if host.name in connections]


@asynccontextmanager
async def _changed(testbed: Testbed, connections: Mapping[str, Connection]) -> AsyncIterator[Journal]:
    """Undoes all changes at the end."""
    journal = Journal(testbed)
    journal.load()
    try:
        yield journal
    finally:
        await asyncio.shield(journal.take_back(connections))


def _first(group: BaseExceptionGroup[KernelError]) -> KernelError:
    """The error that says most: a host that has gone, before what follows from that."""
    found = [error for error in _leaves(group) if isinstance(error, KernelError)]
    return next((error for error in found if isinstance(error, HostGone)), found[0])


def _leaves(group: BaseExceptionGroup[Any]) -> Iterator[BaseException]:
    for error in group.exceptions:
        yield from _leaves(error) if isinstance(error, BaseExceptionGroup) else [error]
