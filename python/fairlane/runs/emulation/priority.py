"""Real-time priorities: a process runs as soon as it has something to do, even on a busy machine."""

import os

NETWORK = 50
"""Of what carries packets, between 1 and 99; interrupt threads of the kernel have 50, too."""
SENDER = 40
"""Of what saturates the network in a check."""


def gain(priority: int) -> bool:
    """Gives this thread a real-time priority if this user may ask for that; returns whether. Children have none."""
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO | os.SCHED_RESET_ON_FORK, os.sched_param(priority))
    except OSError:
        return False
    return True


def has_any() -> bool:
    """Whether this thread has a real-time priority."""
    return os.sched_getscheduler(0) & ~os.SCHED_RESET_ON_FORK == os.SCHED_FIFO


def keep_awake() -> int | None:
    """Asks that no processor sleeps so deeply that waking it takes time, while this process lives; the open file.

    Only root may (Documentation/power/pm_qos_interface.rst).
    """
    try:
        latency = os.open("/dev/cpu_dma_latency", os.O_WRONLY | os.O_CLOEXEC)
        os.write(latency, bytes(4))
    except OSError:
        return None
    return latency
