"""`fairlane break`: known failures that it finds, its overhead, and a plain search to compare with.

Usage: python benchmarks/worst_cases.py known [--write] [WORD...]
       python benchmarks/worst_cases.py overhead [NETWORKS] [--write]
       python benchmarks/worst_cases.py genetic [PAIRS] [--write]

`known` is blind: a search gets an algorithm, a family and an objective, in one process, and ends at the first network
with the score and the sign of the failure, or after 300 CPU s. The search never sees the sign.
"""

import json
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from operator import itemgetter
from pathlib import Path
from random import Random
from typing import Any

import table
from fairlane.runs.executors.processes import usable_cpus
from fairlane.search.breaks import families, objectives
from fairlane.search.breaks import genome as genomes
from fairlane.search.breaks.atlas import atlas
from fairlane.search.breaks.evaluate import Compute, Evaluation, Evaluator, threads
from fairlane.search.breaks.objectives import Measured
from fairlane.search.breaks.search import search
from fairlane.search.breaks.worst_cases import Question, opened, run

LIMIT_S = 300.0
"""Of CPU time for a failure."""

Genome = Mapping[str, Any]


Sign = Callable[[Genome, Measured], bool]


@dataclass(frozen=True)
class Failure:
    """A known failure, and how to recognise it in a network that a search found."""

    title: str
    source: str
    algorithms: tuple[str, ...]
    family: str
    objective: str
    least: float
    """The score from which on it is this failure, if the network has the sign."""
    sign: Sign
    """Of the genome and the algorithm's run."""
    without: tuple[str, ...] = ()
    """Genes that are not to blame: at the family's values, or absent, the network still has to have the score."""
    lasting: str = ""
    """A longer duration in which the network still has to have the score."""


def _longest(genome: Genome) -> float:
    """The longest time in ms by which packets or ACKs wait."""
    entries = [entry["delay"] or 0.0 for entry in genome["network.reverse.changes"]]
    keys = ("network.slot", "network.reverse.slot", "network.jitter")
    return max([*entries, *(genome[key] or 0.0 for key in keys)])


