"""Writes `studies/worst-cases`: every ordered pair of the bundled algorithms, and kept witnesses on Linux kernels.

Usage: python -m tools.worst_cases pairs GENOMES TURNS   searches all pairs on changing paths, then each alone
       python -m tools.worst_cases kernels CPU_SECONDS KERNEL...
       python -m tools.published                        then writes the tables of the pages
"""

import json
import shutil
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from random import Random
from resource import RUSAGE_CHILDREN, getrusage

from fairlane.engine import algorithms
from fairlane.files import write_text
from fairlane.runs.executors.pool import thread_pool
from fairlane.runs.executors.processes import usable_cpus
from fairlane.runs.sweep.run_size import packets
from fairlane.search.breaks.evaluate import threads
from fairlane.search.breaks.pairs import Pair, Pairs
from fairlane.search.breaks.search import BATCH
from fairlane.search.breaks.witness import Witness, confirm, read, with_network

WITNESSES = Path(__file__).parents[1] / "studies" / "worst-cases"
CONFIRMED = WITNESSES / "kernels.json"
FAMILY, SEED = "path", 1
"""Of the search of all pairs."""
TURN = 7
"""Batches of a search of one pair alone; after one of each pair, what was found is tried for all pairs."""
STALLED = 2
"""Turns in which the worst score of a pair did not rise, after which others have its turn."""
ROSE = 0.001
"""A worst score that is higher by no more did not rise."""
SIDE_BY_SIDE = 3
"""Pairs that are searched at a time: while one waits for the last run of a batch, the others' keep the CPUs at work."""
CHECKED = ("path", "queue", "sharing", "pairs")
"""Folders of witnesses that kernels should confirm; of the last a sample."""
MOST_PACKETS = 75_000
"""Of all runs of a witness that goes to a kernel; larger ones take minutes each."""


def pairs(genomes: int, turns: int) -> None:
    """Searches all pairs, and keeps the simplest form of the worst failure of each."""
    began_s, used_s = time.monotonic(), time.process_time()
    with threads(usable_cpus()) as compute:
        found = Pairs(FAMILY, [one["name"] for one in algorithms()], SEED, compute)
        for number in found.batches():
            print(f"\r{number:,} of {genomes:,} networks, {time.monotonic() - began_s:.0f} s", end="", flush=True)
            if number >= genomes:
                break
        together_s = time.monotonic() - began_s
        maps, alone = _alone(
            found, turns, lambda state: print(f"\r{state}, {time.monotonic() - began_s:.0f} s ", end="", flush=True)
        )
        searched_s = time.monotonic() - began_s
        with thread_pool(SIDE_BY_SIDE) as pool:
            list(pool.map(found.witness, found.searches))
    took = {"together_s": round(together_s), "search_s": round(searched_s), "all_s": round(time.monotonic() - began_s)}
    cpu_s = round(time.process_time() - used_s)
    folder = WITNESSES / "pairs"
    shutil.rmtree(folder, ignore_errors=True)
    rows = []
    for (algorithm, reference), one in found.searches.items():
        row = {"algorithm": algorithm, "against": reference, **maps[algorithm, reference]}
        row["worst"] = round(one.worst, 4)
        for witness in one.witnesses:
            if 2 * witness.failing >= len(witness.repeats):  # others are failures of chance
                path = folder / algorithm / f"{reference}.toml"
                path.parent.mkdir(parents=True, exist_ok=True)
                write_text(path, witness.text(path.parent))
            row["witness"] = {"score": round(witness.score, 4), "keys": witness.keys, "fails": witness.failing}
        rows.append(row)
    about = {
        "date": time.strftime("%Y-%m-%d"),
        "family": FAMILY,
        "seed": SEED,
        "networks": number,
        "each": round(alone / len(found.searches)),
        **took,
    }
    lines = ",\n".join(json.dumps(row) for row in rows)
    head = json.dumps({**about, "cpu_s": cpu_s})[:-1]
    write_text(WITNESSES / "pairs.json", f'{head}, "pairs": [\n{lines}\n]}}\n')
    print(f"\n{json.dumps({**about, 'cpu_s': cpu_s})}")


def _alone(found: Pairs, turns: int, progress: Callable[[str], None]) -> tuple[dict[Pair, dict[str, int]], int]:
    """Searches pairs alone, turn after turn: those whose worst score still rises, and all again when none does.

    Returns the cells of each map, and those that fail, after the turns that all pairs had, for more turns fill more
    cells; and the number of networks.
    """
    stalled = dict.fromkeys(found.searches, 0)
    maps: dict[Pair, dict[str, int]] = {}
    networks = 0
    for turn in range(turns):
        rising = [pair for pair, times in stalled.items() if times < STALLED] or list(stalled)
        before = {pair: one.worst for pair, one in found.searches.items()}
        with thread_pool(SIDE_BY_SIDE) as pool:
            for done, _ in enumerate(pool.map(partial(_refined, found, turn, stalled), rising), start=1):
                progress(f"turn {turn + 1} of {turns}, {done} of {len(rising)} pairs alone")
        found.share()
        networks += len(rising) * TURN * BATCH
        for pair, one in found.searches.items():
            stalled[pair] = 0 if one.worst > before[pair] + ROSE else stalled[pair] + 1
        if turn < STALLED:
            maps = {p: {"cells": len(one.archive), "failing": len(one.failing)} for p, one in found.searches.items()}
    return maps, networks


def _refined(found: Pairs, turn: int, stalled: Mapping[Pair, int], pair: Pair) -> None:
    found.refine(pair, TURN, turn, wide=stalled[pair] > 0)


def kernels(budget_s: float, places: list[str]) -> None:
    """Runs kept witnesses on kernels until the CPU time is used up; those of pairs in an order drawn with seed 1."""
    every = [[*sorted((WITNESSES / name).rglob("*.toml"))] for name in CHECKED]
    every[-1] = Random(1).sample(every[-1], len(every[-1]))
    paths = [path for of_folder in every for path in of_folder if _packets(read(path)) <= MOST_PACKETS]
    found = json.loads(CONFIRMED.read_text()) if CONFIRMED.exists() else {}
    spent_s = 0.0
    for path in paths:
        name = str(path.relative_to(WITNESSES).with_suffix(""))
        with threads(1) as compute:
            one = read(path)
            one = replace(one, repeats=one.evaluator.repeats(compute))
        for place in map(with_network, places):
            if place in found.get(name, {}):
                continue
            if spent_s >= budget_s:
                return
            begun_s = _children_s()
            with threads(1, place) as compute:
                one, failure = confirm(replace(one, confirmed={}), place, compute)
            cpu_s = _children_s() - begun_s
            spent_s += cpu_s
            row = {"date": time.strftime("%Y-%m-%d"), "simulator": one.score, **one.kernels[place], "failure": failure}
            found.setdefault(name, {})[place] = {**row, "cpu_s": round(cpu_s)}
            CONFIRMED.write_text(json.dumps(dict(sorted(found.items())), indent=1) + "\n")
            print(name, place, row, f"{cpu_s:.0f} s", flush=True)


def _packets(witness: Witness) -> float:
    return sum(packets(json.loads(text)) for text in witness.evaluator.scenarios())


def _children_s() -> float:
    used = getrusage(RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["pairs", number, each]:
            pairs(int(number), int(each))
        case ["kernels", seconds, *places] if places:
            kernels(float(seconds), places)
        case _:
            raise SystemExit(__doc__)
