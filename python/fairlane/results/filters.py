"""Points and flows of results by texts such as `algorithm=cubic,bbr`."""

from collections.abc import Sequence
from typing import Any

from fairlane.engine.messages import unknown
from fairlane.results.tables import ResultTables


class FilterError(ValueError):
    """A text that selects nothing of these results; one line with the remedy."""


def filters(results: ResultTables, texts: Sequence[str]) -> dict[str, Any]:
    """Values by column; a value is a label of an axis, or a value of any column of flows. Raises FilterError."""
    found: dict[str, Any] = {}
    for text in texts:
        name, values = axis_and_values(text)
        column, labels = name, dict[str, Any]()
        for axis in results.axes:
            if name in (axis.name, axis.column):
                column, labels = axis.column, dict(zip(axis.labels, axis.values, strict=True))
        schema = results.flows.schema
        if column not in schema:
            raise FilterError(unknown("axis", name, [axis.name for axis in results.axes]))
        if not labels:
            labels = {str(value): value for value in results.flows[column].unique().drop_nulls().sort()}
        found[column] = [_value(name, value, labels, schema[column]) for value in values]
    return found


def axis_and_values(text: str) -> tuple[str, list[str]]:
    """The name and the values in `axis=value[,value...]`. Raises FilterError."""
    name, equals, values = text.partition("=")
    if not equals or not values:
        raise FilterError(f"'{text}' has no value; write for example algorithm=cubic,bbr")
    return name, [value.strip() for value in values.split(",")]


def _value(name: str, text: str, labels: dict[str, Any], kind: Any) -> Any:
    if text in labels:
        return labels[text]
    try:
        value: Any = int(text) if kind.is_integer() else float(text) if kind.is_float() else text
    except ValueError:
        value = None
    if value is None or value not in labels.values():
        raise FilterError(unknown(f"value of {name}", text, labels))
    return value
