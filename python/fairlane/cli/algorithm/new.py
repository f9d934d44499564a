"""`fairlane algorithm new`: writes a C file from a template."""

import re
from pathlib import Path

import click

from fairlane.cli.errors import bad_value, write_new
from fairlane.cli.help import ExampleCommand
from fairlane.show.text.terminal import echo

_TEMPLATE = Path(__file__).parents[2] / "algorithm" / "templates" / "algorithm.c"
_PLACEHOLDER = re.compile(r"\bmine(?=\b|_)")
_MOST_LETTERS = 15
_NO_NAME = "'{}' cannot name a C program; use lower-case letters, digits and _, such as my_bbr"


@click.command(
    cls=ExampleCommand, examples=["fairlane algorithm new mine", "fairlane algorithm new mine --dir algorithms"]
)
@click.argument("name")
@click.option(
    "--dir",
    "folder",
    metavar="FOLDER",
    default=".",
    type=click.Path(exists=True, file_okay=False, writable=True, path_type=Path),
    help="The folder for the file; default: the current one.",
)
def new(name: str, folder: Path) -> None:
    """Write NAME.c, a commented congestion control that already runs.

    It compiles for the simulator and for the kernel.
    """
    _check_name(name)
    path = folder / f"{name}.c"
    text = _PLACEHOLDER.sub(name, _TEMPLATE.read_text(encoding="utf-8"))
    write_new(path, text, "another name or folder (--dir)")
    _try(path, name)
    shown = path if path.parent != Path(".") else f"./{path}"
    echo(f"{path} written. It already runs:")
    echo(f"  fairlane duel {shown} cubic         against CUBIC in the simulator")
    echo(f"  fairlane algorithm check {shown}    compilers, verifier, eleven networks")
    echo(f"  sudo $(command -v fairlane) algorithm load {shown}   into the running kernel")


def _try(path: Path, name: str) -> None:
    """Rejects names that do not compile: C keywords, and names that the file itself uses."""
    from fairlane.algorithm import describe
    from fairlane.engine import AlgorithmError

    try:
        describe(str(path))
    except AlgorithmError as error:
        if "no C compiler" not in str(error):
            path.unlink()
            raise bad_value("NAME", _NO_NAME.format(name)) from None


def _check_name(name: str) -> None:
    from fairlane.algorithm.kernel.registry import available
    from fairlane.engine import algorithms

    if not re.fullmatch(r"[a-z][a-z0-9_]*", name):
        raise bad_value("NAME", _NO_NAME.format(name))
    if len(name) > _MOST_LETTERS:
        raise bad_value("NAME", f"'{name}' is too long for the kernel; use at most {_MOST_LETTERS} letters")
    built_in = {known for algorithm in algorithms() for known in (algorithm["name"], *algorithm["aliases"])}
    if name in built_in:
        raise bad_value("NAME", f"'{name}' is a bundled algorithm; choose another name, such as my_{name}"[:200])
    if name in available():
        raise bad_value("NAME", f"'{name}' is a congestion control of this kernel; choose another name")
