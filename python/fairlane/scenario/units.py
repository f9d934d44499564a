"""Converts quantities with units (100mbit, 20ms, 1bdp, 250kB, 100p, 1000pps, 0.1%) into integers.

Parses, limits and prints quantities with units. Every parser takes the text and returns nanoseconds, bits per second,
bytes, packets (per second) or a probability, or raises `QuantityError` with one line: what is wrong, and what to write
instead. Arithmetic is exact (fractions), so that 0.1 s is 100,000,000 ns and never one less.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Literal

RATE_UNITS = {"bit": 1, "kbit": 10**3, "mbit": 10**6, "gbit": 10**9, "tbit": 10**12}
TIME_UNITS = {"ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9, "min": 60 * 10**9, "h": 3600 * 10**9}
BYTE_UNITS = {"b": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "kib": 2**10, "mib": 2**20, "gib": 2**30}
PACKET_UNITS = {"p": 1, "packet": 1, "packets": 1}
PACKET_RATE_UNITS = {"pps": 1, "kpps": 10**3, "mpps": 10**6}

TXQUEUELEN = "1000p"
"""The queue of a Linux interface without a discipline of its own (`ip link`: qlen)."""
MAX_RATE_BPS = 10 * 10**12
MAX_TIME_NS = 10**6 * 10**9
MAX_BYTES = 10**12
MAX_PACKETS = 10**9
MAX_PACKETS_S = 10**12

_NUMBER = re.compile(r"([+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d{1,3})?)\s*([^\d\s]*)", re.IGNORECASE | re.ASCII)


class QuantityError(ValueError):
    """A quantity that cannot be read or cannot be true."""


@dataclass(frozen=True)
class Buffer:
    """The size of a queue: a multiple of the bandwidth-delay product, a time at the link's rate, bytes, or packets."""

    amount: Fraction
    """Of a time the number of nanoseconds."""
    unit: Literal["bdp", "time", "bytes", "packets"]

    def as_bytes(self, rate_bps: int, rtt_ns: int) -> int:
        """The limit in bytes; only for a buffer that is not counted in packets."""
        if self.unit == "bytes":
            return int(self.amount)
        time_ns = self.amount * rtt_ns if self.unit == "bdp" else self.amount
        return int(time_ns * rate_bps / (8 * 10**9))

    def __str__(self) -> str:
        """As a file would have it.

        >>> str(buffer("1.5bdp")), str(buffer("250kB")), str(buffer("100p")), str(buffer("0.25s"))
        ('1.5bdp', '250000B', '100p', '250ms')
        """
        if self.unit == "time":
            return show_time(int(self.amount)).replace(" ", "")
        number = f"{float(self.amount):.15g}" if self.amount.denominator != 1 else str(self.amount)
        return number + {"bdp": "bdp", "bytes": "B", "packets": "p"}[self.unit]


_remembered = lru_cache(maxsize=4096)
"""A search reads thousands of experiments with the same few values, and a fraction takes 50 us."""


@_remembered
def rate_bps(text: str) -> int:
    """Reads a rate.

    >>> rate_bps("2.5gbit"), rate_bps("100Mbps"), rate_bps("64 kbit/s")
    (2500000000, 100000000, 64000)
    """
    number, unit = _split(text, "100mbit")
    if unit.endswith(("Bps", "BPS", "B/s")):
        raise QuantityError(f"'{text}' counts bytes; rates are in bits, for example 100mbit")
    name = re.sub(r"(bps|bit/s|bits|b/s)$", "bit", unit.lower())
    value = _scaled(text, number, name, RATE_UNITS, "100mbit")
    if value <= 0:
        raise QuantityError(f"'{text}' is not above zero; write a rate such as 100mbit")
    return int(_at_least_one(text, _within(text, value, MAX_RATE_BPS, "10tbit"), "1bit"))


def packets_per_s(text: str) -> int:
    """Reads a rate of packets.

    >>> packets_per_s("1000pps"), packets_per_s("1.5 Mpps")
    (1000, 1500000)
    """
    number, unit = _split(text, "1000pps")
    value = _scaled(text, number, unit.lower(), PACKET_RATE_UNITS, "1000pps")
    if value <= 0:
        raise QuantityError(f"'{text}' is not above zero; write a rate of packets such as 1000pps")
    return int(_at_least_one(text, _within(text, value, MAX_PACKETS_S, "1000000Mpps"), "1pps"))


@_remembered
def time_ns(text: str) -> int:
    """Reads a time that may be zero; zero needs no unit.

    >>> time_ns("20ms"), time_ns("0.1s"), time_ns("0")
    (20000000, 100000000, 0)
    """
    number, unit = _split(text, "20ms")
    value = _scaled(text, number, unit.lower().replace("µ", "u").replace("μ", "u"), TIME_UNITS, "20ms")
    if value < 0:
        raise QuantityError(f"'{text}' is negative; write a time such as 20ms")
    value = _within(text, value, MAX_TIME_NS, "1000000s")
    return int(value if value == 0 else _at_least_one(text, value, "1ns"))


