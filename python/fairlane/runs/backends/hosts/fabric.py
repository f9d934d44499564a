"""A slice of the FABRIC testbed as hosts, by fabrictestbed-extensions.

Nodes are senders, routers and receivers by the beginning of their names. FABRIC's nodes are reached through its bastion
host; its address and the keys are those of the user's fablib configuration.
"""

from typing import Any

from fairlane.algorithm.kernel import KernelError, Lacking
from fairlane.runs.backends.hosts.inventory import Host, role_of

INSTALL = "pip install fabrictestbed-extensions"


def hosts(name: str) -> tuple[Host, ...]:
    """The nodes of a slice. Raises KernelError."""
    try:
        from fabrictestbed_extensions.fablib.fablib import FablibManager
    except ImportError:
        raise Lacking(f"fabric:{name} needs fabrictestbed-extensions; {INSTALL}") from None
    try:
        manager = FablibManager()
        nodes = manager.get_slice(name=name).get_nodes()
        bastion = f"{manager.get_bastion_username()}@{manager.get_bastion_host()}"
        keys = (str(manager.get_default_slice_private_key_file()), str(manager.get_bastion_key_location()))
    except Exception as error:
        raise KernelError(f"fabric:{name}: {error}; check the slice and the configuration of fablib") from None
    return tuple(made for node in nodes if (made := _host(node, bastion, keys)) is not None)


def _host(node: Any, bastion: str, keys: tuple[str, str]) -> Host | None:
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
