"""Settings of requests (`requests.py`), and the short forms that the command line and Python share.

`Settings` declares options of `fairlane duel`, `shell` and `advise`, and arguments of `fairlane.duel` and
`fairlane.advise`. Short forms are `cubic*5`, `codel:ecn=true,target=8ms` and `rate_mbps=20`. They become the form of an
experiment file, which is checked when it is loaded.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, TypedDict, get_type_hints

from fairlane.engine.messages import unknown
from fairlane.scenario.diagnostics import ExperimentError
from fairlane.scenario.units import TXQUEUELEN, QuantityError

WIRE_RTT = "0.2ms"
"""A switch and a server next to the access point."""
_MOST_FLOWS = 1_000_000
Option = str | int | float | bool
"""The value of an option of a queue discipline."""
Table = Mapping[str, Any]
"""A table of an experiment file."""
_MULTIPLE = re.compile(r"(.*\S)\s*\*\s*(\d+)", re.DOTALL)
_INTEGER = re.compile(r"[+-]?\d+")
_NUMBER = re.compile(r"[+-]?(\d+\.\d*|\.\d+)")


@dataclass(frozen=True)
class Setting:
    """A setting of a request."""

    place: str
    """Its key in a file; `flows.KEY` has one value for all flows, or one for each."""
    text: str = ""
    """Meaning, for the help of options; empty if it is that of the file's key."""
    default: str | None = None
    option: str = ""
    """On the command line, if that is not `--NAME`."""
    note: str = ""
    """More than the file's key means."""

    @property
    def help(self) -> str:
        """The whole text."""
        return self.text or f"{_of_file(self.place)} {self.note}".strip()


def _of_file(place: str) -> str:
    """The description of a key of an experiment file, which often is that of the contract."""
    from fairlane.scenario.experiment import Experiment, Flow, Hosts, Metrics
    from fairlane.scenario.network import Dumbbell
    from fairlane.scenario.table_classes import table_of

    tables: dict[str, type] = {"": Experiment, "network": Dumbbell, "flows": Flow, "hosts": Hosts, "metrics": Metrics}
    table, _, key = place.rpartition(".")
    return table_of(tables[table]).keys[key].description


class LinkSettings(TypedDict, total=False):
    """A link. Quantities have a unit, or are numbers under a name with the unit; None is nothing."""

    link: Annotated[str | None, Setting("", "A typical link")]
    rate: Annotated[str | None, Setting("network.rate", "Rate of the bottleneck: kbit, mbit, gbit.", "100mbit")]
    rtt: Annotated[
        str | Sequence[str] | None,
        Setting("flows.rtt", "Round-trip time without queues, for all flows or one for each.", "20ms"),
    ]
    buffer: Annotated[
        str | None,
        Setting(
            "network.buffer",
            "Buffer size: in BDPs (1bdp), time at the rate (250ms), bytes (250kB) or packets (100p). The BDP is rate "
            "times the longest RTT. If "
            "omitted, fifo and red have 1bdp, and all other queues use tc's default limits.",
        ),
    ]
    loss: Annotated[
        str | Table | None, Setting("network.loss", "Share of data packets lost at random after the queue.", "0%")
    ]
    reverse_rate: Annotated[
        str | None,
        Setting(
            "network.reverse.rate", f"Rate of the link of the ACKs, with a queue of {TXQUEUELEN}.", "infinitely fast"
        ),
    ]
    rate_mbps: float
    reverse_rate_mbps: float
    rtt_ms: float | Sequence[float]
    buffer_bdp: float
    buffer_kb: float
    buffer_packets: int
    loss_pct: float


class Settings(LinkSettings, total=False):
    """A link, and flows that share it."""

    trace: Annotated[str | Path | None, Setting("network.trace")]
    queue: Annotated[
        str | Table | None,
        Setting("network.queue", "Queue discipline, with tc's options and defaults: {queues}.", "fifo"),
    ]
    duration: Annotated[
        str | None,
        Setting(
            "duration",
            "",
            "30s",
            "--time",
            "If omitted, 30s, or 200 round-trip times if that is longer; 120s on a typical link that varies.",
        ),
    ]
    start: Annotated[
        str | Sequence[str] | None, Setting("flows.start", default="0s", note="One for all flows, or one for each.")
    ]
    transport: Annotated[
        str | Sequence[str] | None,
        Setting(
            "flows.transport", "Transport protocol of the flows, tcp or quic: one for all, or one for each.", "tcp"
        ),
    ]
    mtu: Annotated[int | None, Setting("network.mtu", default="1500")]
    ecn: Annotated[
        bool | Literal["accecn"] | None,
        Setting("hosts.ecn", "Whether flows negotiate ECN. dctcp and prague always do.", "no-ecn"),
    ]
    wifi: Annotated[
        Literal["n", "ac", "ax"] | None,
        Setting(
            "network.standard",
            "A Wi-Fi cell instead of a link: each flow is an upload of a station 3 m from the access point (n: 40 MHz, "
            "MCS 15; ac: 80 MHz, MCS 9; ax: 80 MHz, MCS 11; two streams), with queues of 1000 packets. The RTT is that "
            f"of the wire, {WIRE_RTT} if omitted.",
        ),
    ]
    offload: Annotated[
        bool | None,
        Setting(
            "hosts.offload", "Whether hosts merge arriving packets (GRO). They always send bursts (TSO).", "no-offload"
        ),
    ]
    interval: Annotated[str | None, Setting("metrics.interval", default="100ms")]
    seed: Annotated[
        int | None, Setting("seed", "Seed of all random streams; the same seed gives the same result.", "1")
    ]
    repeats: Annotated[
        int | None,
        Setting(
            "repeats",
            "Number of runs with different seeds, starts and delays; the table has means and 95 % intervals.",
            "1",
        ),
    ]
    start_jitter: Annotated[str | None, Setting("start_jitter")]
    start_s: float | Sequence[float]
    duration_s: float
    time: str | None
    interval_ms: float
    start_jitter_ms: float


