"""`fairlane algorithm ...`: writes, checks and explains a congestion control, and loads it into the running kernel.

One file per subcommand. Errors of the kernel and of the algorithm become one message without a traceback.
"""

import click

from fairlane.cli.algorithm.check import check
from fairlane.cli.algorithm.explain import explain
from fairlane.cli.algorithm.kernel import listing, load, unload
from fairlane.cli.algorithm.new import new
from fairlane.cli.algorithm.trace import trace
from fairlane.cli.help import ExampleGroup


@click.group(
    cls=ExampleGroup,
    examples=[
        "fairlane algorithm new mine",
        "fairlane algorithm check mine.c",
        "fairlane algorithm explain cubic",
        "fairlane algorithm trace mine.c --from 3s --to 3.1s",
        "sudo $(command -v fairlane) algorithm load mine.c",
        "sudo $(command -v fairlane) algorithm list",
        "sudo $(command -v fairlane) algorithm unload mine",
    ],
)
def command() -> None:
    """Write a congestion control, check it, and load it into the running kernel.

    `fairlane algorithms` lists the bundled ones.
    """


for _one in (new, check, explain, trace, load, listing, unload):
    command.add_command(_one)
