"""The types of option values: quantities with units, lists of them, files that will be written."""

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

from fairlane.engine.messages import unknown
from fairlane.files import refuse_links
from fairlane.scenario.units import QuantityError

if TYPE_CHECKING:
    Type = click.ParamType[Any]
else:  # older versions of click know no parameter here
    Type = click.ParamType


class Quantity(Type):
    """One quantity, read by a parser of `fairlane.scenario.units`."""

    def __init__(self, metavar: str, parse: Callable[[str], Any]) -> None:
        self.name = metavar
        self.parse = parse

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The text as a quantity."""
        if not isinstance(value, str):
            return value
        try:
            return self.parse(value)
        except QuantityError as error:
            self.fail(str(error), param, ctx)


class QuantityText(Quantity):
    """One quantity, which is checked and remains text."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The text."""
        super().convert(value, param, ctx)
        return value


class QuantityTexts(QuantityText):
    """Quantities with commas between them, as text: one for all flows, or one for each."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The texts."""
        if not isinstance(value, str):
            return value
        return [super(QuantityTexts, self).convert(part.strip(), param, ctx) for part in value.split(",")]


class NameList(Type):
    """Names with commas between them."""

    name = "NAME[,NAME...]"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> list[str]:
        """The text as a list."""
        return value if isinstance(value, list) else [name.strip() for name in str(value).split(",") if name.strip()]


class OneOf(Type):
    """One of some names, which the shell completes."""

    def __init__(self, what: str, known: Iterable[str]) -> None:
        """`what` a name is of, as messages say it."""
        self.name, self.known = what, known

    def get_metavar(self, param: click.Parameter, ctx: click.Context | None = None) -> str:
        """All names; an argument has one of its own."""
        return "|".join(self.known)

    def get_missing_message(self, param: click.Parameter, ctx: click.Context | None) -> str:
        """The names, if none is given."""
        return f"one of {', '.join(self.known)}"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The name, if there is such a one."""
        if value not in self.known:
            order = ""
            if ctx and Path(str(value)).is_dir():
                arguments = [one for one in ctx.command.params if isinstance(one, click.Argument)]
                if param in arguments[1:]:
                    order = f" (the folder is named first: {' '.join(one.make_metavar(ctx) for one in arguments)})"
            self.fail(unknown(self.name, value, self.known) + order, param, ctx)
        return str(value)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Those that begin with the text."""
        return [CompletionItem(name) for name in self.known if name.startswith(incomplete)]


class WholeNumber(Type):
    """An integer between two bounds."""

    name = "N"

    def __init__(self, least: int, most: int, example: int) -> None:
        self.least, self.most, self.example = least, most, example

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The text as a number."""
        try:
            number = int(value)
        except ValueError:
            self.fail(f"'{value}' is not an integer; write for example {self.example}", param, ctx)
        if not self.least <= number <= self.most:
            self.fail(
                f"{value} is not between {self.least} and {self.most}; write for example {self.example}", param, ctx
            )
        return number


class OutputFile(Type):
    """A file to be written, checked before the work begins."""

    name = "FILE"

    def __init__(self, suffixes: tuple[str, ...] = (), *, allow_dash: bool = False) -> None:
        self.suffixes = suffixes
        self.allow_dash = allow_dash

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        """The text as a path that can be written."""
        path = Path(value)
        if self.allow_dash and value == "-":
            return path
        if self.suffixes and path.suffix.lower() not in self.suffixes:
            self.fail(
                f"'{value}' has no suffix that says which kind of file; end it in {', '.join(self.suffixes)}",
                param,
                ctx,
            )
        if path.is_dir():
            self.fail(f"'{value}' is a folder; name a file", param, ctx)
        if not path.parent.is_dir():
            self.fail(f"'{path.parent}' does not exist; create it first, or choose another folder", param, ctx)
        try:
            refuse_links(path)
        except OSError as error:
            self.fail(f"'{value}' cannot be written: {error.strerror}, or choose another file", param, ctx)
        if not os.access(path.parent, os.W_OK | os.X_OK) or (path.exists() and not os.access(path, os.W_OK)):
            self.fail(f"'{value}' cannot be written; choose another file or change its permissions", param, ctx)
        return path
