"""Invalid Python classes are rejected before the first run, in one line with file, line and remedy."""

import pytest

from .conftest import SOUND

BAD = {
    "a syntax error": ("class Mine\n", "mine.py:1: expected ':'"),
    "an import that fails": ("import nothing_of_the_kind\n", "mine.py:1: cannot be imported: ModuleNotFoundError"),
    "no class": ("x = 1\n", "ssthresh"),
    "a callback that lacks": (
        SOUND.replace("undo_cwnd", "undo"),
        "mine.py:2: class Mine lacks undo_cwnd; write it as a method: def undo_cwnd(self, sock)",
    ),
    "no growth": (SOUND.replace("cong_avoid", "grow"), "cong_avoid or cong_control"),
    "other arguments": (
        SOUND.replace("sock, ack, acked", "sock, acked"),
        "def cong_avoid(self, sock, ack, acked)",
    ),
    "an object that needs arguments": (
        SOUND + "\n    def __init__(self, gain):\n        pass\n",
        "arguments",
    ),
    "a member that the simulator does not keep": (
        SOUND + "\n    def init(self, sock):\n        self.window = sock.rcv_wnd\n",
        "rcv_wnd",
    ),
    "two classes": (SOUND + SOUND.replace("Mine", "Other"), "mine.py:Mine (Mine, Other)"),
}


@pytest.mark.parametrize(("text", "message"), BAD.values(), ids=BAD)
def test_a_class_that_cannot_be_used(cli, write, text, message):
    outcome = cli("duel", write(text), "--time", "1s")
    assert (outcome.status, outcome.out) == (2, "")
    assert message in outcome.err
    assert outcome.err.count("\n") == 1


def test_words_that_mean_nothing(cli, write):
    write(SOUND)
    for word, message in (
        ("other.py", "no file 'other.py'"),
        ("mine.py:Mein", "unknown class 'Mein'; did you mean Mine?"),
        ("mine.py:alpha=1", "unknown parameter of mine.py 'alpha'"),
        ("mine.py:Mine:alpha", "unknown class 'Mine:alpha'"),
        ("python:Mine", "there is no class Mine in this process"),
    ):
        outcome = cli("duel", word, "--time", "1s")
        assert outcome.status == 2, word
        assert message in outcome.err
        assert outcome.err.count("\n") == 1


def test_the_kernel_takes_no_python(cli, write):
    outcome = cli("algorithm", "load", write(SOUND))
    assert outcome.status == 1
    assert "Python class" in outcome.err or "root" in outcome.err
