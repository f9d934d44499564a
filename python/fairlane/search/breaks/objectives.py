"""Objectives: expressions of metrics, of the algorithm's run and of the reference's in the same network."""

import ast
import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache, partial
from pathlib import Path
from typing import Any, Protocol

from fairlane import files
from fairlane.engine.libraries import np
from fairlane.engine.messages import unknown
from fairlane.engine.result_bytes import unpack
from fairlane.results.metrics import Flow, Link, Metric, MetricError, Run, find

REFERENCE, ALONE, OTHERS = "reference", "alone", "others"
_OPERATORS: dict[type[ast.AST], Callable[..., float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.USub: operator.neg,
}
OF_MEMORY = re.compile(r"(share|steps|last|peak|least)\((state\.[\w.]+)((?:, \d+)*)\)")
"""Functions of the samples of a member of the algorithm's memory; the last three are its last, largest and least value.

`share(state.mode, 3)` is the share of the samples with this value, `steps(state.mode, 5, 2)` the number of times that
it changed from the one to the other.
"""
_FUNCTIONS: dict[str, Callable[..., float]] = {"min": min, "max": max, "abs": abs}
_COUNTS = {"min": range(1, 100), "max": range(1, 100), "abs": range(1, 2)}
"""Of their arguments."""
_MOST_PARTS = 300
"""Of an expression."""
_LARGEST = 1e100
"""Of a value: the variance of larger ones overflows."""


class ObjectiveError(ValueError):
    """An objective that cannot be computed; one line with the remedy."""


class NoValue(ValueError):
    """A metric of which these runs have no value."""


@dataclass(frozen=True)
class Objective:
    """A score from 0, no failure, to 1."""

    name: str
    title: str
    formula: str
    fails: float = 0.5
    """From this score on a network counts as a failure."""
    source: str = ""

    @cached_property
    def names(self) -> list[str]:
        """The metrics with their prefixes, such as `reference.goodput_mbps`. Raises ObjectiveError."""
        return list(dict.fromkeys(self._compiled[1]))

    @cached_property
    def runs(self) -> list[str]:
        """The runs that it needs besides that of the algorithm: `reference`, `alone`."""
        return [kind for kind in (REFERENCE, ALONE) if any(name.startswith(f"{kind}.") for name in self.names)]

    @cached_property
    def watched(self) -> list[str]:
        """The members of the algorithm's memory that it is about."""
        return list(dict.fromkeys(found[2] for name in self.names if (found := OF_MEMORY.fullmatch(name))))

    @property
    def needs_others(self) -> bool:
        """Whether it is about flows with other algorithms."""
        return any(OTHERS in name.split(".") for name in self.names)

    @property
    def needs_equals(self) -> bool:
        """Whether it is about how flows with the algorithm share, so that one of them is too few."""
        named = [_parts(name)[1:] for name in self.names if not OF_MEMORY.fullmatch(name)]
        return any(_metric(metric).of == "flows" and not others for others, metric in named)

    @cached_property
    def _compiled(self) -> "tuple[_Function, list[str]]":
        """The expression as a function, which a search calls thousands of times, and its names."""
        names: list[str] = []
        return _function(self._tree(), names), names

    def _tree(self) -> ast.expr:
        try:
            tree = ast.parse(self.formula, mode="eval").body
        except (MemoryError, RecursionError, SyntaxError, ValueError):
            raise ObjectiveError(
                f"'{files.shortened(self.formula)}' is no expression; write for example 1 - goodput_mbps / 20"
            ) from None
        if sum(1 for _ in ast.walk(tree)) > _MOST_PARTS:
            raise ObjectiveError(
                f"'{files.shortened(self.formula)}' has more than {_MOST_PARTS} parts; make it shorter"
            )
        return tree

    def check(self, *, one_run: bool = False) -> None:
        """Raises ObjectiveError for an unknown metric or function, and with `one_run` for a metric of another run."""
        if one_run and self.runs:
            raise ObjectiveError(
                f"'{self.formula}' has metrics of another run, and there is one; leave out {self.runs[0]}."
            )
        for name in self.names:
            if not OF_MEMORY.fullmatch(name):
                _metric(_parts(name)[2])

    def score(self, runs: "Mapping[str, Measured]") -> float | None:
        """The score, at least 0; None if it has no finite value in these runs. `runs` by kind, "" the algorithm's."""
        value = self.value(runs)
        return None if value is None else max(0.0, value)

    def value(self, runs: "Mapping[str, Valued]") -> float | None:
        """The value of the expression, which may be negative; otherwise as `score`."""
        try:
            found = float(self._compiled[0](lambda name: runs[run_of(name)].value(name)))
        except (NoValue, ArithmeticError):
            return None
        return found if abs(found) <= _LARGEST else None

    def values(self, runs: "Mapping[str, Valued]") -> dict[str, float]:
        """The metrics of a score by their names."""
        return {name: runs[run_of(name)].value(name) for name in self.names}


def run_of(name: str) -> str:
    """The run that a name is about; "" the algorithm's."""
    return _parts(name)[0]


@lru_cache(1024)
def _parts(name: str) -> tuple[str, bool, str]:
    """Run, whether it is about the others, and metric."""
    if OF_MEMORY.fullmatch(name):
        return "", False, name
    *prefixes, metric = name.split(".")
    kind = prefixes.pop(0) if prefixes and prefixes[0] in (REFERENCE, ALONE) else ""
    if prefixes not in ([], [OTHERS]):
        raise ObjectiveError(f"{name}: before a metric stand {REFERENCE}., {ALONE}. and {OTHERS}.; correct it")
    return kind, bool(prefixes), metric


@cache
def _metric(name: str) -> Metric:
    try:
        return find(name)
    except MetricError as error:
        raise ObjectiveError(str(error)) from None


_Named = Callable[[str], float]
_Function = Callable[[_Named], float]
"""Computes an expression, given a function that has the value of a name."""


def _function(node: ast.expr, names: list[str]) -> _Function:
    """An expression of numbers, names and the four operations as a function. Adds to `names`."""
    match node:
        case ast.Constant(value=int() | float() as number):
            return lambda _: number
        case ast.Name() | ast.Attribute():
            return _named(ast.unparse(node), names)
        case ast.Call(func=ast.Name()) if OF_MEMORY.fullmatch(text := ast.unparse(node)):
            return _named(text, names)
        case ast.UnaryOp(op=op, operand=operand) if type(op) in _OPERATORS:
            apply, of = _OPERATORS[type(op)], _function(operand, names)
            return lambda named: apply(of(named))
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
            apply, first, second = _OPERATORS[type(op)], _function(left, names), _function(right, names)
            return lambda named: apply(first(named), second(named))
        case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]) if len(arguments) in _COUNTS.get(name, ()):
            apply, every = _FUNCTIONS[name], [_function(one, names) for one in arguments]
            if len(every) == 1 and name != "abs":
                return every[0]
            return lambda named: apply(*(one(named) for one in every))
    raise ObjectiveError(
        f"'{files.shortened(ast.unparse(node))}' is not supported; use metrics, numbers, + - * /, min, max, abs, share"
    )