def positive_time_ns(text: str) -> int:
    """Reads a time above zero."""
    value = time_ns(text)
    if value == 0:
        raise QuantityError(f"'{text}' is not above zero; write a time such as 20ms")
    return value


@_remembered
def buffer(text: str, example: str = "1bdp, 250ms, 250kB or 100p") -> Buffer:
    """Reads the size of a queue; `example` is what an error tells to write.

    >>> buffer("1.5bdp").amount, buffer("250kB").amount, buffer("100p").unit, buffer("250ms").amount
    (Fraction(3, 2), Fraction(250000, 1), 'packets', Fraction(250000000, 1))
    """
    number, unit = _split(text, example)
    name = unit.lower().replace("µ", "u").replace("μ", "u")
    units = {"bdp": 1, **TIME_UNITS, **BYTE_UNITS, **PACKET_UNITS}
    value = _scaled(text, number, name, units, example, listed="bdp, ms, s, B, kB, MB, KiB, MiB, p")
    if value <= 0:
        raise QuantityError(f"'{text}' is not above zero; write for example {example}")
    if name == "bdp":
        return Buffer(_within(text, value, 10**6, "1000000bdp"), "bdp")
    if name in TIME_UNITS:
        return Buffer(_at_least_one(text, _within(text, value, MAX_TIME_NS, "1000000s"), "1ns"), "time")
    if name in PACKET_UNITS:
        whole = _at_least_one(text, _within(text, value, MAX_PACKETS, "1000000000p"), "1p")
        if whole.denominator != 1:
            raise QuantityError(f"'{text}' is not an integer number of packets; write for example {int(whole)}p")
        return Buffer(whole, "packets")
    return Buffer(_at_least_one(text, _within(text, value, MAX_BYTES, "1000GB"), "1B"), "bytes")


def probability(text: str) -> float:
    """Reads a share in per cent as a number from 0 to 1.

    >>> probability("0.1%"), probability("0")
    (0.001, 0.0)
    """
    number, unit = _split(text, "0.1%")
    value = _scaled(text, number, unit, {"%": 1}, "0.1%")
    if value < 0:
        raise QuantityError(f"'{text}' is negative; write a share such as 0.1%")
    if value > 100:
        raise QuantityError(f"'{text}' is more than 100%; write a share such as 0.1%")
    return float(value / 100)


def show_rate(bps: float) -> str:
    """Prints a rate with a fitting unit.

    >>> show_rate(100_000_000), show_rate(2_500_000_000)
    ('100 Mbps', '2.5 Gbps')
    """
    return _shown(bps, ((1e12, "Tbps"), (1e9, "Gbps"), (1e6, "Mbps"), (1e3, "kbps"), (1, "bps")))


def show_time(ns: float) -> str:
    """Prints a time with a fitting unit.

    >>> show_time(20_000_000), show_time(30_000_000_000), show_time(0)
    ('20 ms', '30 s', '0 s')
    """
    return _shown(ns, ((1e9, "s"), (1e6, "ms"), (1e3, "us"), (1, "ns"))) if ns else "0 s"


def show_bytes(count: float) -> str:
    """Prints a number of bytes with a fitting unit.

    >>> show_bytes(250_000), show_bytes(1514)
    ('250 kB', '1.51 kB')
    """
    return _shown(count, ((1e9, "GB"), (1e6, "MB"), (1e3, "kB"), (1, "B")), ".3g")


def size_text(count: int) -> str:
    """A size as a file writes it, exactly.

    >>> size_text(65536), size_text(37_600), size_text(250_000), size_text(1)
    ('64KiB', '37600B', '250kB', '1B')
    """
    units = ((2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB"), (10**9, "GB"), (10**6, "MB"), (10**3, "kB"), (1, "B"))
    size, unit = next((size, unit) for size, unit in units if count % size == 0)
    return f"{count // size}{unit}"


def _shown(value: float, units: tuple[tuple[float, str], ...], digits: str = "g") -> str:
    """In the largest unit that the value reaches, else the smallest."""
    size, unit = next((one for one in units if value >= one[0]), units[-1])
    return f"{value / size:{digits}} {unit}"


def _split(text: str, example: str) -> tuple[Fraction, str]:
    found = _NUMBER.fullmatch(text.strip())
    if not found:
        raise QuantityError(f"'{text}' is not a number with a unit; write for example {example}")
    return Fraction(found[1]), found[2]


def _scaled(
    text: str, number: Fraction, unit: str, units: Mapping[str, int], example: str, listed: str = ""
) -> Fraction:
    if unit in units:
        return number * units[unit]
    listed = listed or ", ".join(units)
    if not unit:
        if number == 0:
            return number
        raise QuantityError(f"'{text}' has no unit; write for example {example} (units: {listed})")
    raise QuantityError(f"'{text}' has the unknown unit '{unit}'; write for example {example} (units: {listed})")


def _within(text: str, value: Fraction, limit: int, shown: str) -> Fraction:
    if value > limit:
        raise QuantityError(f"'{text}' is too large; the most is {shown}")
    return value


def _at_least_one(text: str, value: Fraction, shown: str) -> Fraction:
    if value < 1:
        raise QuantityError(f"'{text}' is too small; the least is {shown}")
    return value
