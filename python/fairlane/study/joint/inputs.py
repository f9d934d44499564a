"""A digest of everything in a study that its joint judgement depends on, and of nothing that only explains."""

import ast
import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from fairlane import files
from fairlane.study.paper.definition import Study

WORDS = frozenset(
    (
        *("title", "paper", "reason", "note", "source", "heading", "digits", "assumptions", "differences"),
        *("description", "plot", "panels", "across", "time_series", "needs", "covers", "optional", "unsupported"),
    )
)
"""Keys of `study.toml` and of experiment files that change no verdict and no number."""
EXPLAINING = frozenset(("explanation", "contradicted", "cause", "variant"))
"""Arguments of a claim that do not change its verdict."""


def digest(study: Study) -> str:
    """The digest: 16 hexadecimal digits. It stays if a comment, a docstring or a reason changes."""
    found = hashlib.blake2b(digest_size=8)
    for path in sorted(_files(study.folder)):
        found.update(f"{path.relative_to(study.folder)}\n{_content(path)}\n".encode())
    return found.hexdigest()


def _files(folder: Path) -> Iterator[Path]:
    for pattern in ("*.toml", "*/*.toml", "*/*.csv", "claims.py", "claims/*.py"):
        yield from (path for path in folder.glob(pattern) if path.parent.name != "joint")


def _content(path: Path) -> str:
    if path.suffix == ".py":
        return ast.dump(_Bare().visit(ast.parse(files.text(path, "fix the file"))))
    if path.suffix == ".csv":
        return "" if path.stem in ("claims", "experiments") else files.text(path, "fix the file")
    if path.name == "predicates.toml":
        return ""
    return json.dumps(_telling(files.toml(path, "fix the file")), sort_keys=True, default=str)


def _telling(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _telling(one) for key, one in value.items() if key not in WORDS}
    return [_telling(one) for one in value] if isinstance(value, list) else value


class _Bare(ast.NodeTransformer):
    """Without docstrings and explanations."""

    def visit(self, node: ast.AST) -> Any:
        body = getattr(node, "body", None)
        if isinstance(body, list) and body and _is_text(body[0]):
            node.body = body[1:]  # type: ignore[attr-defined]
        return super().visit(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        node.keywords = [one for one in node.keywords if one.arg not in EXPLAINING]
        return self.generic_visit(node)


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
