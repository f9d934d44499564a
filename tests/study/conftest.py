"""A study of two pairs of algorithms on a slow link, which takes a second."""

from pathlib import Path

import fairlane
import pytest

STUDY = """
title = "A study"
paper = "Somebody: Something, 2020"
quick = "half the time"

[experiments.small]
labels = { aqm = "fifo" }
quick = "quick.toml"
assumptions = { rtt = "Because." }
differences = { rate = "It differs." }

[experiments.other]
optional = true

[[items]]
name = "table-1"
source = "Table 1"
title = "means"
experiments = ["small"]
by = ["aqm", "algorithm_a"]
published = "table-1.csv"
values = [
    { metric = "total_goodput_mbps", of = "a", published = "goodput_a", heading = "a" },
    { metric = "total_goodput_mbps", divided_by = "buffer_bdp", scale = 2, published = "per_bdp", heading = "per BDP" },
    { metric = "total_retransmits", relative_to = { algorithm_a = "cubic" }, heading = "RR", compare = "difference" },
]

[[items]]
name = "table-2"
source = "Table 2"
title = "senders"
experiments = ["small"]
per = "group"
by = ["algorithm_a", "name"]
where = [{ buffer_bdp = [2] }]
published = "table-2.csv"
values = [
    { metric = "total_goodput_mbps", published = "goodput", heading = "goodput" },
    { metric = "jain_index_of_groups", of = "run", heading = "J" },
]

[[items]]
name = "figure-1"
source = "Figure 1"
title = "goodput over buffers"
experiments = ["small", "other"]
by = ["algorithm_a", "buffer_bdp"]
where = [{ algorithm_a = ["reno"] }]
across = "buffer_bdp"
panels = ["algorithm_a"]
values = [{ metric = "total_goodput_mbps", heading = "goodput" }]
"""

PUBLISHED = """aqm,algorithm_a,goodput_a,per_bdp,note
fifo,cubic,5.0,,
fifo,reno,4.0,7.5,a note
red,reno,1.0,1.0,
"""

SENDERS = """algorithm_a,name,goodput
cubic,a,6.0
cubic,b,3.0
reno,a,5.0
reno,b,4.0
"""


@pytest.fixture
def study(two_flows, tmp_path) -> Path:
    """The folder of the study."""
    folder = tmp_path / "studies" / "small2020"
    folder.mkdir(parents=True)
    fairlane.trust(folder)
    two_and_one = two_flows.replace('name = "a"', 'name = "a"\ncount = 2')
    (folder / "small.toml").write_text(f"repeats = 2\n{two_and_one}")
    (folder / "other.toml").write_text('inherits = "small.toml"\n[network]\nrate = "5mbit"\n')
    (folder / "quick.toml").write_text('inherits = "small.toml"\nduration = "2s"\nrepeats = 1\n')
    (folder / "study.toml").write_text(STUDY)
    (folder / "table-1.csv").write_text(PUBLISHED)
    (folder / "table-2.csv").write_text(SENDERS)
    return folder
