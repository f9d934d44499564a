"""`fairlane completion`: completion of commands, algorithms, studies, metrics and files in a shell.

The functions below offer the values of arguments and options. The shell waits for them, so each imports
only what it needs.
"""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.shell_completion import CompletionItem, get_completion_class

from fairlane.cli.help import ExampleCommand
from fairlane.show.text.terminal import echo_exactly

if TYPE_CHECKING:
    from fairlane.study.paper.definition import Study

VARIABLE = "_FAIRLANE_COMPLETE"
"""How the scripts ask: click's name for a program called fairlane."""
Complete = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]
_ZSH = (
    (" -U", ' -U "${suffix[@]}"'),
    ("    local -a response", "    local -a response suffix"),
    (
        "    done\n",
        "    done\n    [[ ${completions_with_descriptions[1]}${completions[1]} == *=(|:*) ]] && suffix=(-S '')\n",
    ),
    ("    compdef _", "    (( $+functions[compdef] )) || { autoload -Uz compinit && compinit }\n    compdef _"),
)
"""Changes of click's script: it needs no ~/.zshrc that has started completion, and adds no blank after `target=`."""
FILE = [CompletionItem("", type="file")]
"""The shell completes names of files."""


@click.command(
    cls=ExampleCommand, examples=["fairlane completion bash", "fairlane completion zsh", "fairlane completion fish"]
)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]), metavar="bash|zsh|fish")
def command(shell: str) -> None:
    """Print a script with which the shell completes names.

    It completes commands, options, algorithms and their parameters, queues, studies and their parts, metrics, axes,
    kinds of plots and files; after a colon or an equals sign in zsh and fish only. Append it to ~/.bashrc (bash
    4.4 or later) or ~/.zshrc, or write it to ~/.config/fish/completions/fairlane.fish.
    """
    from fairlane.cli import commands

    found = get_completion_class(shell)
    assert found is not None, "click knows the three"
    text = found(commands, {}, "fairlane", VARIABLE).source()
    for old, new in _ZSH if shell == "zsh" else ():
        text = text.replace(old, new)
    echo_exactly(text)


def algorithms(_ctx: click.Context, _parameter: click.Parameter, typed: str) -> list[CompletionItem]:
    """Bundled algorithms with what they are, and files."""
    from fairlane.engine import algorithms as bundled

    head, colon, given = typed.rpartition(":")
    if colon:
        before, comma, last = given.rpartition(",")
        named = _parameters(head, last)
        return [CompletionItem(f"{head}:{before}{comma}{name}=", help=text) for name, text in named]
    if "/" in typed or typed.startswith("."):
        return FILE
    found = [(name, one["summary"]) for one in bundled() for name in (one["name"], *one["aliases"])]
    return [CompletionItem(name, help=summary) for name, summary in found if name.startswith(typed)] or FILE


def studies(_ctx: click.Context, _parameter: click.Parameter, typed: str) -> list[CompletionItem]:
    """Published studies, and folders with others."""
    from fairlane.files import data_folder
    from fairlane.study.paper.definition import names

    return _those(names(data_folder("studies")), typed) or [CompletionItem("", type="dir")]


def metrics(_ctx: click.Context, _parameter: click.Parameter, typed: str) -> list[CompletionItem]:
    """Names of metrics; after a comma the next."""
    from fairlane.results.metrics.catalogue import catalogue

    before, comma, last = typed.rpartition(",")
    found = [metric for metric in catalogue() if metric.name.startswith(last)]
    return [CompletionItem(before + comma + metric.name, help=metric.label) for metric in found]


def one_of(names: Callable[[], Iterable[str]]) -> Complete:
    """Names from a list that is asked for when it is needed."""
    return lambda _ctx, _parameter, typed: _those(names(), typed)


def _those(names: Iterable[str], typed: str) -> list[CompletionItem]:
    return [CompletionItem(name) for name in names if name.startswith(typed)]


