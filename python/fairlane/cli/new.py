"""`fairlane new`: writes an experiment file from a template."""

from pathlib import Path

import click

from fairlane.cli import completion
from fairlane.cli.errors import RunFailed, bad_value
from fairlane.cli.help import ExampleCommand
from fairlane.engine.messages import unknown
from fairlane.scenario.experiment_templates import templates, text_of
from fairlane.show.text.terminal import echo


class TemplateCommand(ExampleCommand):
    """Help that lists the templates."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes the templates, then the options."""
        with formatter.section("Templates"):
            formatter.write_dl(list(templates().items()))
        super().format_options(ctx, formatter)


@click.command(cls=TemplateCommand, examples=["fairlane new home-router", "fairlane new rrul -o my-line.toml"])
@click.argument("template", metavar="TEMPLATE", shell_complete=completion.one_of(templates))
@click.option("-o", "--out", type=click.Path(dir_okay=False, path_type=Path), help="Default: TEMPLATE.toml.")
def command(template: str, out: Path | None) -> None:
    """Write a commented experiment file that already runs."""
    known = templates()
    if template not in known:
        raise bad_value("TEMPLATE", unknown("template", template, known))
    path = out or Path(f"{template}.toml")
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(text_of(template))
    except FileExistsError:
        raise RunFailed(f"{path} already exists; choose another file with -o, or remove it") from None
    except OSError as error:
        raise RunFailed(f"{path} cannot be written ({error.strerror}); choose another file with -o") from None
    echo(f"{path} written. It already runs:")
    echo(f"  fairlane show {path}                what it would run, and how long that takes")
    echo(f"  fairlane run {path}                 results in results/{path.stem}")
    echo(f"  fairlane table results/{path.stem}")
