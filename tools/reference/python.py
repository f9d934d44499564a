"""The page docs/reference/python.md, written from docstrings and signatures.

Signatures come from the source, not from the objects: so they read as they were written, with every version of Python.
"""

import ast
import inspect
import re
import textwrap
from collections.abc import Container, Iterator
from importlib import import_module
from typing import Any, get_args, get_type_hints

from fairlane.scenario.request_settings import NUMBERS, SETTINGS

from tools.reference.text import cell

_HEAD = """\
# Python

Generated from the docstrings by `python -m tools.reference`. The [notebook](../guides/first-steps.ipynb) presents
the same as a tutorial. Everything here is typed; anything else may change without notice.

Results are polars frames, and polars has threads. A process that is forked after the first result (the default of
`multiprocessing` before Python 3.14) lacks them: there, Fairlane raises an error instead of waiting forever. Start
processes with `multiprocessing.get_context("spawn")`. `fairlane.run` uses all CPUs by itself.
"""

_PARTS: tuple[tuple[str, str, str, tuple[str, ...]], ...] = (
    ("fairlane", "Simulate and analyse", "For most scripts and notebooks: `import fairlane`.",
     ("duel", "matrix", "run", "open", "Results", "Axis", "compare", "report", "advise", "Advice", "simulate",
      "algorithms")),
    ("fairlane", "Algorithms and studies", "As the commands of these names.", ("check", "trace", "tune", "reproduce")),
    ("fairlane", "Exceptions", "The message has one line per error: problem and remedy.",
     ("ExperimentError", "ScenarioError", "AlgorithmError", "AlgorithmFault", "StoreError", "MetricError")),
    ("fairlane.results.metrics", "Metrics", "The metrics, and how to define your own; [all of them](metrics.md).",
     ("metric", "Metric", "catalogue", "find", "Flow", "Link", "Run")),
    ("fairlane.results.statistics", "Statistics", "Intervals of [tables and verdicts](../concepts/statistics.md).",
     ("interval_of_mean", "interval_of_difference", "interval_of", "Interval", "repeats_needed")),
    ("fairlane.study.claims", "Claims", "For `claims.py` of a [study of your own](../guides/reproduce-a-paper.md).",
     ("Claims", "Evidence", "Runs", "Measurement", "about", "between", "all_of", "any_of", "negated", "Judgement",
      "Verdict", "Status")),
    ("fairlane.algorithm.prototype", "Algorithms in Python", "A [class of callbacks](../guides/python-algorithm.md).",
     ("RoundTrips", "tcp_slow_start", "tcp_cong_avoid_ai", "tcp_reno_cong_avoid", "tcp_reno_ssthresh",
      "tcp_reno_undo_cwnd", "tcp_in_slow_start", "tcp_is_cwnd_limited", "before", "after")),
)  # fmt: skip
"""Module, heading, a sentence, names."""

_WIDTH = 100


def markdown() -> str:
    """The whole page."""
    parts = [_HEAD]
    for module, title, sentence, names in _PARTS:
        parts.append(f"## {title}\n\n{sentence}\n")
        for name in names:
            parts += _entry(module, name)
    return "\n".join(parts)


def _entry(module: str, name: str) -> Iterator[str]:
    found = getattr(import_module(module), name)
    yield f"### {module}.{name}\n"
    if not _has_source(found):  # of the engine, in Rust
        yield _documented(found.__doc__)
        return
    node = _source(found)
    if isinstance(node, ast.FunctionDef):
        yield _code(_signature(node, name))
        yield _documented(found.__doc__)
        if (kind := found.__annotations__.get("settings")) is not None:
            yield from _settings(get_type_hints(get_args(kind)[0]))
    elif isinstance(node, ast.ClassDef):
        yield _documented(found.__doc__ if node.body and ast.get_docstring(node) else "")
        for base in reversed(found.__mro__):  # what a class inherits from ours is documented with it
            source = _source(base) if base.__module__.startswith("fairlane.") and _has_source(base) else None
            if isinstance(source, ast.ClassDef):
                yield from _members(source, name)


def _settings(known: Container[str]) -> Iterator[str]:
    """The settings of a request with these names; numbers are beside the quantity that they stand for."""
    yield "| setting | meaning | default |\n|---|---|---|"
    for name, one in SETTINGS.items():
        if name in known:
            forms = [name, *(number for number, quantity in NUMBERS.items() if quantity == name and number in known)]
            text = one.help.replace("{queues}", "`fairlane duel --help` lists them")
            yield f"| {', '.join(f'`{form}`' for form in forms)} | {cell(text)} | {one.default or ''} |"
    yield ""


