"""What commands ask about a bottleneck in the same words."""

import click

from fairlane.cli import completion
from fairlane.engine.declarations import queues
from fairlane.scenario.links import ALIASES, LINKS
from fairlane.scenario.queue import limit_key

QUEUES = [kind for kind in queues() if limit_key(kind)]
"""The queue disciplines with a limit, which `--buffer` sets."""

link_option = click.option(
    "--link",
    shell_complete=completion.one_of(lambda: LINKS),
    metavar="NAME",
    callback=lambda _context, _parameter, name: ALIASES.get(name, name),
    help=f"A typical link: {', '.join(LINKS)}; other options replace its values.",
)
"""`--link`: a typical link by name."""

queue_option = click.option(
    "--queue",
    default="fifo",
    show_default=True,
    metavar="KIND[:OPTION=VALUE,...]",
    help=f"Queue discipline, with tc's options and defaults: {', '.join(QUEUES)}.",
)
"""`--queue`: a queue discipline with its options."""
