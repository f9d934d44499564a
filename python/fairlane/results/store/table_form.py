"""The form of stored tables: columns have the types that the contract declares, and numbers are finite.

A checksum says that a file is as it was written, not by whom. Readers of tables rely on their form, and a table of
others that has another one is damage, as a file with a wrong checksum is.
"""

from collections.abc import Collection

from fairlane.engine import contract
from fairlane.engine.declarations import Column, columns
from fairlane.engine.libraries import pl
from fairlane.results.store.checksummed_json import DamagedError

SAMPLES = {"flow_series": "flow_samples", "link_series": "link_samples"}
"""Tables whose columns the contract declares under another name."""
NAMED = frozenset(
    {
        *("run", "flow", "link", "group", "name", "algorithm", "t_s", "start_s", "duration_s", "scenario"),
        *("goodput_mbps", "mbps", "mss_bytes", "queue_bytes", "retransmits", "utilisation"),
    }
)
"""A row says what it is about, and when. Other values may be missing: kernels do not measure all of them."""
_KEYS = {
    name: Column(of, "", is_optional=False) for name, of in (("run", "string"), ("flow", "integer"), ("link", "string"))
}
"""The columns that join tables."""


_NEEDED = {
    "runs": ("run",),
    "flows": ("run", "flow", "group", "algorithm", "start_s", "duration_s", "goodput_mbps"),
    "links": ("run", "name", "utilisation"),
    "flow_series": ("run", "flow", "t_s", "mbps"),
    "link_series": ("run", "link", "t_s", "queue_bytes"),
    "flow_distribution": ("run", "flow"),
    "link_distribution": ("run", "link"),
    "link_accesses": ("run", "link"),
}
"""Columns without which a table cannot be read; others are missing in results of older versions."""


def check_names(table: str, present: Collection[str]) -> None:
    """Raises DamagedError if a table lacks a column."""
    if missing := [name for name in _NEEDED.get(table, ()) if name not in present]:
        raise DamagedError(f"lacks the column {missing[0]!r}")


def check(table: str, frame: "pl.DataFrame") -> None:
    """Raises DamagedError if a table has another form than Fairlane writes."""
    declared = _declared(table)
    for column in frame.get_columns():
        known = declared.get(column.name)
        wrong = _wrong_type(column, known) or _wrong_values(column, is_declared=known is not None)
        if wrong:
            raise DamagedError(f"has a column {column.name[:50]!r} {wrong}, which Fairlane does not write")


def _declared(table: str) -> dict[str, Column]:
    name = SAMPLES.get(table, table)
    return _KEYS | (columns(name) if name in contract()["columns"] else {})


def _wrong_type(column: "pl.Series", known: Column | None) -> str:
    dtype = column.dtype
    if column.null_count() == len(column):  # the type of nothing is any
        return ""
    text, whole, number = str(dtype) == "String", dtype.is_integer(), dtype.is_numeric()
    if known is None:  # an axis of a sweep may have true and false
        fits = text or number or str(dtype) == "Boolean"
    else:
        fits = {"string": text, "integer": whole, "number": number}[known.type]
    return "" if fits else f"of type {dtype}"


def _wrong_values(column: "pl.Series", *, is_declared: bool) -> str:
    if column.name in NAMED and column.null_count():
        return "without a value"
    if is_declared and column.dtype.is_float() and not column.drop_nulls().is_finite().all():
        return "with a value that is not finite"
    return ""
