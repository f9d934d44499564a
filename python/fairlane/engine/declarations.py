"""The declarations of the contract as data: tables of settings, queue disciplines, columns of results.

All of it comes from the extension, so that a setting or a column that the engine gains needs no line of Python.
`types.py` has the same tables as types.
"""

import re
from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple, cast

from fairlane.engine import contract

Setting = Mapping[str, Any]
"""The JSON Schema of a setting or a table of settings."""
UNIT_ENDINGS = ("_ns", "_bytes", "_packets", "_bps", "_pps")
"""Units at the end of a setting's name that files write behind the value instead."""


def schema_of(table: str) -> Setting:
    """The JSON Schema of a table of settings; `Workload.web` is one of several kinds."""
    name, _, kind = table.partition(".")
    scenario = contract()["scenario"]
    found = scenario if name == "Scenario" else scenario["$defs"][name]
    if not kind:
        return cast(Setting, found)
    return cast(Setting, next(one for one in found["oneOf"] if one["properties"]["kind"]["const"] == kind))


def kinds_of(union: str) -> list[str]:
    """The kinds of a table that has several."""
    return [one["properties"]["kind"]["const"] for one in schema_of(union)["oneOf"]]


def settings_of(table: str) -> dict[str, Setting]:
    """The settings of a table by name, without its kind."""
    return {name: one for name, one in schema_of(table)["properties"].items() if name != "kind"}


@cache
def _defaults(table: str) -> Mapping[str, Any]:
    return {name: one["default"] for name, one in settings_of(table).items() if one.get("default") is not None}


def complete(table: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """A table of settings, with the defaults of those that are not given; without a default they stay absent."""
    return {**_defaults(table), **given}


def constant(name: str) -> int:
    """A constant of the contract."""
    return int(contract()["constants"][name])


def option_of(setting: str) -> str:
    """The name of a setting in files, unless its declaration gives another.

    >>> option_of("target_ns"), option_of("ecn"), option_of("alpha_hz")
    ('target', 'ecn', 'alpha_hz')
    """
    return re.sub(rf"({'|'.join(UNIT_ENDINGS)})$", "", setting)


def in_file(table: str, setting: str) -> str:
    """The name of a setting of a table in files.

    >>> in_file("SenderHost", "wmem_max_bytes"), in_file("MediumConfig.wifi", "station_cw_max")
    ('wmem_max', 'cw_max')
    """
    return str(schema_of(table)["properties"].get(setting, {}).get("x-file", option_of(setting)))


def plain_type(setting: Setting) -> str:
    """The JSON type of a value that is there."""
    if "$ref" in setting:
        return "string"  # a word
    if "anyOf" in setting:
        return "object"  # a table, or absent
    return str(setting["type"][0] if isinstance(setting["type"], list) else setting["type"])


@cache
def queues() -> dict[str, dict[str, Setting]]:
    """Each queue discipline and its parameters."""
    return {kind: settings_of(f"QueueConfig.{kind}") for kind in kinds_of("QueueConfig")}


class Column(NamedTuple):
    """A column of a table of results."""

    type: str
    """`integer`, `number` or `string`."""
    unit: str
    is_optional: bool
    """Whether a row may have no value."""


@cache
def columns(table: str) -> dict[str, Column]:
    """The columns of `runs`, `flows`, `links`, `cross_traffic`, `flow_samples` or `link_samples`."""
    return {one["name"]: Column(one["type"], one["unit"], one["optional"]) for one in contract()["columns"][table]}


_KEYS = frozenset({"flow", "link", "group", "name", "algorithm", "t_s"})
"""These say what a row is about; an axis may not have their names in any case."""


@cache
def metric_columns() -> frozenset[str]:
    """Columns of `runs`, `flows` and `links`."""
    return frozenset({*columns("runs"), *columns("flows"), *columns("links")}) - _KEYS


@cache
def sample_columns() -> frozenset[str]:
    """Columns of their time series."""
    return frozenset({*columns("flow_samples"), *columns("link_samples")}) - _KEYS


@cache
def nullable_integers() -> frozenset[str]:
    """Counts that may be absent: without a value to look at, a column would be read as one of fractions."""
    tables = (columns(table) for table in ("runs", "flows", "links"))
    return frozenset(
        name for table in tables for name, one in table.items() if one.is_optional and one.type == "integer"
    )


def yielding(column: str, taken: frozenset[str]) -> str:
    """The name of an axis of a sweep that would be `column`.

    Names of measurements are taken: `rtt_ms` in a table of samples is a sampled RTT in every sweep. The axis is renamed
    in every table if the name is a column of runs, flows or links, and only among the samples if it is one of theirs.

    >>> yielding("rtt_ms", sample_columns()), yielding("rtt_ms", metric_columns())
    ('swept_rtt_ms', 'rtt_ms')
    """
    return f"swept_{column}" if column in taken else column
