"""Any program behind a link: a host of its own, whose only way out is a simulated network.

The program's host has one device with the address `NEAR`. Everything that it sends crosses the network to the far host,
`FAR`, and everything that comes back crosses the network in the other direction. Programs on the far host answer there.
"""

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from fairlane.algorithm.kernel import KernelError
from fairlane.engine.types import FlowConfig, LinkConfig, Scenario
from fairlane.files import temporary_folder
from fairlane.runs import interpreter
from fairlane.runs.emulation import namespaces
from fairlane.runs.emulation.devices import HostPlan
from fairlane.runs.emulation.process import Carriage
from fairlane.runs.emulation.selfcheck import FASTEST_BPS
from fairlane.scenario import requests
from fairlane.scenario.links import LINKS
from fairlane.scenario.request_settings import RequestError

NEAR, FAR = "100.64.0.2", "100.64.0.1"
"""Addresses that no host on the Internet has (RFC 6598)."""
FAR_NAME = "far"
Report = Mapping[str, Any]
OnSample = Callable[[Mapping[str, Any]], None]
_CHECK_NS = 300_000_000
_LISTEN_S = 10
_POLL_S = 0.02
_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""None of them may come between the start of a process and the note that it is to be ended."""


def run(
    scenario: Scenario,
    command: Sequence[str],
    far_commands: Sequence[str] = (),
    on_sample: OnSample = lambda sample: None,
    *,
    checks: bool = True,
) -> tuple[int, Report]:
    """Runs a program to its end; returns its exit status (128 and the number of a signal that ended it) and the report.

    `scenario` is a network with one flow, whose forward path the program's packets take. `far_commands` run on the far
    host meanwhile, by the shell. `on_sample` is told of each sample: its time, and the links by name. This process
    stays in namespaces of its own. Raises KernelError.
    """
    user, group = os.geteuid(), os.getegid()
    with temporary_folder("shell") as folder:
        namespaces.become_root_of_own()
        namespaces.children_end_with_first()
        near, far = namespaces.new_network(), namespaces.new_network()
        _name_far_host(folder)
        carrier = _Carrier(scenario, near, far, folder, checks=checks)
        try:
            servers = {words: carrier.start(["/bin/sh", "-c", words], far, user, group) for words in far_commands}
            _wait_for_servers(servers, far)
            carrier.begin()
            status = carrier.follow(command, near, user, group, on_sample)
            return status, carrier.end()
        finally:
            carrier.kill()


def _name_far_host(folder: Path) -> None:
    known = Path("/etc/hosts").read_text(encoding="utf-8", errors="replace") if Path("/etc/hosts").exists() else ""
    (folder / "hosts").write_text(f"{known}\n{FAR} {FAR_NAME}\n", encoding="utf-8")
    if known:
        namespaces.replace_file("/etc/hosts", folder / "hosts")


class _Carrier:
    """The process that carries packets (process.py). It is started first: all others end with it."""

    def __init__(self, scenario: Scenario, near: int, far: int, folder: Path, *, checks: bool) -> None:
        self.output = folder / "report"
        mtu_bytes = scenario["flows"][0].get("mtu", 1500)
        reading, writing = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        hosts = [
            HostPlan(f"/proc/self/fd/{network}", address, mtu_bytes) for network, address in ((near, NEAR), (far, FAR))
        ]
        check_ns = _CHECK_NS if checks else None
        plan = Carriage(scenario, hosts, str(self.output), check_ns=check_ns, status=writing)
        (folder / "plan").write_text(plan.text(), encoding="utf-8")
        self.samples, self.unread = reading, b""
        self.on_interrupt = signal.getsignal(signal.SIGINT)
        self.programs: list[subprocess.Popen[bytes]] = []
        try:
            with interpreter.without_signals(*_ENDING) as mask:
                self.process = subprocess.Popen(
                    [*interpreter.module("fairlane.runs.emulation.process"), str(folder / "plan")],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    pass_fds=[writing, near, far],
                    start_new_session=True,
                    preexec_fn=partial(_prepare_carrier, mask),
                )
            os.close(writing)
            self._expect("ready")
        except BaseException:
            self.kill()
            raise

    def start(self, command: Sequence[str], network: int, user: int, group: int) -> subprocess.Popen[bytes]:
        """A program on one of the hosts, with the rights of the user."""

        def prepare(mask: set[int]) -> None:
            if self.on_interrupt != signal.SIG_IGN:
                signal.signal(signal.SIGINT, signal.SIG_DFL)
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
            namespaces.enter(network)
            namespaces.see_own_processes()
            namespaces.become_user(user, group)

        try:
            with interpreter.without_signals(*_ENDING) as mask:
                self.programs.append(subprocess.Popen(command, preexec_fn=partial(prepare, mask)))
        except FileNotFoundError:
            raise KernelError(f"there is no program {command[0]}") from None
        except OSError as error:
            raise KernelError(f"{command[0]}: {error.strerror}") from None
        return self.programs[-1]

    def begin(self) -> None:
        """Packets are carried from here on."""
        assert self.process.stdin is not None
        self.process.stdin.write(b"origin 0\n")
        self.process.stdin.flush()

    def follow(self, command: Sequence[str], network: int, user: int, group: int, on_sample: OnSample) -> int:
        """Runs a program to its end and passes samples on meanwhile; returns its status."""
        # Ctrl-C reaches the program, which belongs to the same terminal, and it decides what that means.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        try:
            program = self.start(command, network, user, group)
            while (status := program.poll()) is None:
                if self.process.poll() is not None:
                    program.kill()
                    raise KernelError("the process that carries packets ended; this is a fault of Fairlane")
                self._read_samples(on_sample)
                time.sleep(_POLL_S)
            self._read_samples(on_sample)
        finally:
            signal.signal(signal.SIGINT, self.on_interrupt)
        return 128 - status if status < 0 else status

    def end(self) -> Report:
        """Stops carrying packets, with which all programs end; returns the report."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        if self._wait():
            return {}
        report: Report = json.loads(self.output.read_text(encoding="ascii"))
        return report

    def kill(self) -> None:
        """Removes everything, however the program ended."""
        if not hasattr(self, "process"):
            return
        self.process.kill()
        self._wait()

    def _wait(self) -> int:
        """Waits for the process, which ends only when the others were waited for."""
        while (status := self.process.poll()) is None:
            for program in self.programs:
                program.poll()
            time.sleep(_POLL_S)
        return status

    def _expect(self, word: str) -> None:
        assert self.process.stdout is not None
        line = self.process.stdout.readline().decode(errors="replace").strip()
        if line != word:
            raise KernelError(line.removeprefix("error ") or "the process that carries packets did not start")

    def _read_samples(self, on_sample: OnSample) -> None:
        try:
            self.unread += os.read(self.samples, 1 << 16)
        except BlockingIOError:
            return
        *lines, self.unread = self.unread.split(b"\n")
        for line in lines:
            on_sample(json.loads(line))


