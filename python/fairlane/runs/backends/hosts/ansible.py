"""An Ansible inventory as hosts: groups `senders`, `routers` and `receivers`, in INI or YAML, or the JSON of

    ansible-inventory -i FILE --list

Variables are Ansible's own (`ansible_host`, `ansible_user`, `ansible_port`, `ansible_ssh_private_key_file`,
`ansible_become`), and `fairlane_address` for the address in the network under test.
"""

import re
import shlex
from pathlib import Path
from typing import Any

from fairlane import files
from fairlane.files import FileError
from fairlane.runs.backends.hosts.inventory import Host, port, role_of

_REMEDY = "name groups senders, routers and receivers, or write hosts.toml"
_MAX_BYTES = 1 << 20
_MAX_LINE = 4096
"""Characters; `shlex` takes time that grows with the square of the length."""
_MAX_MEMBERS = 1000
"""Hosts of all groups together."""
_VARIABLES = (
    "ansible_host",
    "ansible_user",
    "ansible_port",
    "ansible_ssh_private_key_file",
    "ansible_become",
    "fairlane_address",
)


def hosts(path: Path) -> tuple[Host, ...]:
    """The hosts of an inventory, in its order. Raises FileError."""
    inventory = _Inventory(path)
    match path.suffix:
        case ".json":
            _add_list(inventory, path)
        case ".yml" | ".yaml":
            _add_yaml(inventory, path)
        case _:
            _add_ini(inventory, path)
    variables = inventory.variables()
    found = []
    for name in variables:
        role = role_of(group for group, members in inventory.groups.items() if name in members)
        if role is not None:
            found.append(_host(path, name, role, variables[name]))
    return tuple(found)


def _host(path: Path, name: str, role: str, variables: dict[str, Any]) -> Host:
    written, address = variables.get("ansible_port"), variables.get("fairlane_address")
    if role != "router" and not address:
        raise FileError(path, f"{name}: has no fairlane_address", "give its address in the network under test")
    return Host(
        name=name,
        role=role,
        host=str(variables.get("ansible_host", name)),
        user=_text(variables.get("ansible_user")),
        port=port(path, f"{name}: ansible_port", str(written)) if written is not None else None,
        address=_text(address) if role != "router" else None,
        key=_text(variables.get("ansible_ssh_private_key_file")),
        sudo=str(variables.get("ansible_become", "no")).lower() in ("yes", "true", "1"),
    )


def _text(value: Any) -> str | None:
    return None if value is None else str(value)


class _Inventory:
    """Groups of hosts, with the variables of both."""

    def __init__(self, path: Path) -> None:
        self._path, self._members = path, 0
        self.groups: dict[str, list[str]] = {}
        self.own: dict[str, dict[str, Any]] = {}
        self.of_groups: dict[str, dict[str, Any]] = {}

    def add(self, group: str, host: str, variables: Any) -> None:
        """Adds a host to a group. Raises FileError if there are too many."""
        self._members += 1
        if self._members > _MAX_MEMBERS:
            raise FileError(self._path, f"has groups of more than {_MAX_MEMBERS:,} hosts", "name fewer")
        self.groups.setdefault(group, []).append(host)
        self.own.setdefault(host, {}).update(_known(variables))

    def set(self, group: str, variables: Any) -> None:
        """Sets variables of a group."""
        self.of_groups.setdefault(group, {}).update(_known(variables))

    def variables(self) -> dict[str, dict[str, Any]]:
        """By host: its own win over those of its group, and these over those of all hosts."""
        made: dict[str, dict[str, Any]] = {}
        for group, members in self.groups.items():
            for name in members:
                above = {**self.of_groups.get("all", {}), **made.get(name, {}), **self.of_groups.get(group, {})}
                made[name] = above | self.own[name]
        return made


def _known(variables: Any) -> dict[str, Any]:
    return {name: variables[name] for name in _VARIABLES if name in variables} if isinstance(variables, dict) else {}


def _add_ini(inventory: _Inventory, path: Path) -> None:
    section, kind = "ungrouped", ""
    for number, line in enumerate(files.text(path, _REMEDY, at_most=_MAX_BYTES).splitlines(), 1):
        if len(line) > _MAX_LINE:
            raise FileError(path, f"line {number}: is longer than {_MAX_LINE:,} characters", "fix it")
        try:
            words = shlex.split(line, comments=True)
        except ValueError as error:
            raise FileError(path, f"line {number}: {error}", "fix it") from None
        if not words or words[0].startswith(";"):
            continue
        title = re.fullmatch(r"\[([^\]:]+)(?::(\w+))?\]", words[0])
        if title:
            section, kind = title[1], title[2] or ""
        elif kind == "vars":
            name, _, value = "".join(words).partition("=")
            inventory.set(section, {name: value})
        elif kind == "":
            if "[" in words[0]:
                raise FileError(path, f"line {number}: '{words[0]}' is a range", "use the JSON of ansible-inventory")
            inventory.add(section, words[0], dict(word.partition("=")[::2] for word in words[1:]))


def _add_yaml(inventory: _Inventory, path: Path) -> None:
    try:
        import yaml
    except ImportError:
        raise FileError(path, "reading YAML needs PyYAML", "pip install pyyaml, or write hosts.toml") from None

    def add(name: str, group: Any) -> None:
        if not isinstance(group, dict):
            return
        for host, own in (group.get("hosts") or {}).items():
            inventory.add(name, str(host), own)
        inventory.set(name, group.get("vars"))
        for child, inner in (group.get("children") or {}).items():
            add(str(child), inner)

    class Loader(yaml.SafeLoader):  # type: ignore[misc]
        """Without aliases: a few lines of them are a tree of any size."""

        def compose_node(self, parent: Any, index: Any) -> Any:
            if self.check_event(yaml.AliasEvent):
                raise FileError(path, "has an alias", "write it out")
            return super().compose_node(parent, index)

    try:
        data = yaml.load(files.text(path, _REMEDY, at_most=_MAX_BYTES), Loader)
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        if isinstance(error, FileError):
            raise
        raise FileError(path, "is not valid YAML", "fix it") from None
    try:
        for name, group in (data or {}).items():
            add(str(name), group)
    except (AttributeError, RecursionError):
        raise FileError(path, "is not an inventory", _REMEDY) from None


def _add_list(inventory: _Inventory, path: Path) -> None:
    data = files.json_value(path, _REMEDY)
    try:
        variables = data.get("_meta", {}).get("hostvars", {})
        for group in (name for name in data if name != "_meta"):
            for host in data[group].get("hosts", ()):
                inventory.add(group, host, variables.get(host))
    except (AttributeError, TypeError):
        raise FileError(path, "is not what ansible-inventory --list prints", _REMEDY) from None
