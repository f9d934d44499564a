"""Guides that build something step by step: their files are written and their commands run, in order."""

import re
import shlex
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
GUIDES = ["design-an-algorithm.md", "python-algorithm.md", "report.md", "results.md"]
FILE = re.compile(r"```toml\n# (\S+\.toml)\n(.*?)```", re.DOTALL)
STEP = re.compile(
    r"```toml\n# (?P<file>\S+\.toml)\n(?P<text>.*?)```|^    (?P<command>fairlane [^\n]*)$", re.DOTALL | re.M
)


@pytest.mark.parametrize("guide", GUIDES)
def test_every_step(cli, guide, tmp_path, monkeypatch):
    page = (ROOT / "docs/guides" / guide).read_text()
    if "fairlane tune" in page:
        pytest.importorskip("optuna", reason="Optuna is not installed: pip install -r requirements/test.txt")
    monkeypatch.chdir(tmp_path)
    for vegas in re.findall(r"```python\nimport fairlane\n(.*?)\nprint\(", page, flags=re.DOTALL):
        Path("vegas.py").write_text(vegas)
    for file, text in FILE.findall(page):
        Path(file).write_text(text)
    commands = [step["command"] for step in STEP.finditer(page) if step["command"]]
    assert len(commands) >= 4
    for command in commands:
        outcome = cli(*shlex.split(command)[1:])
        assert (outcome.status, outcome.err) == (0, ""), command
        assert outcome.out, command


def test_the_messages_are_those_that_the_guide_shows(cli, tmp_path, monkeypatch):
    """The table of refusals, against a file with each mistake."""
    monkeypatch.chdir(tmp_path)
    assert cli("algorithm", "new", "mine").status == 0
    sound = Path("mine.c").read_text()
    page = (ROOT / "docs/guides/design-an-algorithm.md").read_text()
    rows = dict(re.findall(r"^\| (.+?) \| `(\./mine\.c:\d+: .+?)(?: \.\.\.)?` \|$", page, flags=re.M))
    mistakes = {
        "`cwnd * 0.7`": ("(__u64)cwnd * share / ONE", "cwnd * 0.7"),
        "`for (;;) ...`": (
            "	if (sample->rtt_us <= 0)\n",
            "	for (;;)\n		ca->rtt_us++;\n	if (sample->rtt_us <= 0)\n",
        ),
        "no `.ssthresh`": ("	.ssthresh   = (void *)mine_ssthresh,\n", ""),
        "`tp->srtt_us = 0`": (
            "	if (sample->rtt_us <= 0)\n",
            "	tcp_sk(sk)->srtt_us = 0;\n	if (sample->rtt_us <= 0)\n",
        ),
        "`__int128` division": (
            "(__u64)cwnd * share / ONE",
            "(unsigned __int128)cwnd * tcp_sk(sk)->bytes_acked * tcp_sk(sk)->bytes_sent / cwnd",
        ),
        "a function of the kernel's own": (
            "	if (sample->rtt_us <= 0)\n",
            "	cubictcp_init(sk);\n	if (sample->rtt_us <= 0)\n",
        ),
    }
    assert set(rows) == set(mistakes)
    for what, (old, new) in mistakes.items():
        assert sound.count(old) == 1, what
        changed = sound.replace(old, new)
        Path("mine.c").write_text(changed)
        outcome = cli("duel", "./mine.c")
        assert (outcome.status, outcome.out) == (2, ""), what
        assert outcome.err.count("\n") == 1
        assert rows[what] in outcome.err, what
