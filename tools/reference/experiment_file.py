"""The page docs/reference/experiment-file.md, written from the forms by which a file is read.

`python -m tools.reference` writes it.
"""

import json
from collections.abc import Iterator
from typing import cast

from fairlane.engine.declarations import queues
from fairlane.scenario.experiment import Experiment
from fairlane.scenario.forms import Form, JsonSchema
from fairlane.scenario.link_settings import LinkSettings
from fairlane.scenario.network import TOPOLOGIES, Topology, Wifi
from fairlane.scenario.queue import options_of
from fairlane.scenario.table_classes import table_of
from fairlane.scenario.table_forms import Choice, ListOf, MapOf, OneOrMore, Short, Table

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

_LINK = "and all keys of a link"
_FABRIC = f"{_LINK}, which hold for the links between hosts and switches"
_PARTS: tuple[tuple[str, str, str], ...] = (
    ("Experiment", "The file", ""),
    ("Dumbbell", "`[network]`: a dumbbell", _LINK),
    ("ParkingLot", '`[network]` with `topology = "parking_lot"`', f"{_LINK}, which hold for each hop"),
    ("LeafSpine", '`[network]` with `topology = "leaf-spine"`', _FABRIC),
    ("FatTree", '`[network]` with `topology = "fat-tree"`', _FABRIC),
    ("Star", '`[network]` with `topology = "star"`', _FABRIC),
    ("Access", '`[network]` with `topology = "access"`', _FABRIC),
    ("Graph", '`[network]` with `topology = "graph"`', _FABRIC),
    ("Edge", "`[[network.edges]]`: an edge of a graph", _LINK),
    ("Trunk", "`[network.fabric]`, `[network.up]`, `[network.uplink]`", _LINK),
    ("Links", "`[network]`: link by link", ""),
    ("Link", "`[[network.links]]`: a link", _LINK),
    ("HalfDuplex", '`[[network.media]]` with `kind = "half_duplex"`', "flows name the stations in their paths"),
    ("Station", "`[[network.media.stations]]`", ""),
    ("Wifi", '`[network]` with `kind = "wifi"`', "the [guide](../guides/wifi.md) shows how to use it"),
    ("WifiMedium", '`[[network.media]]` with `kind = "wifi"`', "flows name the queues in their paths"),
    ("WifiStation", "`[[network.stations]]`: a Wi-Fi station", "and all keys of a Wi-Fi queue"),
    ("WifiQueue", "`downlink`: a Wi-Fi queue", ""),
    ("WifiDriver", "`driver`", ""),
    ("AccessPoint", "`access_point`", ""),
    ("AccessLogConfig", "`record`", ""),
    ("Wire", "`[network.wire]`", _LINK),
    ("OutageConfig", "`outages`", "the keys select the kind; a link may have a list of tables"),
    ("LinkSettings", "Keys of a link", "also those of `[network.reverse]`"),
    ("ChangeConfig", "`changes`", "a list of tables in order of time"),
    ("JitterConfig", "`jitter`", "a time, which is `max`, or a table"),
    ("ReorderConfig", "`reorder`", "a share, which is `probability`, or a table"),
    ("CorruptConfig", "`corrupt`", "a share, which is `probability`, or a table"),
    ("EcnFaultConfig", "`ecn_fault`", "the fault as a word, or a table"),
    ("SlotConfig", "`slot`", "a time, which is `min`, or a table"),
    ("LossConfig", "`loss`", 'a table with a `kind`, or in short `loss = "1%"`'),
    (
        "Queue",
        "`queue`",
        "a kind, or a table of `kind` and its options, which [queues.md](queues.md) explains; here without the unit in "
        "the name, and with the unit in the value",
    ),
    ("Flow", "`[[flows]]`", ""),
    ("Traffic", "`traffic`", "a [guide](../guides/topologies.md) shows how to use it"),
    ("Workload", "`workload`", "a table with a `kind`; a kind without required keys may stand alone"),
    ("Sizes", "`sizes`", 'a table with a `kind`, or in short `sizes = "web-search"`'),
    ("CrossTraffic", "`[[cross_traffic]]`", ""),
    ("Hosts", "`[hosts]`", ""),
    ("SenderHost", "`sender`", ""),
    ("ReceiverHost", "`receiver`", ""),
    ("QuicSettings", "`quic`", "[QUIC](../concepts/quic.md) lists the numbers of both profiles"),
    ("Metrics", "`[metrics]`", ""),
)
"""Table, heading, and a sentence to add. A table of several kinds has a section for each."""

