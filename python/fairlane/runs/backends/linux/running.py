"""Runs a program to its end, and measures its usage."""

import os
import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from typing import Any, BinaryIO

_POLL_S = 0.05


def run(
    command: Sequence[str],
    output: BinaryIO,
    is_lost: Callable[[int], bool],
    **options: Any,
) -> tuple[bool, dict[str, float]]:
    """Runs a program, with options of `Popen`; returns whether it ended by itself, and `Outcome.usage`.

    It is killed as soon as it `is_lost`, which is asked with the number of the process, or when this one is
    interrupted. Standard output and errors go to `output`.
    """
    begin_s = time.perf_counter()
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, **options)
    try:
        while not (has_ended := os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None):
            if is_lost(process.pid):
                break
            time.sleep(_POLL_S)
    finally:
        os.kill(process.pid, signal.SIGKILL)
        _, _, used = os.wait4(process.pid, 0)
        process.returncode = 0  # reaped here, for its usage
    return has_ended, {
        "cpu_s": used.ru_utime + used.ru_stime,
        "wall_s": time.perf_counter() - begin_s,
        "peak_rss_mb": used.ru_maxrss * 1024 / 1e6,
    }
