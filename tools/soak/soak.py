"""Soaks random networks: `make soak TIME=30m`, or `python -m tools.soak --help`.

Every network is run, its result judged by laws (tools/soak/laws.py), and run again in another process. A violation is
printed with the network's number, the command that repeats it, and a smaller network that still breaks the law.
Exit status 1 after any violation.
"""

import argparse
import json
import os
import secrets
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from itertools import count, islice, takewhile
from multiprocessing import get_context

from tools.soak import verdicts
from tools.soak.laws import LAWS
from tools.soak.networks import network
from tools.soak.shrink import shrink

BATCH = 64
"""Networks that one process runs before another repeats them."""


def batch(first: int, many: int) -> tuple[list[verdicts.Verdict], int]:
    """The verdicts about networks in a row, and how many of them ran twice."""
    judged = [verdicts.judge(number) for number in range(first, first + many)]
    return judged, verdicts.judge_again(judged)


def show(verdict: verdicts.Verdict) -> None:
    """Prints the violations of a network, and a smaller network for the first of them."""
    for law, said in verdict.violations[:5]:
        print(f"network {verdict.number}: {law}: {said}")
    print(f"    python -m tools.soak --only {verdict.number}")
    law = verdict.violations[0][0]
    if law not in (verdicts.SAME_AGAIN, verdicts.SAME_IN_A_SWEEP):
        smaller = shrink(network(verdict.number), lambda experiment: breaks(experiment, law))
        print(f"    {json.dumps(smaller)}", flush=True)


def breaks(experiment: dict, law: str) -> bool:
    """Whether an experiment still breaks this law."""
    try:
        scenario = verdicts.scenario_of(experiment)
    except Exception:  # a part is missing that the rest needs
        return False
    return scenario is not None and law in dict(verdicts.violations(scenario)[0])


def soak(first: int, most: int | None, until_s: float | None) -> int:
    """Judges networks until `most` are done or the clock says so; returns the exit status."""
    counts: Counter[str] = Counter()
    broken: Counter[str] = Counter()
    sizes = islice(count(), None if most is None else -(-most // BATCH))
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:  # a fork would inherit locks of threads
        waiting = []
        for index in takewhile(lambda _: until_s is None or time.monotonic() < until_s, sizes):
            many = BATCH if most is None else min(BATCH, most - index * BATCH)
            waiting.append(pool.submit(batch, first + index * BATCH, many))
            if len(waiting) > (os.cpu_count() or 1):
                tally(waiting.pop(0).result(), counts, broken)
        for one in waiting:
            tally(one.result(), counts, broken)
    print(", ".join(f"{name}: {number}" for name, number in counts.items()))
    for law in [*(law.__name__ for law in LAWS), verdicts.NO_ERROR, verdicts.SAME_AGAIN, verdicts.SAME_IN_A_SWEEP]:
        print(f"{law}: {broken[law]} networks break it")
    return int(bool(broken))


def tally(done: tuple[list[verdicts.Verdict], int], counts: Counter[str], broken: Counter[str]) -> None:
    """Counts a batch, and prints what it found."""
    judged, repeated = done
    counts["networks"] += len(judged)
    counts["refused"] += sum(verdict.is_refused for verdict in judged)
    counts["repeated"] += repeated
    for verdict in judged:
        if verdict.violations:
            show(verdict)
            broken.update({law for law, _ in verdict.violations})


def main() -> int:
    """Reads the arguments; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tools.soak", description="Judges random networks by laws.")
    parser.add_argument("--time", type=seconds, help="how long, such as 30m: the clock of this machine decides")
    parser.add_argument("--count", type=int, help="how many networks")
    parser.add_argument("--from", type=int, dest="first", help="number of the first network; absent, at random")
    parser.add_argument("--only", type=int, help="the one network of this number")
    given = parser.parse_args()
    if given.only is not None:
        print(f"    {json.dumps(network(given.only))}")
        return soak(given.only, 1, None)
    first = secrets.randbelow(10**9) if given.first is None else given.first
    print(f"from network {first}", flush=True)
    return soak(first, given.count, given.time and time.monotonic() + given.time)


def seconds(text: str) -> float:
    """A time such as 90s, 30m or 8h."""
    return float(text[:-1]) * {"s": 1, "m": 60, "h": 3600}[text[-1:]]