_TAIL = """\
## `[sweep]`

A key of the file in quotes, with dots, and its values. A flow or link in a list is selected by its name, its
number (from 0), or `*` for all. After `network.`, `*` stands for both directions, `network` and `network.reverse`: a
swept `network.queue` leaves the FIFO of uploads and ACKs as it is. All combinations of the axes are run.

| written | gives |
|---|---|
| `"network.rate" = ["10mbit", "100mbit"]` | these values |
| `"network.rtt" = { from = "10ms", to = "50ms", step = "10ms" }` | 10 to 50 ms |
| `"network.buffer" = { from = "0.5bdp", to = "8bdp", count = 5, scale = "log" }` | 0.5, 1, 2, 4, 8 BDP |
| `"hosts.ecn" = { values = [false, true], labels = ["drop", "mark"], name = "ecn" }` | these, called so in tables |
| `"network.*.queue" = ["fifo", "fq_codel"]` | the queues of both directions, as one axis |
| the same without `scale` | evenly spaced values |
| `[[sweep.zip]]` and lists of equal length | they advance together, as one axis |
| `[[sweep.exclude]]` and keys with a value or a list | leaves combinations out that match all its keys |
| `[sweep.matrix]` and `algorithms = ["./mine.c", "cubic"]` | each pair once: the axes `first` and `rival` |
| the same with `against = ["bbr", "reno"]`, or `"all"` | each of `algorithms` against each of these |

## `inherits`

A file or a list of files, paths from this file. Tables are merged key by key, everything else (lists too) is replaced
by the later file. A table that names another `topology` or `kind` than the one below replaces it whole.
"""


def markdown() -> str:
    """The whole page."""
    tables = _tables(table_of(Experiment), {})
    parts = [_HEAD]
    for name, title, more in _PARTS:
        extra = f" {more[:1].upper()}{more[1:]}." if more else ""
        if name == "Queue":
            parts.append("\n".join(_queues(title, extra)) + "\n\n")
            continue
        for table in [tables[one] for one in tables if one == name or one.startswith(f"{name}.")]:
            hidden = set(table_of(LinkSettings).keys) if more.startswith(_LINK) else set()
            of_kind = f' with `kind = "{table.name.partition(".")[2]}"`' if "." in table.name else ""
            parts.append("\n".join(_section(table, title + of_kind, extra, hidden)) + "\n\n")
    missing = {name.partition(".")[0] for name in tables} - {name for name, _, _ in _PARTS}
    if missing:
        raise ValueError(f"give a title to {', '.join(sorted(missing))}")
    return "".join([*parts, _TAIL])


def _tables(form: Form, found: dict[str, Table]) -> dict[str, Table]:
    """All tables of the file, by name."""
    if isinstance(form, Table) and form.name not in found:
        found[form.name] = form
        for key in form.keys.values():
            _tables(key.form, found)
    elif isinstance(form, Topology):
        for one in (*TOPOLOGIES.values(), Wifi):
            _tables(table_of(one), found)
    elif isinstance(form, Choice):
        for table in form.tables.values():
            _tables(table, found)
    elif isinstance(form, OneOrMore):
        _tables(form.entries, found)
    elif isinstance(form, (Short, ListOf, MapOf)):
        _tables(
            form.table if isinstance(form, Short) else form.items if isinstance(form, ListOf) else form.values, found
        )
    return found


def _queues(title: str, extra: str) -> Iterator[str]:
    yield f"## {title}\n\n{extra.strip()}\n\n| kind | options |\n|---|---|"
    for kind in queues():
        yield f"| `{kind}` | {', '.join(f'`{option}`' for option in options_of(kind))} |"


def _section(table: Table, title: str, extra: str, hidden: set[str]) -> Iterator[str]:
    yield f"## {title}\n\n{table.description}{extra}"
    rows = {key: one for key, one in table.keys.items() if key not in hidden and key != "kind"}
    if rows:
        yield "\n| key | value | default | meaning |\n|---|---|---|---|"
    if table.name == "Experiment":
        yield '| `inherits` | `"base.toml"` |  | Files whose settings this one starts from; paths from this file. |'
    for key, one in rows.items():
        described = one.schema({})
        default = f"`{json.dumps(described['default'])}`" if "default" in described else ""
        yield f"| `{key}` | {_value(described)} | {'required' if one.is_required else default} | {one.description} |"
    if table.name == "Experiment":
        yield "| `sweep` | a table |  | Axes of a sweep; see below. |"


def _value(one: JsonSchema) -> str:
    """An example, the words, or the type."""
    if one.get("examples"):
        return f"`{json.dumps(cast(list[object], one['examples'])[0])}`"
    words = cast(list[object], one.get("enum", [one["const"]] if "const" in one else []))
    if words:
        return " or ".join(f"`{json.dumps(word)}`" for word in words)
    types = {"boolean": "true or false", "integer": "an integer", "number": "a number", "string": "text"}
    types |= {"array": "a list", "object": "a table"}
    return types.get(str(one.get("type")), "a table" if "$ref" in one else "see below" if "anyOf" in one else "")