def _prepare_carrier(mask: set[int]) -> None:
    namespaces.die_with_parent()  # while it starts, too
    signal.pthread_sigmask(signal.SIG_SETMASK, mask)


def _wait_for_servers(servers: Mapping[str, subprocess.Popen[bytes]], network: int) -> None:
    """Until something listens on the far host, so that the program finds it there."""
    end_s = time.monotonic() + _LISTEN_S
    while servers and time.monotonic() < end_s:
        for command, server in servers.items():
            if server.poll() is not None:
                raise KernelError(f"--far: '{command}' ended at once, with status {server.returncode}")
        if _listens(network):
            return
        time.sleep(_POLL_S)


_TCP_LISTEN = "0A"
"""include/net/tcp_states.h"""


def _listens(network: int) -> bool:
    with namespaces.inside(network):
        for table in ("tcp", "tcp6", "udp", "udp6"):
            path = Path(f"/proc/thread-self/net/{table}")
            for line in path.read_text(encoding="ascii").splitlines()[1:] if path.exists() else ():
                if table.startswith("udp") or line.split()[3] == _TCP_LISTEN:
                    return True
    return False


def network_of(settings: Mapping[str, Any], up_trace: Path | None, interval_ns: int) -> Scenario:
    """The network between the two hosts: one flow, whose forward path is the uplink.

    `settings` are those of a request; `rate` and `trace` are the downlink's, `reverse_rate` and `up_trace` the
    uplink's. Links are sampled every `interval_ns`. Raises ExperimentError.
    """
    up_rate = settings["reverse_rate"]
    if up_trace is not None and up_rate is not None:
        raise RequestError(("up_trace", "a trace replaces a rate; leave {reverse_rate} out"))
    typical = LINKS[settings["link"]].settings if settings["link"] in LINKS else {}
    network = _direction(settings)
    if "media" not in network:
        own_rate = up_rate or (None if up_trace else typical.get("reverse_rate") or settings["rate"])
        if up_trace is None and own_rate is None and settings["trace"] is not None:
            raise RequestError(("trace", "is the downlink's; give the uplink {up_trace} or {reverse_rate}"))
        up = _direction({**settings, "rate": own_rate, "trace": up_trace})
        links: list[LinkConfig] = [{**one["links"][0], "name": name} for name, one in (("up", up), ("down", network))]
        flow: FlowConfig = {**network["flows"][0], "forward": ["up"], "reverse": ["down"]}
        network = {**network, "links": links, "flows": [flow]}
    fastest = max((link.get("rate_bps", 0) for link in network.get("links", [])), default=0)
    if fastest > FASTEST_BPS:
        limit = f"at most {FASTEST_BPS / 1e6:g}mbit"
        raise RequestError(("rate", f"{fastest / 1e6:g}mbit is beyond what is carried in real time; {limit}"))
    return {**network, "series_interval_ns": interval_ns}


def _direction(settings: Mapping[str, Any]) -> Scenario:
    """A network whose first link is the bottleneck."""
    one_way = {**settings, "reverse_rate": None, "duration": "1s", "repeats": 1}
    return requests.scenario(requests.Request(("reno",), one_way).experiment())
