"""One host over SSH: commands, files, and what is said when it goes away."""

import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from fairlane.algorithm.kernel import KernelError, Lacking
from fairlane.runs.backends.hosts.inventory import Host, Testbed, target

INSTALL = "pip install asyncssh"
CONNECT_S = 15
ALIVE_S = 5
"""A host that does not answer for three times this long has gone."""
COMMAND_S = 60


class HostError(KernelError):
    """A host that cannot do what a run needs; one line with its name and the remedy."""


class HostGone(HostError):
    """A host that cannot be reached, or no longer."""


class Connection:
    """A host that is connected."""

    def __init__(self, host: Host, link: Any, files: Any) -> None:
        self.host, self._link, self._files = host, link, files

    async def output(self, *command: str) -> str:
        """The output of a command. Raises HostError if it fails."""
        status, words, complaint = await self.result(*command)
        if status:
            reason = " ".join(complaint.split()) or f"ended with status {status}"
            raise HostError(f"{self.host.name}: {' '.join(command)}: {reason}")
        return words

    async def result(self, *command: str, given: str = "") -> tuple[int, str, str]:
        """Status, output and errors of a command, which reads what is given."""
        with self._named():
            done = await self._link.run(self._line(command), input=given, timeout=COMMAND_S)
        return done.exit_status if done.exit_status is not None else 255, str(done.stdout), str(done.stderr)

    async def start(self, *command: str) -> Any:
        """A process that ends with the connection, however that ends: it has a terminal, which hangs up."""
        with self._named():
            return await self._link.create_process(self._line(command), term_type="dumb", term_size=(4096, 24))

    async def wait(self, process: Any, limit_s: float) -> tuple[int, str]:
        """Status and words of such a process, ended after a time."""
        with self._named():
            try:
                done = await process.wait(timeout=limit_s)
            except TimeoutError:
                process.close()
                raise HostError(f"{self.host.name}: a transfer did not end within {limit_s:.0f} s") from None
        return done.exit_status if done.exit_status is not None else 255, str(done.stdout)

    async def read(self, path: str) -> bytes:
        """The content of a file."""
        with self._named(path):
            async with self._files.open(path, "rb") as file:
                found = b""
                while more := await file.read(1 << 23, len(found)):  # files of /proc have a size of 0
                    found += more
                return found

    async def write(self, path: str, content: bytes, mode: int = 0o600) -> None:
        """Writes a file of our own."""
        with self._named(path):
            async with self._files.open(path, "wb") as file:
                await file.write(content)
            await self._files.chmod(path, mode)

    async def remove(self, path: str) -> None:
        """Removes a file of our own, if it is there."""
        import asyncssh

        with self._named(path):
            try:
                await self._files.remove(path)
            except asyncssh.SFTPNoSuchFile:
                return

    @property
    def address(self) -> str:
        """The host's own address of this connection."""
        return str(self._link.get_extra_info("peername")[0])

    def close(self) -> None:
        """Ends the connection, and with it what runs there."""
        self._link.close()

    def _line(self, command: Sequence[str]) -> str:
        return shlex.join(["sudo", "-n", *command] if self.host.sudo else list(command))

    @contextmanager
    def _named(self, what: str = "") -> Iterator[None]:
        """Errors of SSH as ours."""
        import asyncssh

        try:
            yield
        except asyncssh.SFTPError as error:
            if isinstance(error, (asyncssh.SFTPConnectionLost, asyncssh.SFTPNoConnection)):
                raise gone(self.host) from None
            raise HostError(f"{self.host.name}: {what}: {error.reason}") from None
        except (TimeoutError, asyncssh.TimeoutError):
            raise HostError(f"{self.host.name}: {what or 'a command'} took more than {COMMAND_S} s") from None
        except (asyncssh.Error, OSError):
            raise gone(self.host) from None


def gone(host: Host) -> HostGone:
    """It was there, and is not any more."""
    return HostGone(
        f"{host.name} ({host.host}): the connection is lost; check the host, and run the same command again"
    )


async def connect(testbed: Testbed, host: Host) -> Connection:
    """Connects a host. Its key must be known, and no password is used. Raises HostGone, HostError or Lacking."""
    try:
        import asyncssh
    except ImportError:
        raise Lacking(f"hosts over SSH need asyncssh; {INSTALL}") from None
    options: dict[str, Any] = {"preferred_auth": "publickey", "password": None, "agent_forwarding": False}
    options |= {"keepalive_interval": ALIVE_S, "keepalive_count_max": 2, "connect_timeout": CONNECT_S}
    if testbed.known_hosts is not None:
        options["known_hosts"] = str(testbed.known_hosts)
    where = f"{host.name} ({host.host}{f':{host.port}' if host.port else ''})"
    known = testbed.known_hosts or "~/.ssh/known_hosts"
    try:
        tunnel = None
        if host.jump is not None:
            user, name, port = target(Path(testbed.name), f"hosts.{host.name}.jump", host.jump)
            tunnel = await asyncssh.connect(name, port or (), **options, **_identity(user, host.jump_key))
        own = _identity(host.user, host.key)
        link = await asyncssh.connect(host.host, host.port or (), tunnel=tunnel or (), **options, **own)
        return Connection(host, link, await link.start_sftp_client())
    except asyncssh.HostKeyNotVerifiable:
        raise HostError(
            f"{where}: its host key is not in {known}; compare it with the host's own and add it: ssh {host.host}"
        ) from None
    except asyncssh.PermissionDenied:
        raise HostError(f"{where}: it accepts no key of yours; add one there: ssh-copy-id {host.host}") from None
    except (TimeoutError, asyncssh.Error, OSError, ValueError) as error:
        raise HostGone(f"{where}: cannot be reached ({str(error) or 'no answer'}); check `ssh`") from None


def _identity(user: str | None, key: str | None) -> dict[str, Any]:
    """The user name for a host, if it is given."""
    named = {"username": user} if user is not None else {}
    return {**named, "client_keys": [str(Path(key).expanduser())]} if key is not None else named
