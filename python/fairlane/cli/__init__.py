"""The command line: `fairlane COMMAND ...`.

What belongs here: options, messages, and the choice of what to print; one file per command. What a
command does stands elsewhere in the package. Commands are loaded only when they are called, and heavy
libraries only when they are needed, so that `fairlane --help` answers at once.

Exit status: 0 done; 1 the run failed; 2 something was asked for that cannot be; 130 stopped by Ctrl-C.
"""

import gc
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any, NoReturn

import click

GARBAGE_FROM_OBJECTS = 20_000
"""So many new objects before Python looks for garbage: with its usual few hundred that took longer than the tables."""
COMMANDS = {
    "Ask the simulator": {
        "duel": "Let flows share one bottleneck and see who gets what.",
        "algorithms": "List the congestion controls and their parameters.",
    },
    "Run experiments": {
        "show": "Print what an experiment file would run.",
        "run": "Run an experiment file and store the results.",
    },
    "Look at results": {
        "table": "Print figures of a sweep, averaged over repeats.",
        "compare": "Show what changed between two results, and fail if it is worse.",
        "plot": "Draw results: over time, against an axis, as shares, as distributions.",
        "report": "Write one page with tables, figures, claims and time series.",
        "export": "Write results as CSV, Parquet, iperf3 JSON, Flent files or packet captures.",
    },
    "Make your own": {
        "algorithm": "Write, check and explain one; load it into the running kernel.",
        "tune": "Search an algorithm's parameters for several objectives at once.",
    },
    "Rerun published work": {
        "reproduce": "Run a published study and show ours beside theirs.",
    },
    "Trust it": {
        "fidelity": "Compare the simulator with what real Linux did.",
        "packetdrill": "Play behaviour scripts against the simulator's TCP.",
        "bench": "Measure the simulator's speed and memory.",
    },
}


class Commands(click.Group):
    """Finds a command in the module of its name, and lists commands by purpose."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of all commands."""
        return [name for group in COMMANDS.values() for name in group]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command, loaded now."""
        if cmd_name not in self.list_commands(ctx):
            return None
        command: click.Command = getattr(import_module(f"fairlane.cli.{cmd_name}"), "command")  # noqa: B009
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes the list of commands without loading any."""
        for title, commands in COMMANDS.items():
            with formatter.section(title):
                formatter.write_dl(list(commands.items()))

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes two ways to begin."""
        with formatter.section("Begin with"):
            formatter.write_text("fairlane duel cubic bbr --rate 100mbit --rtt 20ms")
            formatter.write_text("fairlane COMMAND --help")

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Finds the command that `args` begin with, or says which there are."""
        name = args[0]
        if not name.startswith("-") and self.get_command(ctx, name) is None:
            from fairlane.wording import unknown

            names = self.list_commands(ctx)
            ctx.fail(unknown("command", name, names))
        return super().resolve_command(ctx, args)


def _print_version(ctx: click.Context, _option: click.Parameter, wanted: bool) -> None:
    if wanted:
        from fairlane import __version__

        click.echo(f"fairlane {__version__}")
        ctx.exit()


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=_print_version, help="Print the version."
)
def commands() -> None:
    """A laboratory for TCP congestion control.

    Algorithms, networks and traffic in a fast deterministic simulator whose TCP behaves as Linux does.
    """


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line and returns the exit status. Errors take one line, never a traceback."""
    gc.set_threshold(GARBAGE_FROM_OBJECTS)
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    if not arguments:
        arguments = ["--help"]
    try:
        status: Any = commands.main(arguments, prog_name="fairlane", standalone_mode=False)
        sys.stdout.flush()
        return status if isinstance(status, int) else 0
    except click.UsageError as error:
        where = error.ctx.command_path if error.ctx else "fairlane"
        _complain(where, error)
        return 2
    except click.ClickException as error:
        _complain("fairlane", error)
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        _leave("fairlane: stopped", 130)
    except BrokenPipeError:  # the reader of a pipe, such as `head`, had enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141


def _complain(where: str, error: click.ClickException) -> None:
    from fairlane.cli.errors import one_line

    click.echo(f"{where}: {one_line(error)}", err=True)


def _leave(message: str, status: int) -> NoReturn:
    """Ends the process at once: a run in the background is not waited for."""
    click.echo(message, err=True)
    sys.stdout.flush()
    os._exit(status)