def _named(name: str, names: list[str]) -> _Function:
    names.append(name)
    return lambda named: named(name)


_OF_SAMPLES: dict[str, Callable[[Any, list[int]], float]] = {
    "share": lambda samples, wanted: float((samples == wanted[0]).mean()),
    "steps": lambda samples, wanted: float(((samples[:-1] == wanted[0]) & (samples[1:] == wanted[1])).sum()),
    "last": lambda samples, _: float(samples[-1]),
    "peak": lambda samples, _: float(np.nanmax(samples)),
    "least": lambda samples, _: float(np.nanmin(samples)),
}


class Valued(Protocol):
    """A run, or a log of one."""

    def value(self, name: str) -> float:
        """A metric with its prefixes. Raises NoValue."""


class Measured:
    """A run whose metrics are computed on demand."""

    def __init__(self, packed: bytes, targets: "frozenset[int]") -> None:
        """`targets` are the numbers of the scenario's flows with the algorithm; short connections belong to one."""
        result = unpack(packed)
        figures = result.metrics
        tables: dict[str, Any] = {}

        def series(kind: str, column: str, key: str, one: Mapping[str, Any]) -> Any:
            import polars as pl

            if kind not in tables:
                tables[kind] = result.table(kind)
            frame = tables[kind]
            return {} if frame is None else frame.filter(pl.col(column) == one[key]).to_dict(as_series=True)

        of_flow = partial(series, "flow_series", "flow", "flow")
        of_link = partial(series, "link_series", "link", "name")
        self.figures = figures
        self.flows = [Flow({"flow": number, **flow}, of_flow) for number, flow in enumerate(figures["flows"])]
        self.run = Run(
            {name: value for name, value in figures.items() if not isinstance(value, list | dict)},
            self.flows,
            [Link(link, of_link) for link in figures["links"]],
        )
        self._targets = targets
        self._known: dict[str, float | None] = {}

    def value(self, name: str) -> float:
        """A metric with its prefixes. Raises NoValue."""
        if name not in self._known:
            _, others, metric = _parts(name)
            found = OF_MEMORY.fullmatch(name)
            known = self._of_memory(*found.groups()) if found else self._compute(_metric(metric), others)
            self._known[name] = known
        value = self._known[name]
        if value is None:
            raise NoValue(name)
        return value

    def _of_memory(self, function: str, member: str, numbers: str) -> float | None:
        wanted = [int(number) for number in numbers.split(", ")[1:]]
        flows = [self.flows[number] for number in sorted(self._targets)]
        samples = [np.asarray(flow.series(member), dtype=float) for flow in flows if flow.is_sampled]
        values = [_OF_SAMPLES[function](one, wanted) for one in samples if np.isfinite(one).any()]  # else: no member
        return sum(values) / len(values) if values else None

    def _compute(self, metric: Metric, others: bool) -> float | None:
        if metric.of == "run":
            return metric(self.run)
        if metric.of == "link":
            link = self.run.bottleneck
            return None if link is None else metric(link)
        numbers = [int(flow.get("group", number)) for number, flow in enumerate(self.flows)]
        chosen = [flow for number, flow in zip(numbers, self.flows, strict=True) if (number in self._targets) != others]
        if metric.of == "flows":
            return metric(chosen) if chosen else None
        values = [value for value in metric.of_each(chosen) if value is not None]
        return sum(values) / len(values) if values else None


@cache
def shipped() -> dict[str, Objective]:
    """Fairlane's objectives by name."""
    tables = files.toml(Path(__file__).parent / "objectives.toml", "reinstall Fairlane")
    return {name: Objective(name, **table) for name, table in tables.items()}


def objective(text: str) -> Objective:
    """A shipped objective, or an expression of metrics. Raises ObjectiveError."""
    if text in shipped():
        return shipped()[text]
    if text.replace("_", "").isalnum():
        try:
            found = find(text)
        except MetricError:
            known = [*shipped(), "or any metric or expression"]
            raise ObjectiveError(unknown("objective", text, known)) from None
        by = {"more": f"1 - {text} / {REFERENCE}.{text}", "less": f"1 - {REFERENCE}.{text} / {text}"}
        return Objective(text, found.summary, by.get(found.better or "", text))
    made = Objective("own", text, text)
    made.check()
    return made