_HINTS = get_type_hints(Settings, include_extras=True)
SETTINGS: Mapping[str, Setting] = {
    name: hint.__metadata__[0] for name, hint in _HINTS.items() if hasattr(hint, "__metadata__")
}
"""By name in Python."""
_UNITS = {"mbps": "mbit", "ms": "ms", "s": "s", "bdp": "bdp", "kb": "kB", "packets": "p", "pct": "%"}
"""Units of files by the end of a name in Python."""
ALIASES = {"time": "duration"}
"""Names that the command line has for the same."""
NUMBERS = {name: name.rpartition("_")[0] for name in _HINTS if name not in SETTINGS and name not in ALIASES}
"""Names with a unit, and the quantity that each stands for."""


class RequestError(ExperimentError):
    """Settings that contradict each other: names with texts, in which `{rate}` is the name of a setting."""

    def __init__(self, *mistakes: tuple[str, str]) -> None:
        self._mistakes = mistakes
        super().__init__([f"{name}: {text}" for name, text in self.mistakes()])

    def mistakes(self, shown: Callable[[str], str] = str) -> list[tuple[str, str]]:
        """Names and texts; `shown` gives the form in which the caller has a name."""
        return [(name, re.sub(r"\{(\w+)\}", lambda it: shown(it[1]), text)) for name, text in self._mistakes]


def check_names(function: str, given: Mapping[str, object], *more: str, known: type = Settings) -> None:
    """Raises TypeError for an argument that a function does not have: neither in `known` nor one of `more`."""
    names = [*more, *known.__annotations__]
    for name in given:
        if name not in names:
            raise TypeError(f"{function}(): {unknown('argument', name, names)}")


def in_units(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings that are given, numbers as quantities. Raises RequestError.

    >>> in_units({"rate_mbps": 20, "rtt_ms": [10, 80.5], "mtu": 1500, "link": None})
    {'rate': '20mbit', 'rtt': ['10ms', '80.5ms'], 'mtu': 1500}
    """
    found: dict[str, Any] = {}
    for given, value in settings.items():
        name = ALIASES.get(given) or NUMBERS.get(given, given)
        if value is None:
            continue
        if name in found:
            raise RequestError((name, "is given twice; keep one of its forms"))
        values = list(value) if isinstance(value, (list, tuple)) else [value]
        texts = [_quantity(given, name, one) for one in values]
        found[name] = texts if isinstance(value, (list, tuple)) else texts[0]
    return found


def _quantity(given: str, name: str, value: Any) -> Any:
    """The value of a setting; a number with its unit, if the name has one."""
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if given in NUMBERS:
        if not is_number:
            raise RequestError((given, f"is not a number: {value!r}; write a number, or {name}=... with its unit"))
        return f"{value:.15g}{_UNITS[given.rpartition('_')[2]]}"
    forms = [form for form, quantity in NUMBERS.items() if quantity == name]
    if is_number and forms:
        text, unit = f"{value:g}", _UNITS[forms[0].rpartition("_")[2]]
        other = " or ".join(forms)
        raise RequestError((name, f'{text} has no unit; write {name}="{text}{unit}", or {other}={text}'))
    return value


def multiple(text: str) -> tuple[str, int]:
    """An algorithm and how many flows use it. Raises QuantityError.

    >>> multiple("cubic*5"), multiple("bbr")
    (('cubic', 5), ('bbr', 1))
    """
    found = _MULTIPLE.fullmatch(text)
    if not found:
        return text, 1
    count = int(found[2]) if len(found[2]) < 9 else _MOST_FLOWS + 1
    if not 1 <= count <= _MOST_FLOWS:
        raise QuantityError(f"'{text}' is not 1 to {_MOST_FLOWS:,} flows; write for example cubic*5")
    return found[1], count


def queue_table(text: str) -> str | dict[str, Option]:
    """A queue discipline with options, as the table of an experiment file. Raises QuantityError.

    >>> queue_table("fq_codel"), queue_table("codel:ecn=true,target=8ms")
    ('fq_codel', {'kind': 'codel', 'ecn': True, 'target': '8ms'})
    """
    kind, colon, settings = text.partition(":")
    if not colon:
        return kind
    table: dict[str, Option] = {"kind": kind}
    for setting in settings.split(","):
        name, equals, value = (part.strip() for part in setting.partition("="))
        if not (name and equals and value):
            raise QuantityError(f"'{text}' has an option that is not name=value; write for example codel:target=8ms")
        if name in table:
            raise QuantityError(f"'{text}' sets '{name}' twice; set it once")
        table[name] = _value(value)
    return table


def _value(text: str) -> Option:
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    if _INTEGER.fullmatch(text):
        return int(text)
    return float(text) if _NUMBER.fullmatch(text) else text
