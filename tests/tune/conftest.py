"""A small tuning file."""

import pytest

FILE = """
algorithm = "cubic"
trials = 4
seed = 3

[parameters]
beta = { low = 500, high = 1000 }
fast_convergence = { low = 0, high = 1 }

[[objectives]]
metric = "goodput_mbps"
goal = "highest"

[[objectives]]
metric = "mean_queue_delay_ms"
goal = "lowest"

[experiment]
duration = "2s"
network = { rate = "10mbit", rtt = "20ms", buffer = "1bdp" }
flows = [{ algorithm = "cubic" }, { algorithm = "reno" }]
"""


@pytest.fixture
def write(tmp_path, monkeypatch):
    """Writes the tuning file with some text replaced, into the current folder."""
    monkeypatch.chdir(tmp_path)

    def written(*changes):
        text = FILE
        for old, new in changes:
            assert old in text
            text = text.replace(old, new)
        (tmp_path / "search.toml").write_text(text)
        return "search.toml"

    return written
