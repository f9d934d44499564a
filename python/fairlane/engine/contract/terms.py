"""The forms in which the vocabulary is written down."""

from typing import NamedTuple, TypedDict


class Parameter(NamedTuple):
    """A parameter of a queue discipline, a workload or a host."""

    type: str
    """`integer`, `number`, `boolean` or `string`."""
    unit: str = ""
    """As people write it: "ns", "bytes", "packets", ...; empty for a plain number."""
    default: int | float | bool | None = None
    is_required: bool = False
    limits: str = ""
    """Says that this parameter limits the queue's length: "required" if the discipline has no limit of its own,
    "default" if it has one."""


class Column(NamedTuple):
    """A column of a table of results."""

    type: str
    """`integer`, `number` or `string`."""
    unit: str
    is_optional: bool
    """Whether a row may have no value."""


class Problem(TypedDict):
    """One thing that is wrong with a scenario. Names of keys stand in backticks in `what` and `remedy`."""

    path: list[str | int]
    """Keys and indices from the top of the scenario to the value."""
    what: str
    """Such as "is 0"."""
    remedy: str
    """Such as "give a longer time"; may be empty."""
