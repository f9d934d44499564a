"""The page docs/reference/experiment-file.md, written from the schema.

`python -m tools.reference` writes it.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from fairlane.scenario import model, network, workload
from fairlane.scenario.base_model import Table
from fairlane.scenario.schema import FILE

_HEAD = """\
# Experiment files

Generated from the schema by `python -m tools.reference`. The [guide](../guides/experiments.md) shows how to
use them. A file is TOML; an unknown key is an error. Values with a unit are text:

| quantity | form | units |
|---|---|---|
| rate | `"100mbit"`, `"2.5gbit"` | bit, kbit, mbit, gbit, tbit (bits per second; also bps, kbps, ...) |
| time | `"20ms"`, `"30s"` | ns, us, ms, s, min, h |
| size | `"250kB"`, `"64MiB"` | B, kB, MB, GB, KiB, MiB, GiB |
| buffer | `"1bdp"`, `"250kB"`, `"100p"` | bdp, those of sizes, p (packets) |
| rate of packets | `"1000pps"` | pps, kpps, Mpps (packets per second) |
| share | `"0.1%"` | % |

Zero needs no unit. A BDP is the rate of the link times the longest RTT of the flows that cross it.

"""

_PARTS: tuple[tuple[str, str, str], ...] = (
    ("", "The file", ""),
    ("Dumbbell", "`[network]`: a dumbbell", "and all keys of a link"),
    ("ParkingLot", "`[network]` with `topology = \"parking_lot\"`", "and all keys of a link, which hold for each hop"),
    ("Links", "`[network]`: link by link", ""),
    ("Link", "`[[network.links]]`: a link", "and all keys of a link"),
    ("HalfDuplex", "`[[network.media]]` with `kind = \"half_duplex\"`", "flows name the stations in their paths"),
    ("Station", "`[[network.media.stations]]`", ""),
    ("Wifi", "`[network]` with `kind = \"wifi\"`", "the [guide](../guides/wifi.md) shows how to use it"),
    ("WifiMedium", "`[[network.media]]` with `kind = \"wifi\"`", "flows name the queues in their paths"),
    ("WifiStation", "`[[network.stations]]`: a Wi-Fi station", "and all keys of a Wi-Fi queue"),
    ("WifiQueue", "`downlink`: a Wi-Fi queue", ""),
    ("AccessPoint", "`access_point`", ""),
    ("Wire", "`[network.wire]`", "and all keys of a link"),
    ("ListedOutages", "`outages` with `at`", ""),
    ("RandomOutages", "`outages` with `mean_length`", ""),
    ("LinkSettings", "Keys of a link", "also those of `[network.reverse]`"),
    ("Change", "`changes`", "a list of tables in order of time"),
    ("Jitter", "`jitter`", "a time, which is `max`, or a table"),
    ("Independent", "`loss` with `kind = \"independent\"`", "or in short `loss = \"1%\"`"),
    ("GilbertElliott", "`loss` with `kind = \"gilbert_elliott\"`", ""),
    ("Queue", "`queue`", "a kind, or a table of `kind` and its options, which [queues.md](queues.md) explains; here"
     " without the unit in the name, and with the unit in the value"),
    ("Flow", "`[[flows]]`", ""),
    ("Bulk", "`workload = \"bulk\"`", ""),
    ("Iperf3", "`workload = \"iperf3\"`", ""),
    ("Bytes", "`workload` with `kind = \"bytes\"`", ""),
    ("RequestResponse", "`workload` with `kind = \"request_response\"`", ""),
    ("Ping", "`workload = \"ping\"`, or a table with that kind", ""),
    ("OnOff", "`workload` with `kind = \"on_off\"`", ""),
    ("PoissonFlows", "`workload` with `kind = \"poisson_flows\"`", ""),
    ("Arrivals", "`workload` with `kind = \"arrivals\"`", ""),
    ("Web", "`workload = \"web\"`, or a table with that kind", ""),
    ("Video", "`workload = \"video\"`, or a table with that kind", ""),
    ("Fixed", "`sizes` with `kind = \"fixed\"`", ""),
    ("Exponential", "`sizes` with `kind = \"exponential\"`", ""),
    ("Pareto", "`sizes` with `kind = \"pareto\"`", ""),
    ("LogNormal", "`sizes` with `kind = \"log_normal\"`", ""),
    ("Empirical", "`sizes` with `kind = \"empirical\"`", "or in short `sizes = \"web-search\"`"),
    ("CrossTraffic", "`[[cross_traffic]]`", ""),
    ("Hosts", "`[hosts]`", ""),
    ("Sender", "`sender`", ""),
    ("Receiver", "`receiver`", ""),
    ("Quic", "`quic`", "[QUIC](../concepts/quic.md) lists the numbers of both profiles"),
    ("Metrics", "`[metrics]`", ""),
)  # fmt: skip
"""Table of the schema, heading, and what a sentence adds."""

_TAIL = """\
## `[sweep]`

