"""Hook of the site: pages may link to any file of the repository.

mkdocs knows only `docs/`; but a guide also points to `algorithms/README.md` or to the source of an algorithm, so
that the links work where the repository is read as it is. Here each file that a page links to becomes a page of the
site under its own path, and the links are turned to it. A link to a file that does not exist fails the build
(`--strict`).
"""

import logging
import posixpath
import re
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from mkdocs.structure.files import File, Files

_LINK = re.compile(r"(\]\()([^)\s]+)(\))")
_LANGUAGES = {".c": "c", ".h": "c", ".rs": "rust", ".py": "python", ".toml": "toml", ".csv": "text", ".pkt": "text"}

_log = logging.getLogger("mkdocs.hooks.outside")
_page_of: dict[str, str] = {}
"""Path in the repository to path in the site, of files outside of docs/ and of notebooks."""
_path_of: dict[str, str] = {}
"""The reverse."""


def on_files(files: Files, config: Any) -> Files:
    """Adds a page for each file that a page links to, and for each that those link to."""
    root = Path(config["config_file_path"]).parent
    _page_of.clear()
    _path_of.clear()
    waiting = [(f"docs/{file.src_uri}", _text(file)) for file in files if file.src_uri.endswith((".md", ".ipynb"))]
    while waiting:
        path, text = waiting.pop()
        for link in _LINK.finditer(text):
            target = _target(path, link[2])
            if target is None or target.startswith("docs/") or target in _page_of:
                continue
            file = root / target
            if not file.is_file():
                _log.warning("%s links to %s, which is no file", path, target)
                continue
            text_of_file = file.read_text()
            if file.suffix != ".md":
                text_of_file = _as_page(target, text_of_file)
            else:
                waiting.append((target, text_of_file))
            uri = target if file.suffix == ".md" else f"{target}.md"
            files.append(File.generated(config, uri, content=text_of_file))
            _page_of[target], _path_of[uri] = uri, target
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Turns links to files outside of docs/, and to notebooks, to where they are in the site."""
    own_uri = page.file.src_uri
    own_path = _path_of.get(own_uri, f"docs/{own_uri}")

    def turned(link: re.Match[str]) -> str:
        target = _target(own_path, link[2])
        if target is None:
            return link[0]
        uri = _page_of.get(target, target.removeprefix("docs/"))
        if uri.endswith(".ipynb"):
            uri = uri.removesuffix(".ipynb") + ".md"
        _, mark, anchor = link[2].partition("#")
        return f"{link[1]}{posixpath.relpath(uri, posixpath.dirname(own_uri) or '.')}{mark}{anchor}{link[3]}"

    return _LINK.sub(turned, markdown)


def _target(path: str, link: str) -> str | None:
    """The file of the repository that a link in `path` means; None of links to the web and within a page."""
    file = unquote(link.partition("#")[0])
    if not file or "://" in file or file.startswith(("/", "mailto:")):
        return None
    return posixpath.normpath(posixpath.join(posixpath.dirname(path), file))


def _text(file: File) -> str:
    return Path(file.abs_src_path).read_text() if file.abs_src_path else str(file.content_string)


def _as_page(path: str, text: str) -> str:
    language = _LANGUAGES.get(posixpath.splitext(path)[1], "text")
    return f"# {path}\n\n````{language}\n{text}````\n"
