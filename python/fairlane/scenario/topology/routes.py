"""Shortest paths through switches. Hosts are ends of paths only; equal paths are chosen by a hash."""

import hashlib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import lru_cache

Step = tuple[str, str]
"""A link by its two ends, in the direction of travel."""
_KEPT = 1000
"""Pairs of switches whose paths are remembered."""
MOST_WORK = 10_000_000
"""Switches that searches visit, and links of paths: half a minute, and a scenario of 1 GB."""
_DISTANCES, _DISTANCES_OF_HOST = 1_000_000, 300
"""So many are kept of all switches to all that have hosts, or so many for each host, if these are more."""


class TooMuchError(ValueError):
    """The paths take too long to find, or are too long; the message has a remedy."""


class Routes:
    """All shortest paths, by the number of links."""

    def __init__(self, edges: Sequence[Step], homes: Mapping[str, str]) -> None:
        self._homes = homes
        self._neighbours: dict[str, list[str]] = {switch: [] for switch in homes.values()}
        for one, other in edges:
            self._neighbours.setdefault(one, []).append(other)
            self._neighbours.setdefault(other, []).append(one)
        most = max(_DISTANCES, _DISTANCES_OF_HOST * len(homes))
        is_small = len(self._neighbours) * len(set(homes.values())) <= most
        self._to = lru_cache(None)(self._distances) if is_small else None
        self._left = lru_cache(_KEPT)(self._search)
        self._shares = lru_cache(_KEPT)(self._shares_between)
        self._work = 0

    def unreachable(self) -> Step | None:
        """Two switches without a path."""
        first = next(iter(self._neighbours), "")
        reached = self._distances(first) if first else {}
        return next(((first, switch) for switch in self._neighbours if switch not in reached), None)

    def path(self, source: str, destination: str, number: int) -> list[Step]:
        """The links from host to host of the flow with this number. Raises TooMuchError."""
        text = f"{source} {destination} {number}"
        choice = int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big")
        at, end = self._homes[source], self._homes[destination]
        steps = [(source, at)]
        way = self._way(at, end)
        while at != end:
            hops = self._next(at, way)
            choice, index = divmod(choice, len(hops))
            steps.append((at, hops[index]))
            at = hops[index]
        self._count(len(steps))
        return [*steps, (at, destination)]

    def shares(self, source: str, destination: str) -> dict[Step, float]:
        """The share of the data from host to host that crosses each link if equal paths are used equally.

        Raises TooMuchError.
        """
        start, end = self._homes[source], self._homes[destination]
        return {(source, start): 1.0, **self._shares(start, end), (end, destination): 1.0}

    def _shares_between(self, start: str, end: str) -> dict[Step, float]:
        found: dict[Step, float] = defaultdict(float)
        way, here = self._way(start, end), {start: 1.0}
        while end not in here:
            following: dict[str, float] = defaultdict(float)
            for switch, share in here.items():
                hops = self._next(switch, way)
                for hop in hops:
                    found[switch, hop] += share / len(hops)
                    following[hop] += share / len(hops)
            here = following
        self._count(len(found))
        return found

    def _next(self, switch: str, way: "_Way") -> list[str]:
        left, step = way
        return [one for one in self._neighbours[switch] if left.get(one) == left[switch] + step]

    def _way(self, start: str, end: str) -> "_Way":
        if self._to is not None:
            return self._to(end), -1
        return (self._left(start, end), -1) if start <= end else (self._left(end, start), 1)

    def _distances(self, end: str) -> dict[str, int]:
        """The number of links to the end from each switch."""
        away, level = {end: 0}, [end]
        while level:
            level = self._beyond(level, away)
        return away

    def _search(self, start: str, end: str) -> dict[str, int]:
        """As `_distances`, of the switches on shortest paths alone.

        The search goes on at both ends in turn, since in a large graph most switches are far from both.
        """
        away, edge = ({start: 0}, {end: 0}), [[start], [end]]
        met = [start] if start == end else []
        while not met:
            side = int(len(edge[1]) < len(edge[0]))
            edge[side] = self._beyond(edge[side], away[side])
            met = [one for one in edge[side] if one in away[1 - side]]
        self._count(len(away[0]) + len(away[1]))
        links = away[0][met[0]] + away[1][met[0]]
        left = {one: away[1][one] for one in met}
        for side, level in enumerate((met, met)):
            while level := self._before(level, away[side]):
                left |= {one: away[1][one] if side else links - away[0][one] for one in level}
        return left

    def _count(self, work: int) -> None:
        self._work += work
        if self._work > MOST_WORK:
            raise TooMuchError("is too large for the paths of so many flows; take fewer pairs of hosts")

    def _beyond(self, level: Sequence[str], away: dict[str, int]) -> list[str]:
        """The switches one link further than those of a level, which are added to `away`."""
        found: dict[str, int] = {}
        for switch in level:
            for one in self._neighbours[switch]:
                if one not in away:
                    found[one] = away[one] = away[switch] + 1
        return list(found)

    def _before(self, level: Sequence[str], away: Mapping[str, int]) -> list[str]:
        """The switches one link nearer than those of a level."""
        nearer = (one for switch in level for one in self._neighbours[switch] if away.get(one) == away[switch] - 1)
        return list(dict.fromkeys(nearer))


_Way = tuple[Mapping[str, int], int]
"""The links that are left from each switch on a shortest path, and their change with each link."""
