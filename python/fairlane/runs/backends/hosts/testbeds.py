"""Testbeds by name: hosts.toml, an Ansible inventory, or a slice of FABRIC.

Nodes of a slice are senders, routers and receivers by the beginning of their names; addresses and keys are those of the
user's fablib configuration.
"""

from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import Field, TypeAdapter, ValidationError, model_validator

from fairlane import files
from fairlane.algorithm.kernel import KernelError, Lacking
from fairlane.files import FileError
from fairlane.runs.backends.hosts import ansible
from fairlane.runs.backends.hosts.inventory import REMEDY, Host, Testbed, checked, role_of, target
from fairlane.scenario.base_model import Table

FABRIC = "fabric:"
"""Before the name of a slice, instead of a file's."""


class _Host(Table):
    role: Literal["sender", "router", "receiver"]
    ssh: Annotated[str, Field(min_length=1, max_length=300)]
    address: str | None = None
    key: str | None = None
    jump: str | None = None
    jump_key: str | None = None
    sudo: bool = False

    @model_validator(mode="after")
    def _has_an_address(self) -> Self:
        if self.role != "router" and self.address is None:
            raise ValueError(f"a {self.role} needs `address`, its IPv4 address in the network under test")
        return self


class _File(Table):
    hosts: Annotated[dict[str, _Host], Field(min_length=1, max_length=1000)]
    known_hosts: str | None = None


_FILE: TypeAdapter[_File] = TypeAdapter(_File)


def read(name: str) -> Testbed:
    """The testbed of a file (TOML, or an Ansible inventory), or of fabric:SLICE. Raises KernelError."""
    try:
        if name.startswith(FABRIC):
            return checked(Testbed(name, _of_fabric(name.removeprefix(FABRIC))))
        path = Path(name)
        if path.suffix != ".toml":
            return checked(Testbed(name, ansible.hosts(path)))
        return checked(_of_toml(path))
    except FileError as error:
        raise KernelError(str(error)) from None


def _of_toml(path: Path) -> Testbed:
    data = files.toml(path, "name a file with hosts, an Ansible inventory, or fabric:SLICE")
    try:
        file = _FILE.validate_python(data)
    except ValidationError as error:
        found: Any = error.errors(include_url=False)[0]
        place = ".".join(str(part) for part in found["loc"])
        reason = found["msg"].removeprefix("Value error, ")
        raise FileError(path, f"{place or 'the file'}: {reason}", REMEDY) from None
    hosts = []
    for name, one in file.hosts.items():
        user, host, port = target(path, f"hosts.{name}.ssh", one.ssh)
        if one.jump is not None:
            target(path, f"hosts.{name}.jump", one.jump)
        hosts.append(Host(name=name, host=host, user=user, port=port, **one.model_dump(exclude={"ssh"})))
    known = Path(file.known_hosts).expanduser() if file.known_hosts else None
    if known is not None and not known.is_absolute():
        known = path.parent / known
    return Testbed(str(path), tuple(hosts), known)


def _of_fabric(name: str) -> tuple[Host, ...]:
    """The nodes of a slice by fabrictestbed-extensions, which reaches them by its bastion. Raises KernelError."""
    try:
        from fabrictestbed_extensions.fablib.fablib import FablibManager
    except ImportError:
        raise Lacking(f"fabric:{name} needs fabrictestbed-extensions; pip install fabrictestbed-extensions") from None
    try:
        manager = FablibManager()
        nodes = manager.get_slice(name=name).get_nodes()
        bastion = f"{manager.get_bastion_username()}@{manager.get_bastion_host()}"
        keys = (str(manager.get_default_slice_private_key_file()), str(manager.get_bastion_key_location()))
    except Exception as error:
        raise KernelError(f"fabric:{name}: {error}; check the slice and the configuration of fablib") from None
    return tuple(made for node in nodes if (made := _of_node(node, bastion, keys)) is not None)


def _of_node(node: Any, bastion: str, keys: tuple[str, str]) -> Host | None:
    role = role_of([node.get_name().lower()])
    if role is None:
        return None
    addresses = [str(found) for one in node.get_interfaces() if (found := one.get_ip_addr())]
    return Host(
        name=node.get_name(),
        role=role,
        host=str(node.get_management_ip()),
        user=node.get_username(),
        address=addresses[0] if addresses and role != "router" else None,
        key=keys[0],
        jump=bastion,
        jump_key=keys[1],
        sudo=node.get_username() != "root",
    )
