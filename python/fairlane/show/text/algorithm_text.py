"""Congestion controls in words: a list with parameters, and everything about one."""

import textwrap
from collections.abc import Sequence

from fairlane.engine import Description, Summary


def lines_text(algorithms: Sequence[Summary], width: int) -> str:
    """A line for each algorithm, with the first words of its meaning, `width` columns wide."""
    names = max(len(one["name"]) for one in algorithms)
    classes = max(len(one["class"] or "") for one in algorithms)
    ordered = sorted(algorithms, key=lambda one: one["class"] or "")  # within a class as they are
    heads = [f"{one['name']:{names}}  {one['class'] or '':{classes}}  " for one in ordered]
    return "\n".join(_cut(head, one["summary"], width) for head, one in zip(heads, ordered, strict=True))


def _cut(head: str, text: str, width: int) -> str:
    return f"{head}{textwrap.shorten(text, max(20, width - len(head)), placeholder=' ...')}"


def list_text(algorithms: Sequence[Summary], width: int) -> str:
    """Names, meanings and parameters with their defaults by class, `width` columns wide."""
    lines: list[str] = []
    by_class: dict[str | None, list[Summary]] = {}
    for one in algorithms:
        by_class.setdefault(one["class"], []).append(one)
    for one in [one for some in by_class.values() for one in some]:
        if one is by_class[one["class"]][0]:
            lines.append(f"{chr(10) if lines else ''}{one['class']}:")
        known_as = f" (also {', '.join(one['aliases'])})" if one["aliases"] else ""
        lines.append(_wrap(f"{one['name']:<12}", one["summary"] + known_as, width, 12))
        for parameter in one["parameters"]:
            unit = f" [{parameter['unit']}]" if parameter.get("unit") else ""
            text = f"= {parameter['default']:g}{unit}  {parameter.get('doc') or ''}"
            lines.append(_wrap(f"    {parameter['name']} ", text, width, 8))
    return "\n".join(lines)


def description_text(found: Description, word: str, width: int, *, is_python: bool) -> str:
    """The opening comment, the name in the kernel and the parameters of the algorithm that the user calls `word`."""
    lines = [found["header"] or f"{found['name']}: its file has no opening comment"]
    lines += ["", f"Also known as {', '.join(found['aliases'])}."] if found["aliases"] else []
    kernel = f"In the kernel: {found['kernel_name'] or 'no name'}"
    lines += ["", "A Python class, for the simulator only." if is_python else kernel, ""]
    if not found["parameters"]:
        return "\n".join([*lines, "No parameters."])
    lines.append("Parameters (default, unit, meaning and source):")
    for parameter in found["parameters"]:
        unit = f" {parameter['unit']}" if parameter["unit"] else ""
        lines.append(f"  {parameter['name']} = {parameter['default']}{unit}")
        lines.append(_wrap(" " * 6, parameter["doc"] or "(not documented in its file)", width, 6))
    first = found["parameters"][0]
    return "\n".join([*lines, "", f"Example: fairlane duel {word}:{first['name']}={first['default']}"])


def _wrap(head: str, text: str, width: int, hanging: int) -> str:
    return textwrap.fill(text, width, initial_indent=head, subsequent_indent=" " * hanging)
