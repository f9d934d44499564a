"""Quantities with units: exact, forgiving about form, strict about meaning."""

from fractions import Fraction

import pytest
from fairlane.scenario import units


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("100mbit", 100_000_000),
        ("100 Mbit", 100_000_000),
        ("100Mbps", 100_000_000),
        ("100Mbit/s", 100_000_000),
        ("0.1gbit", 100_000_000),
        ("1e2mbit", 100_000_000),
        ("9600bit", 9600),
    ],
)
def test_rates(text, value):
    assert units.rate_bps(text) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0", 0),
        ("0s", 0),
        ("1ns", 1),
        ("1.5us", 1500),
        ("1.5µs", 1500),
        ("20ms", 20_000_000),
        ("0.1s", 10**8),
        ("2min", 12 * 10**10),
    ],
)
def test_times(text, value):
    assert units.time_ns(text) == value


@pytest.mark.parametrize(
    ("text", "amount", "unit"),
    [
        ("1bdp", 1, "bdp"),
        ("0.5BDP", Fraction(1, 2), "bdp"),
        ("250kB", 250_000, "bytes"),
        ("1MiB", 2**20, "bytes"),
        ("100p", 100, "packets"),
        ("100 packets", 100, "packets"),
    ],
)
def test_buffers(text, amount, unit):
    assert units.buffer(text) == units.Buffer(Fraction(amount), unit)


def test_a_bdp_is_rate_times_rtt():
    assert units.buffer("2bdp").as_bytes(rate_bps=100_000_000, rtt_ns=20_000_000) == 500_000


@pytest.mark.parametrize(("text", "value"), [("1pps", 1), ("1.5kpps", 1500), ("2 Mpps", 2_000_000)])
def test_rates_of_packets(text, value):
    assert units.packets_per_s(text) == value


PARSERS = [units.rate_bps, units.packets_per_s, units.time_ns, units.buffer, units.probability]


@pytest.mark.parametrize("parse", PARSERS)
@pytest.mark.parametrize("text", ["", " ", "x", "1x", "--", "1..2s", "1e9999s", "inf", "0x10s", "1 2s", "٣s", "%"])
def test_nonsense_is_refused_with_an_example(parse, text):
    with pytest.raises(units.QuantityError, match=r"write|most"):
        parse(text)