def _frozen(run: Measured) -> bool:
    """Whether the windows of all flows stay the same for the last two thirds of the run."""
    windows = [list(flow.series("cwnd_packets")) for flow in run.flows]
    return all(len({*window[len(window) // 3 :]}) == 1 for window in windows)


KNOWN = (
    Failure(
        "shrew bursts",
        "Kuzmanovic, Knightly 2003",
        ("reno", "cubic"),
        "cross",
        "unused",
        0.5,
        lambda genome, run: run.value("timeouts") >= 2,
    ),
    Failure(
        "BBRv1 stalls after spurious retransmissions",
        "CC-Fuzz (HotNets 2022)",
        ("bbr",),
        "reordering",
        "goodput",
        0.8,
        lambda genome, run: run.value("spurious_losses") >= 1 and run.value("lost_packets") == 0,
        ("network.duplicate",),
    ),
    Failure(
        "below 10 % by ACK aggregation",
        "CCAC (SIGCOMM 2021)",
        ("bbr", "copa"),
        "jitter",
        "unused",
        0.9,
        lambda genome, run: bool(genome["network.reverse.slot"] or genome["network.reverse.changes"]),
        ("network.slot", "network.jitter"),
    ),
    Failure(
        "AIMD, buffer of 2 BDP, jitter of an RTT",
        "CCAC (SIGCOMM 2021)",
        ("reno",),
        "jitter",
        "unused",
        0.2,
        lambda genome, run: genome["network.buffer"] >= 2 and _longest(genome) <= genome["network.rtt"],
    ),
    Failure(
        "starvation by jitter",
        "Arun et al. 2022",
        ("copa", "bbr"),
        "starvation",
        "starvation",
        0.8,
        lambda genome, run: True,
        ("network.links.return.changes",),
    ),
    Failure(
        "loss by BBRv1 flows below 1.5 BDP",
        "Hock et al. 2017",
        ("bbr",),
        "queue",
        "retransmissions",
        0.1,
        lambda genome, run: genome["network.buffer"] < 1.5 and genome["flows.0.count"] >= 2,
        ("network.queue",),
    ),
    Failure(
        "RTT filter expires in ProbeRTT",
        "draft-ietf-ccwg-bbr, issue 109",
        ("bbr3:probe_rtt_interval_ms=10000",),
        "sharing",
        "1 - least(state.min_rtt_us) / last(state.min_rtt_us)",
        0.3,
        lambda genome, run: run.value("least(state.min_rtt_us)") > 0 and run.value("share(state.mode, 6)") > 0,
    ),
    Failure(
        "window frozen at RTTs of microseconds",
        "picoquic, issue 2118",
        ("bbr3", "prague"),
        "datacentre",
        "unused",
        0.5,
        lambda genome, run: _frozen(run),
    ),
    Failure(
        "DCTCP in phase lock",
        "docs/concepts/simulator.md",
        ("dctcp",),
        "datacentre",
        "1 - jain_index",
        0.2,
        lambda genome, run: run.value("retransmits") == 0 and run.value("marked_packets") > 0,
        (),
        "500ms",
    ),
    Failure(
        "BBR before Linux 5.1 on Wi-Fi with host latency",
        "Grazia et al. 2020",
        ("bbr:extra_acked_gain=0",),
        "wifi-sharing",
        "goodput",
        0.5,
        lambda genome, run: (genome["network.stations.laptop.latency"] or 0) >= 1,
    ),
    Failure(
        "Hybla's losses at the start",
        "docs/concepts/fidelity.md",
        ("hybla",),
        "queue",
        "retransmissions",
        0.1,
        lambda genome, run: run.value("timeouts") <= 1 and genome["network.rtt"] >= 50,
        ("network.queue",),
    ),
)


def known(words: list[str]) -> None:
    """A row for each known failure and algorithm; `words` choose among the titles."""
    rows = []
    for one in KNOWN:
        if words and not any(word.lower() in one.title.lower() for word in words):
            continue
        left_s, found = LIMIT_S, []
        for algorithm in one.algorithms:
            hit, networks, worst, spent_s = _sought(one, algorithm, left_s)
            left_s -= spent_s
            score = f"{hit.score:.2f}" if hit else f"no ({worst:.2f})"
            found.append([one.title, algorithm, one.family, one.objective, score, f"{networks:,}", f"{spent_s:.0f}"])
            print(*found[-1], hit.genome if hit else "", sep="; ", file=sys.stderr, flush=True)
        rows += found
    columns = ["failure", "algorithm", "family", "objective", "score", "networks", "CPU s"]
    table.show("known", columns, rows)


def _sought(one: Failure, algorithm: str, limit_s: float) -> tuple[Evaluation | None, int, float, float]:
    """The first network with the failure, the number of networks, the highest score, and CPU seconds."""
    began_s, networks, worst = time.process_time(), 0, 0.0
    with threads(1) as compute:
        evaluator = Evaluator(
            families.find(one.family, algorithm), objectives.objective(one.objective), "cubic", compute
        )
        for found, _ in search(evaluator.family, 1, evaluator.evaluate):
            hit = None
            for each in found:
                networks += 1
                worst = max(worst, each.score or 0.0)
                if each.score is not None and each.score >= one.least and _is(one, each, evaluator):
                    hit = each
                    break
            spent_s = time.process_time() - began_s
            if hit or spent_s >= limit_s:
                return hit, networks, worst, spent_s
    raise AssertionError("a search has no end")


def _is(one: Failure, found: Evaluation, evaluator: Evaluator) -> bool:
    """Whether a network with the score has the sign, and still the score without genes that are not to blame."""
    family = evaluator.family
    plain = {gene.key: genomes.genome_value(family, gene) for gene in family.file.genes}
    for schedule in family.file.schedules:
        plain |= {schedule.key: [], f"{schedule.key} {genomes.REPEATED}": False}
    genome = {**found.genome, **{key: value for key, value in plain.items() if key.startswith(one.without or ("-",))}}
    if one.without or one.lasting:
        more = {"duration": one.lasting} if one.lasting else {}
        scenarios, targets = evaluator.scenarios(evaluator.point(genome, **more))
        outcomes = sorted(evaluator.compute(scenarios), key=itemgetter(0))
        score = evaluator.score([outcome for _, outcome in outcomes], targets)[0]
        if score is None or score < one.least:
            return False
    scenarios, targets = evaluator.scenarios(evaluator.point(genome))
    watching = {"watch": ["state.min_rtt_us", "state.mode"]} if "state." in one.objective else {}
    [(_, outcome)] = evaluator.compute([json.dumps({**json.loads(scenarios[0]), **watching})])
    return outcome.pieces is not None and one.sign(genome, Measured(b"".join(outcome.pieces), targets))


def overhead(evaluations: int) -> None:
    """CPU time of a whole search, start-up of Python and imports included, that its runs do not need."""
    runs_s = 0.0

    def timed(compute: Compute) -> Compute:
        def once(scenarios: Any) -> Any:
            nonlocal runs_s
            begun_s = time.process_time()
            found = list(compute(scenarios))
            runs_s += time.process_time() - begun_s
            return found

        return once

    with tempfile.TemporaryDirectory() as folder, threads(1) as compute:
        question = Question("bbr", "cubic", ["path"], evaluations=evaluations)
        searches = opened(question)
        run(question, searches, timed(compute), Path(folder))
        searched_s = time.process_time()
        atlas(question, searches, Path(folder), "")
    whole_s = time.process_time()
    table.show(
        "overhead",
        ["networks", "CPU s", "of it runs, s", "page with pictures, s", "beyond the runs, %"],
        [
            [
                f"{evaluations:,}",
                f"{whole_s:.1f}",
                f"{runs_s:.1f}",
                f"{whole_s - searched_s:.1f}",
                f"{100 * (1 - runs_s / whole_s):.1f}",
            ]
        ],
    )


FOUND = Path(__file__).parents[1] / "studies" / "worst-cases"
PLAIN_S, POPULATION, PARENTS = 12.0, 40, 10
"""CPU time of a plain genetic search for one pair, networks of a generation, and the best that have children."""


def genetic(count: int) -> None:
    """The worst score of some pairs in the search of all pairs, beside that of a plain genetic search of each.

    Plain searches are kept in `plain.json`, and not done again.
    """
    found, kept = (json.loads((FOUND / name).read_text()) for name in ("pairs.json", "plain.json"))
    ours = {f"{one['algorithm']} against {one['against']}": one for one in found["pairs"]}
    chosen = Random(1).sample(list(ours), min(count, len(ours)))
    missing = [name for name in chosen if name not in kept]
    with get_context("spawn").Pool(usable_cpus()) as pool:
        for name, plain in zip(
            missing, pool.imap(partial(_plain, found["family"]), map(ours.get, missing)), strict=True
        ):
            kept[name] = round(plain, 3)
            print(f"{name}: {ours[name]['worst']:.3f}, plain {plain:.3f}", flush=True)
            (FOUND / "plain.json").write_text(json.dumps(dict(sorted(kept.items())), indent=1) + "\n")
    leads = {name: round(ours[name]["worst"], 3) - kept[name] for name in chosen}
    behind = sorted((-lead, name) for name, lead in leads.items() if lead < 0)
    table.show(
        "genetic",
        ["pairs", "at least the plain search's score", "more than 0.01 less", "largest shortfall", "mean lead"],
        [
            [
                len(leads),
                len(leads) - len(behind),
                sum(less > 0.01 for less, _ in behind),
                f"{behind[-1][0]:.3f}, {behind[-1][1]}" if behind else "-",
                f"{sum(leads.values()) / len(leads):.3f}",
            ]
        ],
    )


def _plain(family_name: str, pair: Mapping[str, Any]) -> float:
    """The worst score that a genetic search without a map finds for one pair."""
    family = families.find(family_name, pair["algorithm"])
    random, best = Random(f"{pair['algorithm']} {pair['against']}"), list[Evaluation]()
    begun_s = time.process_time()
    with threads(1) as compute:
        evaluator = Evaluator(family, objectives.objective(family.file.objective), pair["against"], compute)
        while time.process_time() - begun_s < PLAIN_S:
            children = [
                genomes.mutate(family, genomes.cross(*(one.genome for one in random.sample(best, 2)), random), random)
                if best
                else genomes.draw(family, random)
                for _ in range(POPULATION)
            ]
            found = [*best, *(one for one in evaluator.evaluate(children) if one.score is not None)]
            best = sorted(found, key=lambda one: -(one.score or 0.0))[:PARENTS]
    return best[0].score or 0.0


if __name__ == "__main__":
    match table.arguments():
        case ["known", *words]:
            known(words)
        case ["overhead", *number]:
            overhead(int(number[0]) if number else 1280)
        case ["genetic", *number]:
            genetic(int(number[0]) if number else 380)
        case _:
            raise SystemExit(__doc__)