def _source(found: Any) -> ast.stmt:
    return ast.parse(textwrap.dedent(inspect.getsource(found))).body[0]


def _has_source(found: Any) -> bool:
    try:
        inspect.getsource(found)
    except (OSError, TypeError):
        return False
    return True


def _members(owner: ast.ClassDef, name: str) -> Iterator[str]:
    """Fields with the string below each, then the public methods."""
    fields = [*_fields(owner)]
    if fields:
        yield "| field | type | meaning |\n|---|---|---|"
        for field, kind, meaning in fields:
            yield f"| `{field}` | {kind} | {' '.join(meaning.split())} |"
        yield ""
    for node in owner.body:
        if not isinstance(node, ast.FunctionDef) or (node.name.startswith("_") and node.name != "__getitem__"):
            continue
        marks = _marks(node)
        if "overload" in marks or marks & _PROPERTIES or not ast.get_docstring(node):
            continue
        signature = _signature(node, f"{name}.{node.name}", skip_self="staticmethod" not in marks)
        yield _code(re.sub(r"\.__getitem__\((.*)\)", r"[\1]", signature))
        yield _documented(ast.get_docstring(node))


_PROPERTIES = {"property", "cached_property"}


def _marks(node: ast.FunctionDef) -> set[str]:
    return {mark.id for mark in node.decorator_list if isinstance(mark, ast.Name)}


def _fields(owner: ast.ClassDef) -> Iterator[tuple[str, str, str]]:
    for node, following in zip(owner.body, [*owner.body[1:], None], strict=True):
        documented = isinstance(following, ast.Expr) and isinstance(following.value, ast.Constant)
        meaning = str(following.value.value) if documented else ""  # type: ignore[union-attr]
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            yield node.target.id, f"`{_plain(node.annotation)}`".replace("|", "\\|"), meaning
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id.isupper():
            yield node.targets[0].id, f"`{_plain(node.value)}`", meaning
        elif isinstance(node, ast.FunctionDef) and _marks(node) & _PROPERTIES and not node.name.startswith("_"):
            kind = f"`{_plain(node.returns)}`".replace("|", "\\|") if node.returns else ""
            yield node.name, kind, ast.get_docstring(node) or ""


def _signature(node: ast.FunctionDef, name: str, skip_self: bool = False) -> str:
    arguments = node.args
    if skip_self and arguments.args and arguments.args[0].arg in ("self", "cls"):
        arguments.args = arguments.args[1:]
    returns = f" -> {_plain(node.returns)}" if node.returns else ""
    apart = [*_apart(arguments)]
    line = f"{name}({', '.join(apart)}){returns}"
    if len(line) <= _WIDTH:
        return line
    return "\n".join([f"{name}(", *(f"    {one}," for one in apart), f"){returns}"])


def _apart(arguments: ast.arguments) -> Iterator[str]:
    plain = [*arguments.posonlyargs, *arguments.args]
    missing = len(plain) - len(arguments.defaults)
    for index, one in enumerate(plain):
        yield _argument(one, arguments.defaults[index - missing] if index >= missing else None)
    if arguments.vararg:
        yield f"*{_plain(arguments.vararg)}"
    elif arguments.kwonlyargs:
        yield "*"
    for one, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        yield _argument(one, default)
    if arguments.kwarg:
        yield f"**{_plain(arguments.kwarg)}"


def _argument(one: ast.arg, default: ast.expr | None) -> str:
    return _plain(one) + (f" = {_plain(default)}" if default is not None else "")


def _plain(node: ast.AST) -> str:
    """Source text; a type in quotes, which only spares an import, without them."""
    return re.sub(r"'([\w.\[\], |]*[A-Za-z]\w*[\w.\[\], |]*)'(?=$|[,\])= ])", _unquoted, ast.unparse(node))


def _unquoted(found: re.Match[str]) -> str:
    return found[1] if re.search(r"(^|[.\[ ])[A-Z]", found[1]) else found[0]


def _code(text: str) -> str:
    return f"```py\n{text}\n```\n"  # not `python`: those are examples, which the tests run


def _documented(docstring: str | None) -> str:
    """The docstring, with its examples as code."""
    parts = []
    for block in inspect.cleandoc(docstring or "").split("\n\n"):
        if block.lstrip().startswith(">>>"):
            parts.append(f"```pycon\n{textwrap.dedent(block)}\n```")
        else:
            parts.append(block)
    return "\n\n".join(parts) + "\n"
