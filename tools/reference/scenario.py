"""The pages docs/reference/scenario.md and queues.md, written from the declarations of the engine."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from fairlane import engine

_SCENARIO_HEAD = """\
# Scenario and result

Written from the engine's declarations by `make reference`.

`fairlane.simulate(scenario)` takes and returns dictionaries. Times are integers in nanoseconds, rates bits per second,
sizes bytes: the last part of a name is its unit. An unknown key is an error.
`fairlane.engine.types` has these tables as Python types, and `fairlane.engine.contract()["scenario"]` is their JSON
Schema.

```python
import fairlane

result = fairlane.simulate({
    "seed": 1,
    "duration_ns": 10_000_000_000,
    "links": [
        {"name": "bottleneck", "rate_bps": 20_000_000, "delay_ns": 10_000_000,
         "queue": {"kind": "fifo", "limit_bytes": 50_000}},
        {"name": "return", "delay_ns": 10_000_000},
    ],
    "flows": [{"algorithm": "cubic", "forward": ["bottleneck"], "reverse": ["return"]}],
})
print(result["flows"][0]["goodput_mbps"])
```

## Scenario

"""
_RESULT = """\
## Result

`null` means that there was nothing to measure, or no limit. Columns with these names are also those of the tables in a
[results store](../concepts/results-store.md).

"""
_ERRORS = """\
## Errors

`fairlane.ScenarioError` (a `ValueError`): the scenario cannot be run. The message has a line for each problem, and
`problems` lists them as data: `path` (keys and indices to the value), `what` is wrong, and the `remedy`; both texts
name keys in backticks.

`fairlane.AlgorithmError` (a `RuntimeError`): an algorithm cannot be loaded or used; the message names it and the
callback.
"""
_QUEUES_HEAD = """\
# Queue disciplines

Written from the engine's declarations by `make reference`.

A link's `queue` is a `kind` and its parameters, which have tc's names with their units, and tc's defaults.
Sizes count frames: the IP packet and the link's `overhead_bytes`. An unknown key is an error.

```json
{"name": "bottleneck", "rate_bps": 20000000, "queue": {"kind": "codel", "target_ns": 5000000, "ecn": true}}
```