A key of the file in quotes, with dots, and its values. A flow or link in a list is selected by its name, its
number (from 0), or `*` for all. All combinations of the axes are run.

| written | gives |
|---|---|
| `"network.rate" = ["10mbit", "100mbit"]` | these values |
| `"network.rtt" = { from = "10ms", to = "50ms", step = "10ms" }` | 10 to 50 ms |
| `"network.buffer" = { from = "0.5bdp", to = "8bdp", count = 5, scale = "log" }` | 0.5, 1, 2, 4, 8 BDP |
| `"hosts.ecn" = { values = [false, true], labels = ["drop", "mark"], name = "ecn" }` | these, called so in tables |
| the same without `scale` | evenly spaced values |
| `[[sweep.zip]]` and lists of equal length | they advance together, as one axis |
| `[[sweep.exclude]]` and keys with a value or a list | leaves combinations out that match all its keys |

## `inherits`

A file or a list of files, paths from this file. Tables are merged key by key, everything else (lists too) is replaced
by the later file. A table that names another `topology` or `kind` than the one below replaces it whole.
"""


def markdown() -> str:
    """The whole page."""
    schema = json.loads(FILE.read_text(encoding="utf-8"))
    shared = set(schema["$defs"]["LinkSettings"]["properties"])
    parts = [_HEAD]
    for name, title, more in _PARTS:
        table = schema["$defs"][name] if name else schema
        hidden = shared if "and all keys of a link" in more else set()
        parts.append("\n".join(_section(name, title, more, table, hidden)) + "\n\n")
    return "".join([*parts, _TAIL])


def _section(name: str, title: str, more: str, table: Mapping[str, Any], hidden: set[str]) -> Iterator[str]:
    yield f"## {title}\n"
    if name == "Queue":
        yield f"{more[:1].upper()}{more[1:]}.\n\n| kind | options |\n|---|---|"
        for one in table["anyOf"][1]["allOf"]:
            options = [f"`{option}`" for option in one["then"]["properties"] if option != "kind"]
            yield f"| `{one['then']['title']}` | {', '.join(options)} |"
        return
    said = table.get("description", "") if name else "One experiment."
    extra = f" {more[:1].upper()}{more[1:]}." if more else ""
    yield f"{said}{extra}"
    rows = {key: one for key, one in table["properties"].items() if key not in hidden and key != "kind"}
    if rows:
        yield "\n| key | value | default | meaning |\n|---|---|---|---|"
    for key, one in rows.items():
        words = _ELSEWHERE.get(key, {}) if not name else {}
        meaning = words.get("description") or one.get("description", "")
        default = "required" if _is_required(name, key) else _default(one)
        yield f"| `{key}` | {_value({**one, **words})} | {default} | {meaning} |"


_ELSEWHERE: dict[str, dict[str, Any]] = {
    "inherits": {"examples": ["base.toml"]},
    "sweep": {"$ref": "", "description": "What varies; see below."},
    "network": {"$ref": "", "description": "A topology by name, or links one by one."},
}
"""Wording of the schema for editors."""


def _is_required(table: str, key: str) -> bool:
    models: dict[str, Any] = vars(network) | vars(workload) | vars(model)
    owner: type[Table] = models[table or "Experiment"]
    field = owner.model_fields.get(key)
    return field is not None and field.is_required()


def _value(one: Mapping[str, Any]) -> str:
    if one.get("examples"):
        example = one["examples"][0]
        return f"`{json.dumps(example)}`"
    if "enum" in one:
        return " or ".join(f"`{json.dumps(word)}`" for word in one["enum"])
    if "const" in one:
        return f"`{json.dumps(one['const'])}`"
    return {"boolean": "true or false", "integer": "an integer", "string": "text", "array": "a list"}.get(
        one.get("type", ""), "a table" if "$ref" in one else "see below" if {"anyOf", "oneOf"} & set(one) else ""
    )


def _default(one: Mapping[str, Any]) -> str:
    return f"`{json.dumps(one['default'])}`" if "default" in one else ""
