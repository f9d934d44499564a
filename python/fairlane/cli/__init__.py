"""The command line: `fairlane COMMAND ...`.

Options, messages and printing belong here, one file per command; the work of a command is in other packages. Commands
are loaded only when they are called, and heavy libraries only when they are needed, so that `fairlane --help` is fast.

Exit status: 0 success; 1 the run failed; 2 the request is invalid; 3 a fault of Fairlane's; 130 interrupted by Ctrl-C;
143 ended by SIGTERM, 129 by SIGHUP; 141 if the reader of its output is gone.
"""

import gc
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn

import click

from fairlane.cli import process
from fairlane.cli.help import Group
from fairlane.show.text.terminal import echo, print_what_cannot_be_encoded

GARBAGE_FROM_OBJECTS = 20_000
"""New objects between garbage collections: Python's default of a few hundred took longer than the tables."""
COMMANDS = {
    "Simulate": {
        "duel": "Simulate flows that share one bottleneck.",
        "matrix": "Let algorithms share a bottleneck in pairs, each with each.",
        "advise": "Recommend an algorithm, a queue discipline and a buffer size for a link.",
        "algorithms": "List the congestion controls; with --parameters, what can be set.",
    },
    "Learn": {
        "live": "Open the laboratory in a browser: watch packets, change the network while it runs.",
        "lab": "List the labs of a course, start one, and grade the answers.",
    },
    "Run experiments": {
        "new": "Write a commented experiment file to start from.",
        "show": "Print what an experiment file would run.",
        "run": "Run an experiment file and store the results.",
    },
    "Analyse results": {
        "table": "Print metrics of a sweep, averaged over repeats.",
        "compare": "Compare two results, and fail if a metric became worse.",
        "plot": "Plot results: time series, metrics against an axis, shares, distributions.",
        "report": "Write one page with tables, figures, claims and time series.",
        "verify": "Check the files of results for damage, and repair them.",
        "export": "Write results as CSV, Parquet, iperf3 JSON, Flent files or packet captures.",
    },
    "Real kernels": {
        "shell": "Run any program behind a simulated link.",
        "kernel": "Add a Linux kernel for `--on vm`, list and remove them.",
    },
    "Develop algorithms": {
        "algorithm": "Write, check and explain a congestion control; load it into the running kernel.",
        "tune": "Find Pareto-optimal parameters of an algorithm.",
        "break": "Find networks in which an algorithm fails.",
        "evidence": "Judge an algorithm by the criteria of RFC 9743.",
        "rank": "Rank algorithms by use case, over two hundred networks.",
    },
    "Reproduce published work": {
        "studies": "List the published studies that can be rerun, and what each needs.",
        "reproduce": "Rerun a published study and compare the results with the paper.",
        "claims": "List the claims of a published study with their verdicts.",
        "explain": "Run the change that shows why a claim does not hold.",
        "calibrate": "Fit testbed parameters that a paper omits.",
    },
    "Validate": {
        "fidelity": "Compare the simulator with recordings of Linux.",
        "packetdrill": "Play behaviour scripts against the simulator's TCP.",
        "bench": "Measure the simulator's speed and memory.",
    },
    "Use the command line": {
        "completion": "Print a script with which bash, zsh or fish completes names.",
    },
}


class Commands(Group):
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
        """Writes two commands to start with."""
        with formatter.section("Start with"):
            formatter.write_text("fairlane duel cubic bbr --rate 100mbit --rtt 20ms")
            formatter.write_text("fairlane COMMAND --help")


def _print_version(ctx: click.Context, _option: click.Parameter, wanted: bool) -> None:
    if wanted:
        from fairlane import __version__

        echo(f"fairlane {__version__}")
        ctx.exit()


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=_print_version, help="Print the version."
)
def commands() -> None:
    """A laboratory for TCP congestion control.

    Simulates algorithms, networks and traffic fast and deterministically, with a TCP that behaves like Linux's.
    """


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line and returns the exit status. Errors take one line, never a traceback."""
    process.fill_descriptors()
    print_what_cannot_be_encoded()
    gc.set_threshold(GARBAGE_FROM_OBJECTS)
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    if not arguments:
        arguments = ["--help"]
    if (reason := process.obstacle(arguments)) is not None:
        echo(f"fairlane: {reason}", err=True)
        return 2
    try:
        with process.signals_end_it():
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
    except (click.Abort, KeyboardInterrupt) as error:
        if isinstance(error.__cause__, EOFError) and "marshal" in str(error.__cause__):
            # Python takes no notice of a short write, and click takes the error for the end of what is typed.
            places = dict.fromkeys(str(Path(one).parents[1]) for one in (__file__, click.__file__))
            text = f"compiled Python is cut off, as after a full disk; remove the __pycache__ in {' and '.join(places)}"
            echo(f"fairlane: {text}", err=True)
            return 1
        ended = next((one for one in (error, error.__cause__) if isinstance(one, process.Ended)), None)
        _leave("fairlane: stopped", ended.status if ended else 130)
    except (BrokenPipeError, SystemExit) as error:
        # The reader of a pipe, such as `head`, closed it; click wraps the stream then, and exits with status 1.
        if isinstance(error, SystemExit) and not type(sys.stdout).__name__.endswith("PacifyFlushWrapper"):
            raise
        process.drop_output()
        return 141
    except BaseException as error:  # a panic of the extension is no Exception
        from fairlane.cli.errors import of_package

        known = of_package(error)
        if known is not None:
            _complain("fairlane", known)
            return known.exit_code
        if process.TRACEBACK in os.environ:
            raise
        if isinstance(error, OSError):
            process.drop_output()
        echo(f"fairlane: {process.last_line(error)}", err=True)
        return 1 if isinstance(error, OSError) or process.lacks_memory(error) else process.FAULT


def _complain(where: str, error: click.ClickException) -> None:
    from fairlane.cli.errors import one_line

    echo(f"{where}: {one_line(error)}", err=True)


def _leave(message: str, status: int) -> NoReturn:
    """Ends the process at once: a run in the background is not waited for."""
    from fairlane.files import remove_all_temporary_folders

    echo(message, err=True)
    remove_all_temporary_folders()
    if (processes := sys.modules.get("multiprocessing.process")) is not None:  # a Dask cluster, which may be starting
        for child in processes.active_children():
            child.kill()
    sys.stdout.flush()
    os._exit(status)
