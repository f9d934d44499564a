"""The most rows that runs can have written, from their scenarios.

A table with more rows than bytes is compared with it: such a table takes far more memory than its file.
"""

import json
from collections import Counter
from collections.abc import Iterable
from typing import Any

from fairlane.files import FORGED
from fairlane.results.store.checksummed_json import DamagedError

_BUCKETS = 2_048
"""Of a distribution: the engine's histogram of 32-bit numbers has 1,728, sizes of A-MPDUs are fewer."""
_LATE = 2
"""Kernels end some time after the scenario does."""


def check(table: str, rows: int, scenarios: Iterable[str | None]) -> None:
    """Raises DamagedError if a table holds more rows than these scenarios allow."""
    most = Counter[str]()
    for text in scenarios:
        try:
            most += _of(json.loads(text or ""))
        except FORGED:
            raise DamagedError(f"holds {rows:,} rows of a run without a scenario") from None
    if rows > most[table]:
        raise DamagedError(f"holds {rows:,} rows; its runs have at most {most[table]:,}")


def _of(scenario: dict[str, Any]) -> Counter[str]:
    """The most rows of each table of a run."""
    flows = len(scenario["flows"])
    media = scenario.get("media", [])
    links = len(scenario["links"]) + sum(2 * len(one["stations"]) for one in media)
    samples = _LATE * (int(scenario["duration_ns"]) // int(scenario["series_interval_ns"]) + 2)
    return Counter(
        {
            "runs": 1,
            "flows": flows,
            "links": links,
            "cross_traffic": len(scenario.get("cross_traffic", [])),
            "flow_series": flows * samples,
            "link_series": links * samples,
            "flow_distribution": flows * _BUCKETS,
            "link_distribution": links * _BUCKETS,
            "link_accesses": sum((one.get("access_log") or {"frames": 0})["frames"] for one in media),
        }
    )
