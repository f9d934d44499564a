"""The layout of a command's help: options in named groups, and examples at the end."""

from collections.abc import Mapping
from typing import Any

import click


class WithExamples(click.Command):
    """A command whose help ends with `examples`, one per line."""

    def __init__(self, *args: Any, examples: list[str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.examples = examples

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes the examples."""
        with formatter.section("Examples"):
            for example in self.examples:
                formatter.write(f"{'':{formatter.current_indent}}{example}\n")


class Group(click.Group):
    """Commands in the order of use; a mistyped one is reported with the known ones."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of all commands."""
        return list(self.commands)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Finds the command that `args` start with, or reports the known ones."""
        names = self.list_commands(ctx)
        if not args[0].startswith("-") and args[0] not in names:
            from fairlane.engine.messages import unknown

            ctx.fail(unknown("command", args[0], names))
        return super().resolve_command(ctx, args)


class ExampleGroup(WithExamples, Group):
    """A command of commands whose help has examples (`examples=[...]`)."""


class ExampleCommand(WithExamples):
    """A command whose help has examples (`examples=[...]`) and groups of options (`groups={title: [name, ...]}`).

    `lists` are names with descriptions, by title, such as the values of an argument.
    """

    def __init__(
        self,
        *args: Any,
        groups: dict[str, list[str]] | None = None,
        lists: dict[str, Mapping[str, str]] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.groups = groups or {}
        self.lists = lists or {}

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes the lists, and each group of options under its title, ungrouped options last."""
        for title, described in self.lists.items():
            with formatter.section(title):
                formatter.write_dl(list(described.items()))
        grouped = {name for names in self.groups.values() for name in names}
        options = [option for option in self.get_params(ctx) if isinstance(option, click.Option)]
        rest = [option.name for option in options if option.name not in grouped]
        for title, names in {**self.groups, "Other options" if self.groups else "Options": rest}.items():
            records = [option.get_help_record(ctx) for option in options if option.name in names]
            rows = [record for record in records if record]
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)
