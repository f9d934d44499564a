"""The form of a result that comes from elsewhere: a worker of a cluster, a guest, another host.

Its numbers are those that it gives. That it is about the flows and links of its scenario, and that its columns have the
types that the contract declares, is checked before it is stored: a store takes another form for damage.
"""

import math
from collections.abc import Mapping
from typing import Any

from fairlane.engine.declarations import columns
from fairlane.engine.result_bytes import LONG_TABLES, unpack
from fairlane.results.store.table_form import NAMED, SAMPLES

_TYPES = {"integer": int, "number": int | float, "string": str}
BBR_COLUMNS = ("bbr_bandwidth_mbps", "bbr_min_rtt_ms", "bbr_pacing_gain", "bbr_cwnd_gain")
"""Values that kernels tell of their BBR."""


class BadAnswer(ValueError):
    """An answer that does not fit its request."""


def check(packed: memoryview, scenario: Mapping[str, Any]) -> None:
    """Raises BadAnswer, or an error of the formats, if this is not the result of such a scenario."""
    result = unpack(packed)
    groups = scenario["flows"]
    rows = {name: result.metrics.pop(name) for name in ("flows", "links", "cross_traffic")}
    parts = {part for part, _ in LONG_TABLES.values()}
    rest = {name: result.metrics[name] for name in result.metrics.keys() - parts - {"conditions"}}
    if not isinstance(result.metrics.get("conditions", {}), dict):
        raise BadAnswer("conditions is not an object")
    for part in sorted(parts):
        if not isinstance(result.metrics.get(part, {}), dict):
            raise BadAnswer(f"{part} is not an object")
    for name, listed in rows.items():
        for row in listed:
            if wrong := row.keys() ^ columns(name).keys():
                raise BadAnswer(f"{name}: unknown or missing columns {', '.join(sorted(wrong))}")
            _values(name, row)
    _values("runs", rest)
    for number, flow in enumerate(rows["flows"]):
        if flow["flow"] != number or not 0 <= flow["group"] < len(groups):
            raise BadAnswer(f"it has flow {flow['flow']} of group {flow['group']}, which the scenario has not")
    if {flow["group"] for flow in rows["flows"]} != set(range(len(groups))):
        raise BadAnswer("a flow of the scenario is missing")
    links = {link["name"] for link in scenario.get("links", ())}
    if missing := links - {link["name"] for link in rows["links"]}:
        raise BadAnswer(f"links of the scenario are missing: {', '.join(sorted(missing))}")
    for name, stream in result.streams.items():
        if name not in LONG_TABLES:
            raise BadAnswer(f"it has an unknown table {name}")
        frame = result.table(name)
        if frame is None or frame.height != stream.rows:
            raise BadAnswer(f"{name} has not {stream.rows} rows")
        if frame.columns[:1] != [label := LONG_TABLES[name][1].removesuffix("s")]:
            raise BadAnswer(f"the first column of {name} is not {label}")
        if name in SAMPLES:
            known = {label, *columns(SAMPLES[name]), *scenario.get("watch", ()), *BBR_COLUMNS}
            if wrong := set(frame.columns) - known:
                raise BadAnswer(f"{name} has unknown columns: {', '.join(sorted(wrong))}")


def _values(table: str, row: Mapping[str, Any]) -> None:
    for name, value in row.items():
        column = columns(table)[name]
        if value is None and (column.is_optional or name not in NAMED):
            continue
        if isinstance(value, bool) or not isinstance(value, _TYPES[column.type]):
            raise BadAnswer(f"{table}.{name} is {value!r}, not of type {column.type}")
        if isinstance(value, float) and not math.isfinite(value):
            raise BadAnswer(f"{table}.{name} is not finite")
