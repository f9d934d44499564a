"""The subjects of metrics: a run with its flows and links, from the engine or from a store."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, overload

from fairlane.engine.libraries import np
from fairlane.engine.messages import unknown
from fairlane.results.metrics.bottleneck import busiest
from fairlane.results.metrics.metric import MetricError
from fairlane.results.metrics.rows import Rows

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]
else:
    Array = Any  # numpy takes longer to load than the help of a command may take

Columns = Mapping[str, "Sequence[Any] | Array"]
Series = Columns | Callable[[Mapping[str, Any]], Columns]
"""Sampled columns, or what finds them for these values of a flow or link."""
_TINY_S = 1e-9
"""A sample at the end of the warm-up speaks of the time before."""


class Subject:
    """Values and time series by name."""

    what = "result"

    def __init__(self, figures: Mapping[str, Any], series: Series | None = None) -> None:
        self.figures = figures
        self._series = series or {}

    def __getitem__(self, name: str) -> Any:
        """A value from the engine; None if there was nothing to measure."""
        try:
            return self.figures[name]
        except KeyError:
            raise MetricError(f"a {self.what} has {unknown('value', name, self.figures)}") from None

    def get(self, name: str, default: Any = None) -> Any:
        """A value, or `default` if there is none of that name."""
        return self.figures.get(name, default)

    def series(self, name: str) -> Array:
        """A time series, sample by sample; nan where there was nothing to measure."""
        if name not in self._columns:
            raise MetricError(f"a {self.what} has {unknown('series', name, self._columns)}")
        return np.asarray(self._columns[name], dtype=np.float64)

    @property
    def is_sampled(self) -> bool:
        """Whether there is a sample: a flow that is shorter than the sampling interval may have none."""
        return len(self._columns.get("t_s", ())) > 0

    @cached_property
    def _columns(self) -> Columns:
        return self._series(self.figures) if callable(self._series) else self._series


class Flow(Subject):
    """One flow of a run."""

    what = "flow"
    run: "Run | None" = None
    """The run that it is part of."""

    @property
    def label(self) -> str:
        """Its name, or its algorithm."""
        return str(self.get("name") or self.get("algorithm"))

    @cached_property
    def times_s(self) -> Array:
        """The times of the samples since the start of the flow."""
        return self.series("t_s") - float(self["start_s"])


class Flows(Sequence[Flow]):
    """Flows of a run; each is created when one is looked at: most metrics of hundreds of flows need a few columns."""

    def __init__(
        self,
        rows: Rows,
        series: Series,
        within: "Flows | None" = None,
        places: Sequence[int] = (),
        known: dict[str, Any] | None = None,
    ) -> None:
        """`within`: those at these places among others, which are the same objects. `known` outlives this object."""
        self._rows, self._series, self.within, self._places = rows, series, within, places
        self.run: Run | None = None
        """The run that they are part of."""
        self.known: dict[str, Any] = {} if known is None else known
        """Intermediate values that several metrics of these flows share."""

    def column(self, name: str) -> list[Any]:
        """A value of each flow: `[flow[name] for flow in flows]` in a fraction of the time."""
        try:
            return self._rows.column(name)
        except KeyError:  # the error that names known values is a flow's
            return [flow[name] for flow in self]

    @property
    def rows(self) -> Sequence[int]:
        """The numbers of their rows in the table of flows."""
        return self._rows.indices

    def some(self, places: Sequence[int]) -> "Flows":
        """Those at these places among them."""
        found = Flows(self._rows.some(places), self._series, self, places)
        found.run = self.run
        return found

    def by(self, name: str) -> "dict[Any, Flows]":
        """Those with equal values, in the order in which the values appear."""
        places: dict[Any, list[int]] = {}
        for place, value in enumerate(self.column(name)):
            places.setdefault(value, []).append(place)
        parts = {value: self.some(_range(found)) for value, found in places.items()}
        for value, part in parts.items():
            part.known = self.known.setdefault(f"{name} {value}", {})
        return parts

    @cached_property
    def _made(self) -> list[Flow]:
        if self.within is not None:
            return [self.within[place] for place in self._places]
        made = [Flow(row, self._series) for row in self._rows]
        for flow in made:
            flow.run = self.run
        return made

    @overload
    def __getitem__(self, place: int) -> Flow: ...
    @overload
    def __getitem__(self, place: slice) -> list[Flow]: ...
    def __getitem__(self, place: int | slice) -> Flow | list[Flow]:
        return self._made[place]

    def __iter__(self) -> Iterator[Flow]:
        return iter(self._made)

    def __len__(self) -> int:
        return len(self._rows)


def _range(places: list[int]) -> Sequence[int]:
    """The same numbers as a range if they follow one another."""
    return range(places[0], places[-1] + 1) if places[-1] - places[0] == len(places) - 1 else places


class Link(Subject):
    """One link of a run."""

    what = "link"
    run: "Run | None" = None
    """The run that it is part of."""

    def counted(self, name: str) -> Array:
        """A series without the warm-up."""
        values = self.series(name)
        warm_up_s = self.run.warm_up_s if self.run else 0.0
        return values[self.series("t_s") > warm_up_s + _TINY_S] if warm_up_s else values


class Run(Subject):
    """One run: `flows` (those requested), `links`, and values of the whole run."""

    what = "run"

    def __init__(
        self,
        figures: Mapping[str, Any],
        flows: Sequence[Flow],
        links: Sequence[Link] | Callable[[], Sequence[Link]],
        everyone: Sequence[Flow] | None = None,
    ) -> None:
        super().__init__(figures)
        self.flows = flows
        self.everyone = flows if everyone is None else everyone
        """All flows of the run, requested or not: shares refer to their total."""
        for some in (self.everyone, self.flows):
            if isinstance(some, Flows):
                some.run = self
            else:
                for flow in some:
                    flow.run = self
        if callable(links):
            self._find_links = links
        else:
            self.links = self._belong(links)

    @cached_property
    def links(self) -> list[Link]:
        """All links of the run."""
        return self._belong(self._find_links())

    def _belong(self, links: Sequence[Link]) -> list[Link]:
        for link in links:
            link.run = self
        return list(links)

    @property
    def warm_up_s(self) -> float:
        """The end of the warm-up, after which metrics count."""
        return float(self.get("warm_up_s") or 0.0)

    @classmethod
    def of(cls, result: Mapping[str, Any]) -> "Run":
        """From what `fairlane.engine.run` returns."""
        series = result["series"]
        return cls(
            {name: value for name, value in result.items() if not isinstance(value, (list, dict))},
            [Flow(*pair) for pair in zip(result["flows"], series["flows"], strict=True)],
            [Link(*pair) for pair in zip(result["links"], series["links"], strict=True)],
        )

    @property
    def bottleneck(self) -> Link | None:
        """The busiest link (`fairlane.results.metrics.bottleneck`); None if none has a rate."""
        return busiest(self.links)
