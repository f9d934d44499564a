"""Congestion controls in C and in Python, which run over TCP and QUIC."""

import random
from functools import cache
from pathlib import Path

from fairlane import engine

from tests.experiment import mutator
from tests.hostile.outcomes import command

_SLOW_START = """
class Mine:
    step: int = 1

    def init(self, sock):
        self.losses = 0

    def ssthresh(self, sock):
        self.losses += 1
        return max(sock.snd_cwnd // 2, 2)

    def undo_cwnd(self, sock):
        return sock.snd_cwnd

    def cong_avoid(self, sock, ack, acked):
        if sock.snd_cwnd < sock.snd_ssthresh:
            sock.snd_cwnd += acked
        else:
            sock.snd_cwnd += self.step if self.losses % 2 else 0
        sock.snd_cwnd = min(sock.snd_cwnd, sock.snd_cwnd_clamp)
"""


def c_algorithm(chance: random.Random, folder: Path) -> str:
    """The text of a bundled algorithm."""
    text = _source(chance.choice(["reno", "scalable", "vegas"]))
    (folder / "mine.c").write_bytes(mutator.mutated_text(text, chance))
    return duel(folder / "mine.c", chance.choice(["tcp", "quic"]))


def python_algorithm(chance: random.Random, folder: Path) -> str:
    """The text of a class."""
    (folder / "mine.py").write_bytes(mutator.mutated_text(_SLOW_START, chance))
    return duel(folder / "mine.py", chance.choice(["tcp", "quic"]))


def duel(path: Path, transport: str) -> str:
    """A short run of an algorithm. A C file runs in a confined worker, and its compiler may warn first."""
    network = ("--rate", "10mbit", "--rtt", "20ms", "--buffer", "10p", "--time", "1s", "--loss", "1%")
    return command("duel", str(path), *network, "--transport", transport, but=": warning: ")


@cache
def _source(name: str) -> str:
    return engine.describe(name)["source"]
