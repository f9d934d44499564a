"""Ends callbacks that do not return.

The caller of a callback registers it in `running`, under the number of its thread. A separate thread checks twice a
second: a callback that has used more than a second of CPU time, and is still the same, gets an exception.
"""

import ctypes
import threading
import time

PATIENCE_S = 1.0
"""CPU time that one callback may take: about a million times what a usual one does."""

_INTERVAL_S = 0.4

running: dict[int, int] = {}
"""The number of the callback that each thread is in; 0 while it is in none."""

_lock = threading.Lock()
_thread: threading.Thread | None = None


class EndlessLoop(BaseException):
    """Raised within a callback that does not return. No Exception, so that the callback does not catch it."""


def start() -> None:
    """Starts the watchdog if it is not running."""
    global _thread
    with _lock:
        if _thread is None or not _thread.is_alive():
            _thread = threading.Thread(target=_watch, name="fairlane watchdog", daemon=True)
            _thread.start()


def _watch() -> None:
    seen: dict[int, tuple[int, float]] = {}
    while True:
        time.sleep(_INTERVAL_S)
        for thread, number in list(running.items()):
            if not number:
                continue
            try:
                used_s = time.clock_gettime(time.pthread_getcpuclockid(thread))
            except OSError:  # the thread is gone
                running.pop(thread, None)
                continue
            before, since_s = seen.setdefault(thread, (number, used_s))
            if before != number:
                seen[thread] = (number, used_s)
            elif used_s - since_s > PATIENCE_S:
                del seen[thread]
                ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(EndlessLoop))
