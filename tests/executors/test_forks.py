"""A process that was forked from one with results says what is wrong instead of waiting forever."""

import subprocess
import sys

SCRIPT = """
import multiprocessing, sys
import fairlane

def goodput(seed):
    return fairlane.duel("reno", rate="1mbit", duration="1s", seed=seed).flows["goodput_mbps"][0]

if __name__ == "__main__":
    if "first" in sys.argv:
        goodput(1)
    with multiprocessing.get_context("fork").Pool(2) as pool:
        print(pool.map_async(goodput, [1, 2]).get(timeout=30))
"""


def run(*arguments):
    command = [sys.executable, "-W", "ignore", "-c", SCRIPT, *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


def test_results_in_a_fork_of_a_process_with_results():
    done = run("first")
    assert done.returncode == 1
    assert 'start processes with multiprocessing.get_context("spawn"), or fork before' in done.stderr


def test_results_in_a_fork_of_a_process_without_results():
    done = run()
    assert (done.returncode, done.stderr) == (0, "")
    assert float(done.stdout.strip("[]\n").split(",")[0]) > 0.5
