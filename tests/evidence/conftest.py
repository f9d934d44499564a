"""Toy criteria on networks of 2 s."""

from pathlib import Path

import pytest

EXPERIMENT = """
duration = "2s"
network = { rate = "5mbit", rtt = "20ms", buffer = "1bdp" }
metrics = { warm_up = "500ms" }

[[flows]]
name = "subject"
algorithm = "cubic"

[sweep]
"network.buffer" = ["0.5bdp", "8bdp"]
"""

CRITERIA = """
title = "Toy criteria"
source = "This test"

[[criteria]]
section = "1.1"
title = "Queue"
keyword = "MUST"
asks = "No longer queue than the baseline."

[[criteria.tests]]
title = "p95 queueing delay"
experiment = "toy.toml"
value = "p95_queue_delay_ms"
unit = "ms"
want = "at most"
slack = 1.0
quick = { buffer = ["8bdp"] }
reason = "A test."

[[criteria]]
section = "1.2"
title = "Marks"
keyword = "SHOULD"
asks = "Answers marks."

[[criteria.tests]]
title = "goodput"
experiment = "toy.toml"
value = "goodput_mbps"
want = "at least"
needs = "ecn"
reason = "A test."

[[criteria]]
section = "2"
title = "Explanation"
keyword = "MUST"
asks = "Explain it."
stated = ["no such word"]
"""


@pytest.fixture
def criteria(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file, in the working directory."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "toy.toml").write_text(EXPERIMENT)
    (tmp_path / "criteria.toml").write_text(CRITERIA)
    return tmp_path / "criteria.toml"
