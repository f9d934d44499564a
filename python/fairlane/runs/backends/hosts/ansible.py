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
from fairlane.runs.backends.hosts.inventory import Host, role_of

_REMEDY = "name groups senders, routers and receivers, or write hosts.toml"


def hosts(path: Path) -> tuple[Host, ...]:
    """The hosts of an inventory, in its order. Raises FileError."""
    match path.suffix:
        case ".json":
            groups, variables = _of_list(path, files.json_value(path, _REMEDY))
        case ".yml" | ".yaml":
            groups, variables = _of_yaml(path)
        case _:
            groups, variables = _of_ini(path)
    found = []
    for name in dict.fromkeys(host for members in groups.values() for host in members):
        role = role_of(group for group, members in groups.items() if name in members)
        if role is not None:
            found.append(_host(path, name, role, variables.get(name, {})))
    return tuple(found)


def _host(path: Path, name: str, role: str, variables: dict[str, Any]) -> Host:
    port, address = variables.get("ansible_port"), variables.get("fairlane_address")
    if port is not None and not re.fullmatch(r"\d{1,5}", str(port)):
        raise FileError(path, f"{name}: ansible_port is '{port}', not a number", "fix it")
    if role != "router" and not address:
        raise FileError(path, f"{name}: has no fairlane_address", "give its address in the network under test")
    return Host(
        name=name,
        role=role,
        host=str(variables.get("ansible_host", name)),
        user=_text(variables.get("ansible_user")),
        port=int(port) if port is not None else None,
        address=_text(address) if role != "router" else None,
        key=_text(variables.get("ansible_ssh_private_key_file")),
        sudo=str(variables.get("ansible_become", "no")).lower() in ("yes", "true", "1"),
    )


def _text(value: Any) -> str | None:
    return None if value is None else str(value)


_Groups = dict[str, list[str]]
_Variables = dict[str, dict[str, Any]]


def _of_ini(path: Path) -> tuple[_Groups, _Variables]:
    groups: _Groups = {}
    variables: _Variables = {}
    of_groups: dict[str, dict[str, str]] = {}
    section, kind = "ungrouped", ""
    for number, line in enumerate(files.text(path, _REMEDY).splitlines(), 1):
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
            of_groups.setdefault(section, {})[name] = value
        elif kind == "":
            if "[" in words[0]:
                raise FileError(path, f"line {number}: '{words[0]}' is a range", "use the JSON of ansible-inventory")
            groups.setdefault(section, []).append(words[0])
            pairs = (word.partition("=") for word in words[1:])
            variables.setdefault(words[0], {}).update({name: value for name, _, value in pairs})
    return groups, _with_those_of_groups(groups, variables, of_groups)


def _of_yaml(path: Path) -> tuple[_Groups, _Variables]:
    try:
        import yaml
    except ImportError:
        raise FileError(path, "reading YAML needs PyYAML", "pip install pyyaml, or write hosts.toml") from None
    try:
        data = yaml.safe_load(files.text(path, _REMEDY))
    except (yaml.YAMLError, RecursionError):
        raise FileError(path, "is not valid YAML", "fix it") from None
    groups: _Groups = {}
    variables: _Variables = {}
    of_groups: dict[str, dict[str, Any]] = {}

    def add(name: str, group: Any) -> None:
        if not isinstance(group, dict):
            return
        for host, own in (group.get("hosts") or {}).items():
            groups.setdefault(name, []).append(str(host))
            variables.setdefault(str(host), {}).update(own if isinstance(own, dict) else {})
        of_groups[name] = group.get("vars") or {}
        for child, inner in (group.get("children") or {}).items():
            add(str(child), inner)

    try:
        for name, group in (data or {}).items():
            add(str(name), group)
    except (AttributeError, RecursionError):
        raise FileError(path, "is not an inventory", _REMEDY) from None
    return groups, _with_those_of_groups(groups, variables, of_groups)


def _of_list(path: Path, data: Any) -> tuple[_Groups, _Variables]:
    try:
        groups = {name: list(group.get("hosts", ())) for name, group in data.items() if name != "_meta"}
        return groups, dict(data.get("_meta", {}).get("hostvars", {}))
    except AttributeError:
        raise FileError(path, "is not what ansible-inventory --list prints", _REMEDY) from None


def _with_those_of_groups(groups: _Groups, variables: _Variables, of_groups: dict[str, dict[str, Any]]) -> _Variables:
    """The variables of a host win over those of its group, and these over those of all hosts."""
    made: _Variables = {}
    for group, members in groups.items():
        for name in members:
            own = variables.get(name, {})
            made[name] = {**of_groups.get("all", {}), **made.get(name, {}), **of_groups.get(group, {}), **own}
    return made
