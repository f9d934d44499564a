"""The names of what is measured. They belong to the measurement: an axis of a sweep that has the same name is renamed.

`rtt_ms` in a table of samples is a sampled RTT, whatever was swept. If a table has such a column, an axis of that name
is called `swept_rtt_ms`: in every table if the name is a column of runs, flows or links, and only among the samples if
it is a column of theirs.
"""

from fairlane.engine.contract.vocabulary import FLOW_SAMPLES, FLOWS, LINK_SAMPLES, LINKS, RUNS

_KEYS = frozenset({"flow", "link", "group", "name", "algorithm", "t_s"})
"""These say what a row is about; an axis may not have their names in any case."""

METRICS = frozenset({*RUNS, *FLOWS, *LINKS}) - _KEYS
"""Columns of `runs`, `flows` and `links`."""
SAMPLES = frozenset({*FLOW_SAMPLES, *LINK_SAMPLES}) - _KEYS
"""Columns of their series."""
NULLABLE_INTEGERS = frozenset(
    name
    for table in (RUNS, FLOWS, LINKS)
    for name, column in table.items()
    if column.is_optional and column.type == "integer"
)
"""Counts that may be absent: without a value to look at, a column would be read as one of fractions."""


def yielding(column: str, taken: frozenset[str]) -> str:
    """What an axis is called that would be `column`.

    >>> yielding("rtt_ms", SAMPLES), yielding("rtt_ms", METRICS)
    ('swept_rtt_ms', 'rtt_ms')
    """
    return f"swept_{column}" if column in taken else column
