"""Executes a notebook of the documentation in place: python tools/execute_notebook.py docs/guides/first-steps.ipynb

No Jupyter is needed: each cell of code runs as Python, and the value of its last expression is kept as a notebook would
show it. So the same notebook has the same content on every machine, and a test can run it.
"""

import ast
import base64
import contextlib
import io
import json
import sys
from pathlib import Path
from typing import Any


def execute(notebook: dict[str, Any]) -> dict[str, Any]:
    """The notebook with the outputs that its cells give now."""
    names: dict[str, Any] = {"__name__": "__main__"}
    number = 0
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            number += 1
            cell["execution_count"] = number
            cell["outputs"] = _outputs("".join(cell["source"]), names, number)
    return notebook


def _outputs(source: str, names: dict[str, Any], number: int) -> list[dict[str, Any]]:
    body = ast.parse(source).body
    last = body.pop() if body and isinstance(body[-1], ast.Expr) else None
    printed, value = io.StringIO(), None
    with contextlib.redirect_stdout(printed):
        exec(compile(ast.Module(body, []), f"<cell {number}>", "exec"), names)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), f"<cell {number}>", "eval"), names)
    outputs: list[dict[str, Any]] = []
    if printed.getvalue():
        outputs.append({"name": "stdout", "output_type": "stream", "text": _lines(printed.getvalue())})
    if value is not None:
        data, metadata = _shown(value)
        outputs.append({"data": data, "execution_count": number, "metadata": metadata, "output_type": "execute_result"})
    return outputs


def _shown(value: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """Output of a notebook cell for a value."""
    data, metadata = {"text/plain": repr(value)}, {}
    if hasattr(value, "_repr_mimebundle_"):
        data, metadata = value._repr_mimebundle_(include=None, exclude=None)
    elif hasattr(value, "_repr_html_"):
        data["text/html"] = value._repr_html_()
    return {kind: _content(one) for kind, one in sorted(data.items())}, metadata


def _content(content: str | bytes) -> str | list[str]:
    return base64.b64encode(content).decode() + "\n" if isinstance(content, bytes) else _lines(content)


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def main(path: Path) -> None:
    """Executes the notebook and writes it again."""
    notebook = execute(json.loads(path.read_text()))
    path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False, sort_keys=True) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
