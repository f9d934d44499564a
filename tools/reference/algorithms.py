"""The page docs/reference/algorithms.md, written from the opening comment of each algorithm's file."""

import re
from collections.abc import Iterator
from typing import Any

from fairlane.engine import algorithms, describe

from tools.reference.text import cell, prose

_HEAD = """\
# Algorithms

Generated from the opening comment of each file in `algorithms/` by `python -m tools.reference`; `fairlane algorithm
explain NAME` prints the same, with `--source` the program. Each is one C file, which the simulator runs and the kernel
loads; [add yours in five steps](../../algorithms/README.md). Parameters follow a colon:

```sh
fairlane duel cubic:beta=800 cubic
```

Gains are fractions: `1/256` means that 256 represents 1.
"""


def markdown() -> str:
    """The whole page."""
    found = [describe(one["name"]) for one in algorithms()]
    parts = [_HEAD, "| algorithm | class | summary |", "|---|---|---|"]
    parts += [f"| [`{one['name']}`](#{one['name']}) | {one['class']} | {cell(_summary(one))} |" for one in found]
    for one in found:
        parts += ["", *_section(one)]
    return "\n".join(parts) + "\n"


def _summary(one: dict[str, Any]) -> str:
    return str(one["header"]).splitlines()[0].partition(": ")[2]


def _section(one: dict[str, Any]) -> Iterator[str]:
    name = one["name"]
    yield f"## {name}\n"
    summary = _summary(one)
    yield f"{prose(summary[:1].upper() + summary[1:])}.\n"
    also = f" Also called {', '.join(f'`{alias}`' for alias in one['aliases'])}." if one["aliases"] else ""
    kernel = one["kernel_name"]
    yield f"Program: [`algorithms/{name}.c`](../../algorithms/{name}.c); in the kernel `{kernel}`.{also}\n"
    yield from _header("\n".join(one["header"].splitlines()[1:]))
    if not one["parameters"]:
        yield "No parameters.\n"
        return
    yield "| parameter | default | unit | meaning and source |"
    yield "|---|--:|---|---|"
    for parameter in one["parameters"]:
        unit, meaning = cell(parameter["unit"] or ""), cell(parameter["doc"] or "")
        yield f"| `{parameter['name']}` | {parameter['default']} | {unit} | {meaning} |"


def _header(text: str) -> Iterator[str]:
    """Formulas and state diagrams are indented with a tab and stay as they are; numbered lines become a list."""
    for block in re.split(r"\n\s*\n", text.strip("\n")):
        lines = block.splitlines()
        if any(line.startswith("\t") for line in lines):
            yield "```text\n" + "\n".join(line.expandtabs(8)[8:] if line[:1] == "\t" else line for line in lines)
            yield "```\n"
            continue
        paragraph: list[str] = []
        items: list[str] = []
        for line in lines:
            if re.match(r"\d+\. ", line):
                items.append(line.strip())
            elif items:
                items[-1] += f" {line.strip()}"
            else:
                paragraph.append(line.strip())
        if paragraph:
            yield prose(" ".join(paragraph)) + "\n"
        if items:
            yield "\n".join(prose(item) for item in items) + "\n"
