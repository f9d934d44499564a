"""`fairlane completion`: completion of commands, algorithms, studies, metrics and files in a shell.

The functions below offer the values of arguments and options. The shell waits for them, so each imports
only what it needs.
"""

from collections.abc import Callable, Iterable

import click
from click.shell_completion import CompletionItem, get_completion_class

from fairlane.cli.help import ExampleCommand
from fairlane.show.text.terminal import echo_exactly

VARIABLE = "_FAIRLANE_COMPLETE"
"""How the scripts ask: click's name for a program called fairlane."""
Complete = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]
FILE = [CompletionItem("", type="file")]
"""The shell completes names of files."""


@click.command(
    cls=ExampleCommand, examples=["fairlane completion bash", "fairlane completion zsh", "fairlane completion fish"]
)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]), metavar="bash|zsh|fish")
def command(shell: str) -> None:
    """Print a script with which the shell completes names.

    It completes commands, options, algorithms, studies, metrics, kinds of plots and files. Append it to ~/.bashrc (bash
    4.4 or later) or ~/.zshrc, or write it to ~/.config/fish/completions/fairlane.fish.
    """
    from fairlane.cli import commands

    found = get_completion_class(shell)
    assert found is not None, "click knows the three"
    echo_exactly(found(commands, {}, "fairlane", VARIABLE).source())


def algorithms(_ctx: click.Context, _parameter: click.Parameter, typed: str) -> list[CompletionItem]:
    """Bundled algorithms with what they are, and files."""
    from fairlane.engine import algorithms as bundled

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
