"""`fairlane algorithm explain`: description and parameters of an algorithm."""

import click

from fairlane.algorithm.name import Kind
from fairlane.cli import completion
from fairlane.cli.containment import show_notices
from fairlane.cli.help import ExampleCommand
from fairlane.cli.options import algorithm_named
from fairlane.show.text.terminal import echo, echo_exactly, width


@click.command(
    cls=ExampleCommand,
    examples=[
        "fairlane algorithm explain cubic",
        "fairlane algorithm explain ./mine.c",
        "fairlane algorithm explain bbr --source",
    ],
)
@click.argument("algorithm", metavar="NAME|FILE", shell_complete=completion.algorithms)
@click.option("--source", is_flag=True, help="Print the source code instead.")
def explain(algorithm: str, source: bool) -> None:
    """Explain an algorithm: idea, source, deviations, parameters."""
    from fairlane.algorithm import describe
    from fairlane.show.text.algorithm_text import description_text

    show_notices(click.get_current_context())
    named = algorithm_named(algorithm)
    found = describe(named.source)
    if source:
        echo_exactly(found["source"])
        return
    echo(description_text(found, algorithm, width(), is_python=named.kind is Kind.PYTHON))