def queues(_ctx: click.Context, _parameter: click.Parameter, typed: str) -> list[CompletionItem]:
    """Queue disciplines; after a colon or a comma the options of the discipline."""
    from fairlane.engine.declarations import queues as kinds
    from fairlane.scenario.queue import options_of

    kind, colon, given = typed.partition(":")
    if not colon or kind not in kinds():
        return _those(kinds(), typed)
    before, comma, last = given.rpartition(",")
    found = [f"{option}=" for option in options_of(kind) if option.startswith(last)]
    return [CompletionItem(f"{kind}:{before}{comma}{option}") for option in found]


def settings(ctx: click.Context, _parameter: click.Parameter, typed: str) -> list[CompletionItem]:
    """Parameters of the algorithm that the command is about: `--set beta=`."""
    named = _parameters(_first_argument(ctx, "algorithm"), typed)
    return [CompletionItem(f"{name}=", help=text) for name, text in named]


def parts_of_study(ctx: click.Context, _parameter: click.Parameter, typed: str) -> list[CompletionItem]:
    """Tables, figures and experiments of the study that the command is about."""
    study = _study(ctx)
    if study is None:
        return []
    return _those([*(item.name for item in study.file.items), *study.file.experiments], typed)


def axes(ctx: click.Context, _parameter: click.Parameter, typed: str) -> list[CompletionItem]:
    """Axes of the results, or of the study, that the command is about; after `=` the values."""
    found = _axes(ctx)
    name, equals, values = typed.partition("=")
    if not equals:
        return [CompletionItem(f"{axis}=") for axis in found if axis.startswith(name)]
    before, comma, last = values.rpartition(",")
    return [CompletionItem(f"{name}={before}{comma}{value}") for value in found.get(name, ()) if value.startswith(last)]


def _parameters(algorithm: str, typed: str) -> list[tuple[str, str]]:
    """Names and meanings of the parameters of a bundled algorithm or C file that begin so."""
    from fairlane.algorithm import describe
    from fairlane.algorithm.name import Algorithm, Kind, read
    from fairlane.engine import AlgorithmError, algorithms

    source = read(algorithm).source
    if Algorithm(source).kind is Kind.PYTHON:  # which would run
        return []
    known = {name: one for one in algorithms() for name in (one["name"], *one["aliases"])}
    try:
        found = known[source]["parameters"] if source in known else describe(source)["parameters"]
    except (AlgorithmError, OSError):
        return []
    return [(one["name"], one["doc"] or "") for one in found if one["name"].startswith(typed)]


def _first_argument(ctx: click.Context, name: str) -> str:
    """The first argument of a command, called `name`; click has not assigned it while the last option lacks a value."""
    found = ctx.params.get(name) or next(iter(ctx.args), "")
    return str(found)


def _study(ctx: click.Context) -> "Study | None":
    from fairlane.files import data_folder
    from fairlane.study.paper.definition import StudyError, load

    name = _first_argument(ctx, "study")
    if not any(parameter.name == "study" for parameter in ctx.command.params) or not name:
        return None
    try:
        return load(data_folder("studies") / name)
    except (OSError, StudyError):
        return None


def _axes(ctx: click.Context) -> dict[str, list[str]]:
    """Names and labels of axes."""
    from fairlane.results.store.layout import StoreError
    from fairlane.results.tables import ResultTables
    from fairlane.scenario.diagnostics import ExperimentError
    from fairlane.scenario.load import load_sweep

    found: dict[str, list[str]] = {}
    try:
        if (study := _study(ctx)) is not None:
            sources = [study.source(name, quick=False)[0] for name in study.file.experiments]
            every = [axis for source in sources for axis in load_sweep(source).axes]
        else:
            folder = _first_argument(ctx, "results") or _first_argument(ctx, "before")
            every = list(ResultTables(Path(folder), light=True).axes) if folder else []
    except (ExperimentError, OSError, StoreError):
        return {}
    for axis in every:
        found[axis.name] = list(dict.fromkeys([*found.get(axis.name, ()), *axis.labels]))
    return found
