"""The files of algorithms: the hashes that identify them, and the programs that a sweep hands to its workers.

Of an algorithm in a C file the hash covers the machine code, and with it everything that was compiled: the text, every
header wherever it lies, the compiler and its flags. Of one in a Python file it covers the text, and that of the files
in its folder that it imports.

A sweep uses the files as it found them, even if they change meanwhile: a C file is compiled once, and its shared
object handed to the workers; of a Python file they get the text, with the files of its folder that it imports. A
program is JSON in a file that is named by the checksum of its content.
"""

import ast
import base64
import hashlib
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from fairlane import engine
from fairlane import files as files_of_users
from fairlane.algorithm import prototype
from fairlane.algorithm.name import Algorithm, Kind
from fairlane.files import FileError

MAX_BYTES = 4 << 20
"""Of a file."""
MAX_TOTAL_BYTES = 16 << 20
MAX_FILES = 1000
_INCLUDE = re.compile(rb'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)


@cache
def version(word: str) -> str:
    """The hash of an algorithm: of its machine code, or of the Python files that it consists of."""
    bundled = engine.build()["algorithms"]
    if word in bundled:
        return str(bundled[word])
    algorithm = Algorithm(word)
    path, part = algorithm.path, algorithm.part
    if path is not None and algorithm.kind is Kind.C and (code := compiled(str(path))) is not None:
        return hashlib.blake2b(code[1] + b"\0" + part.encode(), digest_size=16).hexdigest()
    found = files(str(path)) if path is not None else {}
    digest = hashlib.blake2b(b"" if found else word.encode(), digest_size=16)
    if algorithm.kind is Kind.PYTHON:
        digest.update(_prototype() + word.rpartition("/")[2].encode())
    elif part:  # one of several in a C file
        digest.update(part.encode())
    for content in found.values():  # in the order of inclusion
        digest.update(len(content).to_bytes(8, "big") + content)
    return digest.hexdigest()


@cache
def compiled(path: str) -> tuple[str, bytes] | None:
    """The text of a C file and its machine code; None if it does not compile, which is reported when it is checked."""
    try:
        return engine.compile(Path(path))
    except engine.AlgorithmError:
        return None


@cache
def files(path: str) -> dict[Path, bytes]:
    """A file and those in its folder that it includes or imports. Raises FileError."""
    return _collected(Path(path))


def forget() -> None:
    """Has files of algorithms read again: they may have changed since, in a notebook for instance."""
    for known in (version, compiled, files):
        known.cache_clear()


def programs(words: Iterable[str]) -> dict[str, bytes]:
    """The programs of those algorithms that are files, by the path as it is written."""
    found: dict[str, bytes] = {}
    for algorithm in map(Algorithm, words):
        if algorithm.path is None:
            continue
        data = _c(algorithm.path) if algorithm.kind is Kind.C else _python(algorithm.path)
        if data is not None:
            found[algorithm.file] = json.dumps(data).encode()
    return found


def use(files: Mapping[str, str]) -> None:
    """Has this process use these programs: by the path of an algorithm the file that holds its program."""
    for path, file in files.items():
        content = Path(file).read_bytes()
        if engine.checksum(content) != Path(file).stem:
            raise RuntimeError(f"'{file}' does not match its checksum; run the experiment again")
        provide(path, content)


def provide(path: str, content: str | bytes) -> None:
    """Has this process use a program, one of the values of `programs`."""
    data = json.loads(content)
    if "object" in data:
        engine.provide(path, data["text"], base64.b64decode(data["object"]))
    else:
        from fairlane.algorithm.prototype import loading

        loading.provide(Path(path), data["files"])


def _c(path: Path) -> dict[str, str] | None:
    code = compiled(str(path))
    if code is None:
        return None  # the engine reports what is wrong with it
    text, content = code
    return {"text": text, "object": base64.b64encode(content).decode()}


def _python(path: Path) -> dict[str, Any] | None:
    root = path.resolve().parent
    found = files(str(path))
    if not all(file.is_relative_to(root) for file in found):
        return None
    return {
        "files": {str(file.relative_to(root)): content.decode("utf-8", "replace") for file, content in found.items()}
    }


@cache
def _prototype() -> bytes:
    """The code that runs Python classes, and that they may call."""
    return b"".join(file.read_bytes() for file in sorted(Path(prototype.__file__).parent.glob("*.py")))


def _collected(first: Path) -> dict[Path, bytes]:
    """A file and those that it includes or imports, in that order. Raises FileError beyond the limits."""
    found: dict[Path, bytes] = {}
    root = Path(os.path.realpath(first)).parent
    """Where Python looks for modules."""
    waiting, size = [first], 0
    while waiting:
        path = waiting.pop()
        try:
            if not path.is_file():
                continue  # a header of the interface, or a library; or no regular file, which no compiler reads
            path = Path(os.path.realpath(path))
        except (OSError, ValueError):
            continue  # a name that no file can have
        if path in found:
            continue
        content = files_of_users.content(path, "remove the include or import", at_most=MAX_BYTES)
        size += len(content)
        if len(found) == MAX_FILES or size > MAX_TOTAL_BYTES:
            limits = f"{MAX_FILES} files or {MAX_TOTAL_BYTES >> 20} MiB"
            raise FileError(first, f"includes or imports more than {limits}", "name a smaller program")
        found[path] = content
        if path.suffix == ".py":
            following = list(_imported(path, content, root))
        else:
            following = [path.parent / os.fsdecode(name) for name in _INCLUDE.findall(content)]
        waiting += reversed(following)
    return found


def _imported(path: Path, content: bytes, root: Path) -> Iterator[Path]:
    """Candidate files for all imports of a Python file; not all exist."""
    try:
        tree = ast.parse(content)
    except (MemoryError, RecursionError, SyntaxError, ValueError):
        return  # said when it is loaded
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            folder, names = root, [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            folder = [path, *path.parents][node.level] if node.level else root
            start = f"{node.module}." if node.module else ""
            names = [start + alias.name for alias in node.names]
        else:
            continue
        for name in names:  # of `a.b.c` every package on the way is imported, and the last may be no module
            place = folder
            for part in name.split("."):
                place = place / part
                yield place.with_name(f"{part}.py")
                yield place / "__init__.py"
