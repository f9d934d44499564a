"""The guide to algorithms shows error messages: each error is made, and gives its message."""

import re
from pathlib import Path

from .conftest import PAGES


def test_the_messages_are_those_that_the_guide_shows(cli, tmp_path, monkeypatch):
    """The table of error messages, compared with a file for each error."""
    monkeypatch.chdir(tmp_path)
    assert cli("algorithm", "new", "mine").status == 0
    sound = Path("mine.c").read_text()
    page = PAGES["docs/guides/design-an-algorithm.md"]
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
        "`tp->rcv_wnd`": (
            "	if (sample->rtt_us <= 0)\n",
            "	if (tcp_sk(sk)->rcv_wnd < 2)\n		return;\n	if (sample->rtt_us <= 0)\n",
        ),
        "`__int128` division": (
            "(__u64)cwnd * share / ONE",
            "(unsigned __int128)cwnd * tcp_sk(sk)->bytes_acked * tcp_sk(sk)->bytes_sent / cwnd",
        ),
        "a function that is not offered": (
            "	if (sample->rtt_us <= 0)\n",
            "	vegas_init(sk);\n	if (sample->rtt_us <= 0)\n",
        ),
        "`tp->cwnd`": (
            "	if (sample->rtt_us <= 0)\n",
            "	tcp_sk(sk)->cwnd++;\n	if (sample->rtt_us <= 0)\n",
        ),
        "no `return`": ("	return max(tcp_sk(sk)->snd_cwnd", "	max(tcp_sk(sk)->snd_cwnd"),
    }
    assert set(rows) == set(mistakes)
    for what, (old, new) in mistakes.items():
        assert sound.count(old) == 1, what
        changed = sound.replace(old, new)
        Path("mine.c").write_text(changed)
        outcome = cli("duel", "./mine.c")
        assert (outcome.status, outcome.out) == (2, ""), what
        # Warnings of the compiler come first.
        message, *others = [line for line in outcome.err.splitlines() if ": warning: " not in line]
        assert others == []
        assert rows[what] in message, what
