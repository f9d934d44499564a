"""Settings of an experiment as the TOML that an experiment file is."""

import json
import re
from collections.abc import Mapping
from typing import Any

_BARE = re.compile(r"[A-Za-z0-9_-]+")


def toml_text(settings: Mapping[str, Any]) -> str:
    """Plain values first, then tables and lists of tables, each under its heading.

    >>> print(toml_text({"flows": [{"name": "a"}], "network": {"rate": "1gbit", "queue": {"kind": "fq"}}, "hz": 250}))
    hz = 250
    <BLANKLINE>
    [[flows]]
    name = "a"
    <BLANKLINE>
    [network]
    rate = "1gbit"
    <BLANKLINE>
    [network.queue]
    kind = "fq"
    """
    return "\n".join(_table(settings, ())).strip()


def _table(table: Mapping[str, Any], path: tuple[str, ...]) -> list[str]:
    lines = [f"{_key(name)} = {_value(value)}" for name, value in table.items() if not _has_heading(value, path)]
    for name, value in table.items():
        if not _has_heading(value, path):
            continue
        inner = (*path, name)
        heading = ".".join(map(_key, inner))
        if isinstance(value, Mapping):
            lines += ["", f"[{heading}]", *_table(value, inner)]
        else:
            for one in value:
                lines += ["", f"[[{heading}]]", *_table(one, inner)]
    return lines


def _has_heading(value: Any, path: tuple[str, ...]) -> bool:
    """Tables, and lists of nothing but tables; deep inside they stand in their line."""
    if isinstance(value, Mapping):
        return len(path) < 2
    return isinstance(value, list) and bool(value) and not path and all(isinstance(one, Mapping) for one in value)


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else json.dumps(name, ensure_ascii=False)


def _value(value: Any) -> str:
    if isinstance(value, Mapping):
        return f"{{ {', '.join(f'{_key(name)} = {_value(one)}' for name, one in value.items())} }}"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_value, value))}]"
    # Strings, numbers, true and false are written as in JSON.
    return json.dumps(value, ensure_ascii=False)
