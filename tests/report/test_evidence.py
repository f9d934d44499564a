"""Rows of an evidence card: the compared values, their unit, and the paper's."""

import re

import pytest
from fairlane.show.report.claim_cards import rows
from fairlane.show.report.evidence_drawing import MOST_ROWS, drawn, on_shared_scales
from fairlane.study.claims import Measurement, about, all_of, at_least, negated


class Value:
    scale, heading, metric = 1000, "flow 1\nkbps", "goodput_mbps"


class Item:
    experiments, values = ["quic"], [Value()]


class Study:
    class file:
        items = (Item(),)


def measured(title, values, unit="Mbps"):
    from dataclasses import replace

    return replace(Measurement.of(title, values), title=title, unit=unit)


def printed(title, value):
    from dataclasses import replace

    return replace(Measurement.published(title, value), title=title)


FAST, SLOW = measured("goodput, lan fast", [8.9, 9.2, 9.1]), measured("goodput, lan slow", [2.0, 2.1, 1.9])


def test_both_limits_of_a_value_are_one_row():
    (row,) = rows(Study, about(FAST, 10), about(printed("goodput, lan fast", 9.9), 10))
    assert (row.low.estimate, row.high.estimate, row.paper) == (9.0, 11.0, 9.9)
    assert row.wanted == "9 to 11 Mbps"
    assert row.verdict == "undecided", "the interval includes 9"
    assert about(FAST, 10).parts == ("undecided",), "one statement"


def test_a_bound_that_was_measured_has_its_name_and_interval():
    (row,) = rows(Study, FAST < SLOW, None)
    assert row.verdict == "fails"
    assert re.fullmatch(r"below 2\.0\d* \(1\.9\d* to 2\.1\d*\) Mbps \(goodput, lan slow\)", row.wanted)
    assert row.paper is None
    (opposite,) = rows(Study, negated(FAST < SLOW), None)
    assert (opposite.verdict, opposite.low is None, opposite.high is None) == ("holds", False, True)


def test_one_repeat_has_no_spread_to_draw():
    one, other = (measured(f"goodput, lan {name}", [value]).stddev for name, value in (("fast", 9.0), ("slow", 2.0)))
    for claim in (one < other, one > 0.5, negated(one < other)):
        (row,) = on_shared_scales(rows(Study, claim, None))
        assert row.ours == "not measured"
        svg = drawn(row)
        assert "nan" not in svg
        assert 'class="dot"' not in svg
    assert (one > 0.5).verdict == "undecided"
    assert one.summary() == "standard deviation of goodput, lan fast not measured (1 repeat)"
    (row,) = rows(Study, one < other, None)
    assert row.wanted == "below a value that was not measured (standard deviation of goodput, lan slow)"


def test_deciding_values_come_first_and_all_are_counted():
    claim = all_of([FAST > 1, SLOW > 5, all_of([FAST > 2, FAST > 3])])
    assert [row.verdict for row in rows(Study, claim, None)] == ["fails", "holds", "holds", "holds"]
    assert claim.parts == ("holds", "fails", "holds")
    assert at_least(2, [FAST > 1, SLOW > 5]).parts == ("holds", "fails")


def test_values_are_in_the_papers_unit():
    quic = measured("goodput, quic reno 1", [0.5, 0.6, 0.55])
    (row,) = rows(Study, quic > 0.1, printed("goodput, quic reno 1", 0.4) > 0.1)
    assert (row.unit, row.paper) == ("kbps", pytest.approx(400))
    assert row.value.estimate == pytest.approx(550)
    assert row.wanted == "above 100 kbps"


def test_rows_of_one_metric_share_a_scale():
    delay = measured("mean RTT, lan slow", [30.0, 31.0, 32.0], "ms")
    first, second, third = on_shared_scales(rows(Study, all_of([FAST > 1, SLOW > 1, delay < 100]), None))
    assert first.scale == second.scale != third.scale
    assert first.scale[1] > 9.2
    dots = [float(re.search(r'class="dot" cx="([\d.]+)"', drawn(one))[1]) for one in (first, second)]
    assert dots[0] / dots[1] > 2
    many = [measured(f"goodput, lan {place}", [1.0, 1.1, 1.2]) > 2 for place in range(9)]
    assert len(on_shared_scales(rows(Study, all_of(many), None))) == MOST_ROWS
