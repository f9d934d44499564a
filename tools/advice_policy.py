"""Evaluates `fairlane advise` as a policy: a host that chooses its congestion control by the network.

    fairlane reproduce lin2019 --results results/lin2019
    fairlane reproduce lin2019 --only beyond-links --results results/lin2019
    python -m tools.advice_policy results/lin2019 [--quick] [--page docs/guides/choose-by-network.md]

Lin et al. 2019 (8) call for a mechanism that sets the algorithm by the properties of the network. This policy knows
what a host can measure or look up (rate, RTT, loss, the buffer if it is known), asks `advise`, and takes the
recommended algorithm; the queue is not the host's to choose. Its choice is scored by the runs of the study, whose
networks have policers, bursts of losses and Wi-Fi errors of which the policy does not know. The regret of a choice is
the share of the best algorithm's score that it loses.
"""

import argparse
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean
from typing import Any

import fairlane
from fairlane.search.advise.answer import MATTERS, Candidate, decisive

OBJECTIVES = ("throughput", "balance")
"""Goodput, and goodput over the 95th percentile of the RTT."""
DEFAULT = "cubic"
"""Linux's default: the policy leaves it only for an algorithm that promises at least `MATTERS` more."""
BBR = "bbr:extra_acked_gain=0,pacing_margin=0"
"""As in Linux 4.9."""
WIRELESS = ("cubic", "reno", "westwood", "veno", BBR)
WIRED = (*WIRELESS, "bic", "scalable", "highspeed", "yeah", "hybla", "htcp", "vegas", "illinois")
"""The study's algorithms over Wi-Fi and by wire."""
QUEUES = ("fifo", "codel", "fq_codel")
"""The queue is not the host's to choose; fewer candidates leave more time for each."""
BEGIN, END = "<!-- advice_policy -->", "<!-- end of advice_policy -->"


@dataclass(frozen=True)
class Network:
    """A network of the study, and what the policy knows of it."""

    name: str
    experiment: str
    known: Mapping[str, Any]
    where: Mapping[str, Any] = field(default_factory=dict)
    algorithms: Sequence[str] = WIRED
    is_exact: bool = False
    """Whether the network is simulated exactly as it is described to the policy, so that it is no test."""


LINE = {"rate": "100mbit", "rtt": "15ms"}
NETWORKS = (
    Network("LAN", "performance-lan", {"rate": "100mbit", "rtt": "1ms", "buffer": "1000p"}),
    Network("WAN-1", "performance-wan-1", {"rate": "1mbit", "rtt": "30ms"}),
    Network("WAN-2", "performance-wan-2", {"rate": "100mbit", "rtt": "250ms", "loss": "0.01%"}),
    Network("Wi-Fi 2.4 GHz", "performance-wifi-2g4", {"link": "wifi-n"}, algorithms=WIRELESS),
    Network("Wi-Fi 5 GHz", "performance-wifi-5g", {"link": "wifi-ac"}, algorithms=WIRELESS),
    *(
        Network(f"line, queue of {size}", "queue-size", {**LINE, "buffer": f"{size}p"}, {"queue": f"{size}p"})
        for size in (10, 60, 200, 1000)
    ),
    *(
        Network(name, "beyond-links", {"link": link}, {"link": name}, is_exact=True)
        for name, link in (
            ("lte", "lte-constant"),
            ("5g", "5g-constant"),
            ("starlink", "starlink-constant"),
            ("geo", "geo"),
        )
    ),
)
"""One flow in each: a host that is alone on its path."""


@dataclass(frozen=True)
class Outcome:
    """The scores of all algorithms in one network, and the policy's choice."""

    network: str
    scores: Mapping[str, float]
    choice: str
    is_exact: bool = False

    @property
    def best(self) -> str:
        """The algorithm with the highest score."""
        return max(self.scores, key=lambda name: self.scores[name])

    def regret(self, algorithm: str) -> float:
        """The share of the best score that this algorithm loses."""
        return 1 - self.scores[algorithm] / self.scores[self.best]


def choose(candidates: Iterable[Candidate], want: str) -> str:
    """The algorithm that a host takes: the best of those before a FIFO, over all sizes of FIFO that are possible.

    `advise` varies the size if the buffer is unknown. CUBIC stays unless another promises at least 2 % more.
    """
    logs: dict[str, list[float]] = {}
    for one in candidates:
        if one.queue.startswith("fifo"):
            score = fmean(decisive(one, want))
            logs.setdefault(one.algorithm.split(":")[0], []).append(math.log(max(score, 1e-9)))
    promised = {name: math.exp(fmean(values)) for name, values in logs.items()}
    best = max(promised, key=lambda name: promised[name])
    stays = DEFAULT in promised and promised[best] < (1 + MATTERS) * promised[DEFAULT]
    return DEFAULT if stays else best


