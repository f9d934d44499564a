"""`fairlane compare`: what changed between two results."""

from pathlib import Path

import click

from fairlane.cli.errors import bad_value
from fairlane.cli.help import ExampleCommand
from fairlane.cli.results import NameList, filters, metrics, metrics_from, open_results
from fairlane.cli.table import PER
from fairlane.cli.types import Quantity
from fairlane.metrics.usual import USUAL
from fairlane.units import probability
from fairlane.wording import unknown


@click.command(
    cls=ExampleCommand,
    examples=[
        "fairlane compare results/before results/after",
        "fairlane compare before after --per group --metrics goodput_mbps --tolerance 5%",
    ],
)
@click.argument("before", metavar="BEFORE", type=click.Path(path_type=Path))
@click.argument("after", metavar="AFTER", type=click.Path(path_type=Path))
@click.option("--metrics", "metric_names", type=NameList(), help="What to compare; `fairlane table --list` names all.")
@click.option("--per", metavar="|".join(PER), default="run", show_default=True, help="What is compared with what.")
@click.option(
    "--tolerance",
    type=Quantity("SHARE", probability),
    default="1%",
    show_default=True,
    help="Differences within this share of the value before do not matter.",
)
@click.option("--where", multiple=True, metavar="AXIS=VALUE[,VALUE]", help="Only these values of an axis.")
@click.option("--all", "everything", is_flag=True, help="Show also what is the same.")
@metrics_from
def command(
    before: Path,
    after: Path,
    metric_names: list[str] | None,
    per: str,
    tolerance: float,
    where: tuple[str, ...],
    everything: bool,
    metric_files: tuple[Path, ...],
) -> int:
    """Show what changed between two results, with intervals.

    BEFORE and AFTER are folders that `fairlane run` filled, of the same experiment: of another version, another
    algorithm file, another setting. Intervals are 95 % BCa bootstrap intervals of the difference of the means, so each
    side needs at least three repeats, and ten are better. The exit status is 1 if something became worse, beyond the
    tolerance and beyond chance; 0 otherwise.
    """
    if per not in PER:
        raise bad_value("--per", unknown("kind of row", per, PER))
    first, second = (open_results(path, None, name) for path, name in ((before, "BEFORE"), (after, "AFTER")))
    chosen = metrics("--metrics", metric_names or USUAL[per], metric_files)
    if metric_names is None:
        chosen = [metric for metric in chosen if metric.better]
    from fairlane.compare import CompareError, compare
    from fairlane.metrics import MetricError
    from fairlane.present.changes import render

    try:
        found = compare(first, second, chosen, per=per, tolerance=tolerance, filters=filters(first, where))
    except MetricError as error:
        raise bad_value("--metrics", str(error)) from None
    except CompareError as error:
        raise bad_value("AFTER", str(error)) from None
    click.echo(render(found, first.axes, everything))
    return 1 if found.regressed else 0
