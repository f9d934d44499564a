"""Hook of the site: a notebook becomes a page, with the outputs that it holds.

Nothing is executed: `tools/execute_notebook.py` writes the outputs into the notebook, and the tests run it.
"""

import base64
import json
import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files


def on_files(files: Files, config: Any) -> Files:
    """Adds a page, and its pictures, for each notebook; the notebook itself stays, to be downloaded."""
    for notebook in [file for file in files if file.src_uri.endswith(".ipynb")]:
        stem = notebook.src_uri.removesuffix(".ipynb")
        text, pictures = page(json.loads(Path(str(notebook.abs_src_path)).read_text()), Path(stem).name)
        folder = Path(stem).parent
        files.append(File.generated(config, f"{stem}.md", content=text))
        for name, content in pictures.items():
            files.append(File.generated(config, str(folder / name), content=content))
    return files


def page(notebook: dict[str, Any], name: str) -> tuple[str, dict[str, bytes]]:
    """The notebook as Markdown, and its pictures by file name."""
    parts: list[str] = []
    pictures: dict[str, bytes] = {}
    for cell in notebook["cells"]:
        text = "".join(cell["source"])
        parts.append(f"```python\n{text}\n```" if cell["cell_type"] == "code" else text)
        for output in cell.get("outputs", []):
            parts.append(_shown(output, name, pictures))
    title, _, rest = "\n\n".join(parts).partition("\n")
    # Written as HTML: a link in Markdown would be turned to this very page.
    download = f'<p><a href="{name}.ipynb" download>Download this notebook</a></p>'
    return f"{title}\n\n{download}\n{rest}\n", pictures


def _shown(output: dict[str, Any], name: str, pictures: dict[str, bytes]) -> str:
    data = output.get("data", {})
    if "image/png" in data:
        file = f"{name}-{len(pictures) + 1}.png"
        pictures[file] = base64.b64decode("".join(data["image/png"]))
        return f"![Output of the cell above]({file})"
    if "text/html" in data:
        html = re.sub(r"<style>.*?</style>", "", "".join(data["text/html"]), flags=re.DOTALL)
        return f'<div class="output">{"".join(html.splitlines())}</div>'
    plain = "".join(output.get("text", data.get("text/plain", "")))
    return f"```text\n{plain.rstrip()}\n```"
