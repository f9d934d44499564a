"""Metrics: a function, or an expression of columns, with its unit, meaning and source."""

import inspect
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

Of = Literal["flow", "flows", "link", "run"]
Better = Literal["more", "less"]

REGISTRY: dict[str, "Metric"] = {}
"""All metrics defined so far, by name."""


class MetricError(ValueError):
    """A metric that does not exist, or that cannot be computed from these results; one line with the remedy."""


@dataclass(frozen=True)
class column:
    """A value of the engine, divided by `per`, as an expression for one flow or link or for many."""

    name: str
    optional: bool = False
    """Nothing was measured of flows that have no such value."""
    per: float = 1

    @property
    def names(self) -> tuple[str, ...]:
        """The engine's values that it needs."""
        return (self.name,)

    def __call__(self, subjects: Sequence[Any]) -> list[Any]:
        """The value of each flow or link."""
        try:
            values = values_of(subjects, self.name)
        except MetricError:
            if not self.optional:
                raise
            values = [subject.get(self.name) for subject in subjects]
        return values if self.per == 1 else [None if value is None else value / self.per for value in values]


@dataclass(frozen=True)
class quotient:
    """Two of the engine's values divided, as an expression for one flow or for many."""

    numerator: str
    denominator: str
    times: float = 1

    @property
    def names(self) -> tuple[str, ...]:
        """The engine's values that it needs."""
        return (self.numerator, self.denominator)

    def __call__(self, subjects: Sequence[Any]) -> list[Any]:
        """The value of each flow; None where one would divide by 0, or nothing was measured."""
        pairs = zip(values_of(subjects, self.numerator), values_of(subjects, self.denominator), strict=True)
        return [self.times * above / below if below and above is not None else None for above, below in pairs]


def values_of(subjects: Sequence[Any], name: str) -> list[Any]:
    """A value of each of these flows or links; `Flows` reads a column instead of hundreds of flows."""
    if (read := getattr(subjects, "column", None)) is not None:
        values: list[Any] = read(name)
        return values
    return [subject[name] for subject in subjects]


@dataclass(frozen=True)
class Metric:
    """A metric of one flow, of several flows together, of a link, or of a run."""

    name: str
    """Name with unit, as in column names."""
    of: Of
    """The subject; a metric of `flows` has a value for each group of flows and one for all flows of a run."""
    unit: str
    meaning: str
    """The first sentence defines it, the rest explains the computation."""
    source: str
    """Paper and equation, or RFC."""
    label: str
    """The axis label, without the unit."""
    digits: int
    """Decimals in tables."""
    function: Callable[[Any], float | None]
    better: Better | None = None
    """The direction of an improvement, all else equal; None if it depends on the objective."""
    together: bool = False
    """Whether it refers to the time that the flows of a run have in common, if they are not simultaneous."""

    each: Callable[[Any], Sequence[float | None]] | None = None
    """Of a flow: the same for many flows of a run together, in less time; an expression is both."""
    module: str = ""
    """The module that defines it."""

    def __call__(self, subject: Any) -> float | None:
        """The value for this flow, link, run, or list of flows; None if there is nothing to measure."""
        value = self.function(subject)
        return None if value is None else float(value)

    def of_each(self, flows: Sequence[Any]) -> list[float | None]:
        """The value for each of these flows of a run."""
        if self.each is None:
            return [self(flow) for flow in flows]
        return [None if value is None else float(value) for value in self.each(flows)]

    def of_whole_run(self) -> "Metric":
        """A metric of several flows as one of a run: all its flows together, in rows that are about some of them."""
        return replace(self, of="run", label=f"{self.label}, all flows", function=lambda run: self(run.flows))

    @property
    def is_own(self) -> bool:
        """Whether it is one of Fairlane's metrics."""
        return self.module.startswith("fairlane.results.metrics.")

    @property
    def axis_label(self) -> str:
        """The axis label: name and unit."""
        return f"{self.label}, {self.unit}" if self.unit else self.label

    @property
    def summary(self) -> str:
        """The first line of its meaning."""
        return self.meaning.split("\n", 1)[0]


def metric(
    *,
    of: Of = "flow",
    unit: str | None = None,
    source: str = "",
    label: str = "",
    digits: int = 2,
    better: Better | None = None,
    together: bool = False,
    each: Callable[[Any], Sequence[float | None]] | None = None,
) -> Callable[[Callable[[Any], float | None]], Metric]:
    """Turns a function into a metric with the function's name; its docstring is the explanation.

    `of` is the argument of the function: "flow", "link", "run", or "flows" for a list of flows of one run. `unit` is
    by default that at the end of the name: "ms" of `queue_delay_ms`. The names of Fairlane's metrics are reserved.
    `better` is the direction of an improvement, for `fairlane compare`. `together` says that the metric refers to the
    time that flows have in common (`fairlane.results.metrics.common_time`). `each` computes the metric of a flow for a
    list of flows of one run, in the same order, if that takes less time.
    """

    def define(function: Callable[[Any], float | None]) -> Metric:
        name, meaning, module = function.__name__, function.__doc__ or "", function.__module__ or ""
        return _register(name, of, unit, meaning, source, label, digits, function, better, together, each, module)

    return define


def measured(
    name: str,
    meaning: str,
    *,
    formula: column | quotient | None = None,
    optional: bool = False,
    of: Of = "flow",
    unit: str | None = None,
    source: str = "",
    label: str = "",
    digits: int = 2,
    better: Better | None = None,
) -> Metric:
    """Declares a metric that is a value of the engine, by default that of its own name, or an expression of some.

    `optional`: nothing was measured of subjects without such a value.
    """
    expression = formula or column(name, optional)
    each = expression if of == "flow" else None
    module = sys._getframe(1).f_globals["__name__"]

    def value(subject: Any) -> float | None:
        found: float | None = expression([subject])[0]
        return found

    return _register(name, of, unit, meaning, source, label, digits, value, better, False, each, module)


def _register(name: str, of: Of, unit: str | None, meaning: str, source: str, label: str, *rest: Any) -> Metric:
    """Fills in the unit and the label, and remembers the metric."""
    unit = _unit(name) if unit is None else unit
    made = Metric(name, of, unit, inspect.cleandoc(meaning), source, label or _label(name, unit), *rest)
    before = REGISTRY.get(name)
    if before and before.is_own and before.module != made.module:
        raise MetricError(f"there is a metric {name} already; give yours another name")
    REGISTRY[name] = made
    return made


_UNITS = {"pct": "%", "kb": "kB", "mb": "MB", "mbps": "Mbps", "ms": "ms", "s": "s", "packets": "packets"}
"""Units by the last word of a name."""


def _unit(name: str) -> str:
    """
    >>> _unit("queue_delay_ms"), _unit("retransmits_per_s"), _unit("timeouts")
    ('ms', '1/s', '')
    """
    return "1/s" if name.endswith("_per_s") else _UNITS.get(name.rpartition("_")[2], "")


def _label(name: str, unit: str) -> str:
    """`queue_delay_ms` is "queue delay" at an axis that says ms anyway."""
    last = {"%": "pct"}.get(unit, unit.lower())
    words = name.split("_")
    return " ".join(words[:-1] if len(words) > 1 and words[-1] == last else words)
