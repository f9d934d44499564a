"""Python classes in files of their own, and the Vegas of the guide."""

import re
import textwrap
from pathlib import Path

import fairlane
import pytest

GUIDE = Path(__file__).parents[2] / "docs/guides/python-algorithm.md"

SOUND = """
class Mine:
    def ssthresh(self, sock):
        return max(sock.snd_cwnd // 2, 2)

    def undo_cwnd(self, sock):
        return sock.snd_cwnd

    def cong_avoid(self, sock, ack, acked):
        sock.snd_cwnd += 1
"""


@pytest.fixture
def write(tmp_path, monkeypatch):
    """Writes a Python file into a folder of its own, which becomes the current one; returns its name."""
    monkeypatch.chdir(tmp_path)
    fairlane.trust(tmp_path)

    def written(text, name="mine.py"):
        (tmp_path / name).write_text(textwrap.dedent(text))
        return name

    return written


@pytest.fixture
def vegas(write):
    """The class that the guide shows, as a file."""
    [snippet] = re.findall(r"```python\n([^`]*class Vegas.*?)```", GUIDE.read_text(), flags=re.DOTALL)
    return write(snippet, "vegas.py")
