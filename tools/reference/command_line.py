"""The page docs/reference/command-line.md, written from the commands themselves."""

import inspect
import re
from collections.abc import Iterator

import click
from fairlane.cli import COMMANDS, commands
from fairlane.cli.help import ExampleCommand, WithExamples
from fairlane.show.export.formats import FORMATS
from fairlane.show.plots.kinds import KINDS

from tools.reference.text import cell

_HEAD = """\
# The command line

Generated from the commands by `python -m tools.reference`. `--help` prints the same text. [Experiment
files](experiment-file.md) explains values with units (`100mbit`, `20ms`, `1bdp`), [exit statuses and
messages](messages.md) the exit statuses.
"""


def markdown() -> str:
    """The whole page."""
    context = click.Context(commands, info_name="fairlane")
    parts = [_HEAD, *_contents(context)]
    for names in COMMANDS.values():
        for name in names:
            command = commands.get_command(context, name)
            if command is not None:
                parts.append(_section(command, context, name))
    return "\n".join(parts)


def _contents(context: click.Context) -> Iterator[str]:
    for title, group in COMMANDS.items():
        yield f"**{title}**\n"
        for name, summary in group.items():
            yield f"- [`fairlane {name}`](#fairlane-{name}): {summary[0].lower()}{summary[1:]}"
        yield ""


def _section(command: click.Command, parent: click.Context, name: str, level: int = 2) -> str:
    context = click.Context(command, info_name=name, parent=parent)
    lines = [f"{'#' * level} fairlane {context.command_path.removeprefix('fairlane ')}\n"]
    usage = " ".join([context.command_path, *command.collect_usage_pieces(context)])
    lines += [f"```text\n{usage}\n```\n", _help(command), ""]
    for title, choices in _CHOICES.get(name, {}).items():
        lines += [
            f"| {title} | |\n|---|---|",
            *(f"| `{choice}` | {cell(what)} |" for choice, what in choices.items()),
            "",
        ]
    groups = [*_groups(command, context)]
    if groups:
        lines += ["| option | meaning | default |", "|---|---|---|"]
    for title, rows in groups:
        lines += ([f"| **{title}** | | |"] if title else []) + rows
    lines += [""] * bool(groups)
    if isinstance(command, WithExamples):
        lines += ["```sh", *command.examples, "```", ""]
    if isinstance(command, click.Group):
        for inner in command.list_commands(context):
            found = command.get_command(context, inner)
            if found is not None:
                lines.append(_section(found, context, inner, level + 1))
    return "\n".join(lines)


_CHOICES = {"plot": {"kind": KINDS}, "export": {"format": FORMATS}}
"""Placeholders for arguments of commands."""


def _help(command: click.Command) -> str:
    """The docstring; lines that it keeps as they are (`\\b`) become a list, lines with two columns a table."""
    text = inspect.cleandoc(command.help or "")
    kept = []
    for paragraph in text.split("\n\n"):
        lines = paragraph.splitlines()
        if lines and lines[0].strip() == "\b":
            kept.append(_listed([line.strip() for line in lines[1:]]))
        else:
            kept.append(paragraph)
    return "\n\n".join(kept)


def _listed(lines: list[str]) -> str:
    title = lines.pop(0) if lines and lines[0].endswith(":") else ""
    rows = []
    for line in lines:
        word, _, meaning = (part.strip() for part in re.sub(r"\s{2,}", "\0", line, count=1).partition("\0"))
        rows.append(f"- `{word}`: {meaning}" if meaning else f"- {line}")
    return "\n".join([f"{title}\n" if title else "", *rows]).strip()


def _groups(command: click.Command, context: click.Context) -> Iterator[tuple[str, list[str]]]:
    options = [one for one in command.params if isinstance(one, click.Option) and not one.hidden]
    groups = command.groups if isinstance(command, ExampleCommand) else {}
    grouped = {name for names in groups.values() for name in names}
    rest = [one.name or "" for one in options if one.name not in grouped]
    for title, names in {**groups, "Other options" if groups else "": rest}.items():
        rows = [_row(one, context) for one in options if one.name in names]
        if rows:
            yield title, rows


def _row(option: click.Option, context: click.Context) -> str:
    flags = " / ".join([", ".join(option.opts), *([", ".join(option.secondary_opts)] if option.secondary_opts else [])])
    wants = "" if option.is_flag else f" {option.make_metavar(context)}"
    text, _, said = (option.help or "").partition("[default: ")
    more = option.get_help_extra(context)
    meaning = cell(text)
    default = "required" if more.get("required") else more.get("default", said.rstrip("]. "))
    if more.get("range"):
        meaning = f"{meaning} ({more['range']})"
    flags = f"{flags}{wants}".replace("|", "\\|")
    return f"| `{flags}` | {meaning} | {cell(f'`{default}`' if default not in ('', 'required') else default)} |"
