"""The behaviour scripts match Linux: each is played against the running kernel, in real time.

That takes minutes of waiting and a machine that is not too busy, so it is done on demand:
`FAIRLANE_LIVE_SCRIPTS=1 pytest tests/kernel/test_behaviour.py`, as root.
"""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

PLAYER = Path(__file__).with_name("live_script.py")
SCRIPTS = Path(__file__).parents[1] / "behaviour"
AT_ONCE = 4
ATTEMPTS = 3
"""A busy machine disturbs a script now and then."""


@pytest.mark.skipif(not os.environ.get("FAIRLANE_LIVE_SCRIPTS"), reason="on demand: FAIRLANE_LIVE_SCRIPTS=1")
def test_the_running_kernel_passes_every_script(namespaces: None) -> None:
    scripts = sorted(SCRIPTS.rglob("*.pkt"))
    assert scripts
    with ThreadPoolExecutor(AT_ONCE) as pool:
        complaints = [complaint for complaint in pool.map(complaint_about, scripts) if complaint]
    assert not complaints, "\n".join(complaints)


def test_the_player_finds_a_difference(tmp_path: Path, namespaces: None) -> None:
    if not os.access("/dev/net/tun", os.R_OK | os.W_OK):
        pytest.skip("no tun device here")
    text = (SCRIPTS / "nagle" / "small-writes-wait.pkt").read_text()
    wrong = tmp_path / "wrong.pkt"
    wrong.write_text(text.replace("> P. 101:601(500)", "> P. 101:301(200)"))
    done = play(wrong)
    assert done.returncode == 1, done.stderr
    assert "length: script 200, kernel 500" in done.stdout


def complaint_about(script: Path) -> str:
    """Differences that the kernel shows in every attempt; empty if one attempt matched the script."""
    for _ in range(ATTEMPTS):
        done = play(script)
        if done.returncode == 0:
            return ""
    return done.stdout or done.stderr


def play(script: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, PLAYER, script], capture_output=True, text=True, timeout=60)
