"""A fault in a Python class ends the run; the message names callback, flow and line."""

import pytest

from .conftest import SOUND

GROW = "sock.snd_cwnd += 1"

FAULTS = {
    "a division by zero": ("sock.snd_cwnd //= sock.snd_cwnd_cnt", "raised ZeroDivisionError", True),
    "no such member": ("sock.snd_cwdn = 1", "raised AttributeError: a connection has no member 'snd_cwdn'", True),
    "a member that the simulator does not keep": (
        "getattr(sock, 'rcv_wnd')",
        "raised AttributeError: the simulator does not keep 'rcv_wnd'",
        True,
    ),
    "a member of TCP's own": ("sock.srtt_us = 1", "'srtt_us'", True),
    "floating point": ("sock.snd_cwnd *= 1.5", "raised TypeError", True),
    "a negative window": ("sock.snd_cwnd = -1", "raised OverflowError", True),
    "a window of zero": ("sock.snd_cwnd = 0", "set cwnd to 0 in callback cong_avoid", False),
    "a window beyond the largest": (
        "sock.snd_cwnd = 2**32 - 5",
        "set cwnd to 4294967291, which is -5 as a signed number, in callback cong_avoid",
        False,
    ),
    "an endless loop": (
        "while True:\n            pass",
        "did not return (infinite loop) in callback cong_avoid",
        False,
    ),
}


@pytest.mark.parametrize(("body", "message", "has_line"), FAULTS.values(), ids=FAULTS)
def test_a_fault_is_named(cli, write, body, message, has_line):
    text = SOUND.replace(GROW, body)
    line = text[: text.index(body)].count("\n") + 1
    outcome = cli("duel", "reno", write(text), "--rate", "10mbit", "--time", "2s")
    assert outcome.status == 1
    assert message in outcome.err
    assert " in callback cong_avoid (flow 1, at " in outcome.err
    assert (f" at mine.py:{line} " in outcome.err) == has_line
    assert outcome.err.count("\n") == 1


def test_an_answer_that_is_no_number_is_named(cli, write):
    text = SOUND.replace("return max(sock.snd_cwnd // 2, 2)", "return None")
    outcome = cli("duel", write(text), "--rate", "10mbit", "--buffer", "10p", "--time", "5s")
    assert outcome.status == 1
    assert "returned None, not an integer from 0 to 2^32 - 1, in callback ssthresh (flow 0" in outcome.err


def test_an_answer_that_is_no_window_is_named(cli, write):
    text = SOUND.replace("return max(sock.snd_cwnd // 2, 2)", "return (sock.snd_cwnd - 10**6) % 2**32")
    outcome = cli("duel", write(text), "--rate", "10mbit", "--buffer", "10p", "--time", "5s")
    assert outcome.status == 1
    assert "returned 429396" in outcome.err
    assert " as a signed number, in callback ssthresh (flow 0" in outcome.err


def test_a_constructor_that_fails_is_named(cli, write):
    outcome = cli("duel", write(SOUND + "\n    def __init__(self):\n        self.x = {}['rtt']\n"), "--time", "1s")
    assert outcome.status == 1
    assert "raised KeyError: 'rtt' at mine.py:13 in callback __init__ (flow 0" in outcome.err