def measured(folder: Path, network: Network, *, quick: bool) -> dict[str, dict[str, float]]:
    """The scores of each algorithm in the runs of the study, by objective."""
    name = network.experiment if network.experiment.startswith("beyond") or not quick else f"{network.experiment}-quick"
    table = fairlane.open(folder, name).table(["goodput_mbps", "p95_rtt_ms"], **network.where)
    found: dict[str, dict[str, list[float]]] = {want: {} for want in OBJECTIVES}
    for row in table.to_dicts():
        goodput, rtt = row["goodput_mbps"], row["p95_rtt_ms"]
        algorithm = str(row["algorithm"]).split(":")[0]
        for want, score in zip(OBJECTIVES, (goodput, goodput / rtt), strict=True):
            found[want].setdefault(algorithm, []).append(score)
    used = {one.split(":")[0] for one in network.algorithms}
    return {
        want: {name: fmean(values) for name, values in rows.items() if name in used} for want, rows in found.items()
    }


def evaluate(folder: Path, *, quick: bool, networks: Sequence[Network] = NETWORKS) -> dict[str, list[Outcome]]:
    """The outcome in each network, by objective."""
    outcomes: dict[str, list[Outcome]] = {want: [] for want in OBJECTIVES}
    for network in networks:
        scores = measured(folder, network, quick=quick)
        advice = fairlane.advise(
            flows=1, want="throughput", algorithms=list(network.algorithms), queues=QUEUES, **network.known
        )
        for want in OBJECTIVES:
            choice = choose(advice.candidates, want)
            outcomes[want].append(Outcome(network.name, scores[want], choice, network.is_exact))
    return outcomes


def mean_regret(outcomes: Sequence[Outcome], algorithm: str | None = None) -> float:
    """Over the networks in which the algorithm ran: of always this one, or without it of the policy's choices."""
    ran = [one for one in outcomes if algorithm is None or algorithm in one.scores]
    return fmean(one.regret(algorithm or one.choice) for one in ran)


def best_fixed(outcomes: Sequence[Outcome]) -> str:
    """The algorithm with the smallest mean regret of those that ran everywhere: the best single choice in hindsight."""
    everywhere = set.intersection(*(set(one.scores) for one in outcomes))
    return min(sorted(everywhere), key=lambda name: mean_regret(outcomes, name))


def as_markdown(outcomes: Mapping[str, Sequence[Outcome]]) -> str:
    """A table for each objective, and the mean regrets."""
    titles = {"throughput": "For goodput", "balance": "For goodput over the 95th percentile of the RTT"}
    parts: list[str] = []
    for want, rows in outcomes.items():
        parts += [f"**{titles[want]}:**", ""]
        parts += ["| network | best | advice | its regret | regret of CUBIC |", "|---|---|---|---|---|"]
        parts += [
            f"| {one.network} | {one.best} | {one.choice} | {one.regret(one.choice):.0%} | {one.regret(DEFAULT):.0%} |"
            for one in rows
        ]
        parts += ["", _means("Mean regret", rows), ""]
        if tests := [one for one in rows if not one.is_exact]:
            parts += [_means("Of the paper's networks alone", tests), ""]
    return "\n".join(parts).rstrip() + "\n"


def _means(title: str, rows: Sequence[Outcome]) -> str:
    fixed = best_fixed(rows)
    worst = max(one.regret(one.choice) for one in rows)
    return (
        f"{title}: {mean_regret(rows):.1%} with advice (at most {worst:.0%}), {mean_regret(rows, DEFAULT):.1%} always "
        f"with CUBIC, {mean_regret(rows, fixed):.1%} always with {fixed}, the best single one in hindsight."
    )


def main() -> None:
    """Prints the tables, or writes them into a page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=Path, help="folder of the study's results")
    parser.add_argument("--quick", action="store_true", help="score by the quick subset")
    parser.add_argument("--page", type=Path, help="a page whose block of tables is replaced")
    given = parser.parse_args()
    tables = as_markdown(evaluate(given.results, quick=given.quick))
    print(tables)
    if given.page:
        text = given.page.read_text()
        block = re.compile(f"{re.escape(BEGIN)}.*{re.escape(END)}", re.DOTALL)
        given.page.write_text(block.sub(lambda _: f"{BEGIN}\n{tables}{END}", text))


if __name__ == "__main__":
    main()