With `ecn`, a queue marks packets of ECN-capable senders instead of dropping them. A flow's sender must ask for ECN; its
receiver agrees unless its own `ecn` is false. Flows are identified by their connection, through a hash that the run's
seed perturbs. Timers follow the scenario's `hz`, as the kernel's do.
"""

_TITLES = {
    "LinkConfig": "A link: `links`",
    "JitterConfig": "Jitter: `links.jitter`",
    "LossConfig": "Loss: `links.loss`",
    "CorruptConfig": "Bit errors: `links.corrupt`",
    "EcnFaultConfig": "Faults of the ECN field: `links.ecn_fault`",
    "ReorderConfig": "Reordering: `links.reorder`",
    "SlotConfig": "Slots: `links.slot`",
    "OutageConfig": "Outages: `links.outages`, `links.loss.times`, and `media.outages` of a Wi-Fi cell",
    "ChangeConfig": "Changes: `links.changes`",
    "MediumConfig": "A shared medium: `media`",
    "StationConfig": "A station: `media.stations`",
    "WifiStationConfig": "A station of a Wi-Fi cell: `media.stations`",
    "WifiQueueConfig": "A transmit queue of a Wi-Fi cell: `media.stations.uplink` and `.downlink`",
    "WifiDriver": "The driver's queue: `media.stations.uplink.driver`",
    "AccessLogConfig": "Frames that are recorded one by one: `media.access_log`",
    "FlowConfig": "A flow: `flows`",
    "Workload": "Workload: `flows.workload`",
    "Sizes": "Sizes of transfers: `flows.workload.sizes`, `flows.workload.object_sizes`",
    "CdfPoint": "A point of a distribution: `flows.workload.sizes.points`",
    "Arrival": "A connection of a trace: `flows.workload.arrivals`",
    "SenderHost": "Sender: `flows.sender`",
    "ReceiverHost": "Receiver: `flows.receiver`",
    "QuicSettings": "QUIC: `flows.quic`",
    "CrossTrafficConfig": "Cross traffic: `cross_traffic`",
}
"""Tables of a scenario in the order of the page."""
_ELSEWHERE = {"Adaptation", "QueueConfig", "Pacing", "TransportProtocol", "QuicProfile"} | {
    "JitterDistribution",
    "EcnFault",
    "WhenDown",
    "WifiBand",
    "WifiRateControl",
    "WifiScheduler",
    "WifiStandard",
}
"""Queues have a page of their own; words are explained where they stand."""
_RESULTS = {
    "runs": ("The whole run", "The last columns are recorded by the store; `simulate` does not return them."),
    "flows": (
        "`flows`",
        "One entry per connection, from the flow's start or the end of the warm-up, whichever is later, to its end.",
    ),
    "links": ("`links`", "One entry per link, then one per station of shared media, from the end of the warm-up on."),
    "cross_traffic": ("`cross_traffic`", "One entry per source."),
    "flow_samples": ("`series.flows`", "One entry per flow, a list for each column; `series.interval_s` lies between."),
    "link_samples": ("`series.links`", "The same for each link and station."),
}


def scenario_page() -> str:
    """The page about scenarios and results."""
    declared = engine.contract()
    tables = declared["scenario"]["$defs"]
    unnamed = set(tables) - set(_TITLES) - _ELSEWHERE
    if unnamed:
        raise ValueError(f"give a title to {', '.join(sorted(unnamed))}")
    lines = [*_keys(declared["scenario"], tables), ""]
    for name, title in _TITLES.items():
        lines += [f"### {title}", "", *_table(tables[name], tables), ""]
    results = []
    for name, columns in declared["columns"].items():
        title, about = _RESULTS[name]
        results += [f"### {title}", "", about, "", "| key | unit | meaning |", "|---|---|---|"]
        results += [f"| `{one['name']}` | {one['unit']} | {one['meaning']} |" for one in columns] + [""]
    distributions = "`distributions.flows`: for each flow a histogram of its packet RTTs, `rtt_ms` (middle of a bucket)"
    results += [f"{distributions} and `samples`.", "", ""]
    return _SCENARIO_HEAD + "\n".join(lines) + "\n" + _RESULT + "\n".join(results) + _ERRORS


def queues_page() -> str:
    """The page about queue disciplines."""
    tables = engine.contract()["scenario"]["$defs"]
    lines: list[str] = []
    for kind in tables["QueueConfig"]["oneOf"]:
        lines += ["", f"## `{kind['properties']['kind']['const']}`", "", *_about(kind)]
        lines += ["", *_keys(kind, tables)] if len(kind["properties"]) > 1 else []
    return _QUEUES_HEAD + "\n".join(lines) + "\n"


def _table(schema: Mapping[str, Any], tables: Mapping[str, Any]) -> Iterator[str]:
    yield from _about(schema)
    for kind in schema.get("oneOf", ()):
        yield ""
        yield f"`{kind['properties']['kind']['const']}`: {kind['description'].replace(chr(10), ' ')}"
        if len(kind["properties"]) > 1:
            yield ""
            yield from _keys(kind, tables)
    if "oneOf" not in schema:
        yield ""
        yield from _keys(schema, tables)


def _about(schema: Mapping[str, Any]) -> list[str]:
    import textwrap

    lines: list[str] = []
    for paragraph in schema["description"].split("\n\n"):
        lines += ["", *textwrap.wrap(" ".join(paragraph.split()), 120, break_on_hyphens=False)]
    return lines[1:]


def _keys(schema: Mapping[str, Any], tables: Mapping[str, Any]) -> Iterator[str]:
    yield "| key | default | meaning |"
    yield "|---|---|---|"
    for key, one in schema["properties"].items():
        if key != "kind":
            default = "required" if key in schema.get("required", ()) else _default(one, tables)
            yield f"| `{key}` | {default} | {_meaning(one, tables)} |"


def _default(one: Mapping[str, Any], tables: Mapping[str, Any]) -> str:
    if "x-default" in one:
        return str(one["x-default"])
    value = one.get("default")
    if value is None and str(one.get("$ref")).endswith(("Workload", "QueueConfig")):
        return "bulk" if one["$ref"].endswith("Workload") else "unlimited"
    return value if isinstance(value, str) else "none" if value in (None, [], {}) else json.dumps(value)


def _meaning(one: Mapping[str, Any], tables: Mapping[str, Any]) -> str:
    text = " ".join(one["description"].split())
    name = str(one.get("$ref", "")).rpartition("/")[2]
    if name == "QueueConfig":
        return f"{text} A [queue discipline](queues.md)."
    words = [
        f"`{kind['const']}`: {kind['description']}" for kind in tables.get(name, {}).get("oneOf", []) if "const" in kind
    ]
    return " ".join([text, *words]).replace("\n", " ")
