"""`fairlane new`: writes an experiment file from a template."""

from pathlib import Path

import click

from fairlane.cli import completion
from fairlane.cli.errors import RunFailed, bad_value
from fairlane.cli.help import ExampleCommand
from fairlane.engine.messages import unknown
from fairlane.scenario.document import TEMPLATES
from fairlane.show.text.terminal import echo


class TemplateCommand(ExampleCommand):
    """Help that lists the templates."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes the templates, then the options."""
        with formatter.section("Templates"):
            first_lines = [path.read_text(encoding="utf-8").split("\n", 1)[0] for path in TEMPLATES.values()]
            formatter.write_dl(list(zip(TEMPLATES, (line.removeprefix("# ") for line in first_lines), strict=True)))
        super().format_options(ctx, formatter)


@click.command(cls=TemplateCommand, examples=["fairlane new home-router", "fairlane new rrul -o my-line.toml"])
@click.argument("template", metavar="TEMPLATE", shell_complete=completion.one_of(lambda: TEMPLATES))
@click.option("-o", "--out", type=click.Path(dir_okay=False, path_type=Path), help="Default: TEMPLATE.toml.")
def command(template: str, out: Path | None) -> None:
    """Write a commented experiment file that already runs."""
    if template not in TEMPLATES:
        raise bad_value("TEMPLATE", unknown("template", template, TEMPLATES))
    path = out or Path(f"{template}.toml")
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(TEMPLATES[template].read_text(encoding="utf-8"))
    except FileExistsError:
        raise RunFailed(f"{path} already exists; choose another file with -o, or remove it") from None
    except OSError as error:
        raise RunFailed(f"{path} cannot be written ({error.strerror}); choose another file with -o") from None
    echo(f"{path} written. It already runs:")
    echo(f"  fairlane show {path}                what it would run, and how long that takes")
    echo(f"  fairlane run {path}                 results in results/{path.stem}")
    echo(f"  fairlane table results/{path.stem}")
