"""Shortest paths through switches. Hosts are ends of paths only; equal paths are chosen by a hash."""

import hashlib
from collections import defaultdict, deque
from collections.abc import Mapping, Sequence

Step = tuple[str, str]
"""A link by its two ends, in the direction of travel."""


class Routes:
    """All shortest paths, by the number of links."""

    def __init__(self, edges: Sequence[Step], homes: Mapping[str, str]) -> None:
        self._homes = homes
        self._neighbours: dict[str, list[str]] = {switch: [] for switch in homes.values()}
        for one, other in edges:
            self._neighbours.setdefault(one, []).append(other)
            self._neighbours.setdefault(other, []).append(one)
        self._distances: dict[str, dict[str, int]] = {}
        self._shares: dict[Step, dict[Step, float]] = {}

    def unreachable(self) -> Step | None:
        """Two switches without a path."""
        first = next(iter(self._neighbours), "")
        reached = self._to(first) if first else {}
        return next(((first, switch) for switch in self._neighbours if switch not in reached), None)

    def path(self, source: str, destination: str, number: int) -> list[Step]:
        """The links from host to host of the flow with this number."""
        text = f"{source} {destination} {number}"
        choice = int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big")
        at, end = self._homes[source], self._homes[destination]
        steps = [(source, at)]
        while at != end:
            hops = self._next(at, end)
            choice, index = divmod(choice, len(hops))
            steps.append((at, hops[index]))
            at = hops[index]
        return [*steps, (at, destination)]

    def shares(self, source: str, destination: str) -> dict[Step, float]:
        """The share of the data from host to host that crosses each link if equal paths are used equally."""
        start, end = self._homes[source], self._homes[destination]
        if (start, end) not in self._shares:
            found: dict[Step, float] = defaultdict(float)
            here = {start: 1.0}
            while end not in here:
                following: dict[str, float] = defaultdict(float)
                for switch, share in here.items():
                    hops = self._next(switch, end)
                    for hop in hops:
                        found[switch, hop] += share / len(hops)
                        following[hop] += share / len(hops)
                here = following
            self._shares[start, end] = found
        return {(source, start): 1.0, **self._shares[start, end], (end, destination): 1.0}

    def _next(self, switch: str, end: str) -> list[str]:
        distances = self._to(end)
        return [one for one in self._neighbours[switch] if distances[one] == distances[switch] - 1]

    def _to(self, end: str) -> dict[str, int]:
        """The distance of each switch to this one."""
        known = self._distances.get(end)
        if known is None:
            known = self._distances[end] = {end: 0}
            waiting = deque([end])
            while waiting:
                switch = waiting.popleft()
                for one in self._neighbours[switch]:
                    if one not in known:
                        known[one] = known[switch] + 1
                        waiting.append(one)
        return known
