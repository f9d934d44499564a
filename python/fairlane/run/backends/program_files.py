"""The files of algorithms as a sweep found them: whatever happens to a file meanwhile, all runs of the sweep use these.

A C file is compiled once, and its shared object handed to the workers; of a Python file they get the text, with the
files of its folder that it imports. A program is JSON in a file that is named by the checksum of its content.
"""

import base64
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from fairlane import engine
from fairlane.algorithms.prototype import loading
from fairlane.algorithms.prototype.names import file_and_class, means_c, means_python
from fairlane.engine import checksum
from fairlane.run.backends import provenance


def of(algorithms: Iterable[str]) -> dict[str, bytes]:
    """The programs of those algorithms that are files, by the path as it is written, as their keys cover them."""
    found: dict[str, bytes] = {}
    for word in algorithms:
        if not (means_c(word) or means_python(word)):
            continue
        path, _ = file_and_class(word)
        data = None if path is None else _c(path) if means_c(word) else _python(path)
        if data is not None:
            folder, slash, name = word.rpartition("/")
            found[folder + slash + name.partition(":")[0]] = json.dumps(data).encode()
    return found


def use(files: Mapping[str, str]) -> None:
    """Has this process use these programs: by the path of an algorithm the file that holds its program."""
    for path, file in files.items():
        content = Path(file).read_bytes()
        if checksum(content) != Path(file).stem:
            raise RuntimeError(f"'{file}' does not match its checksum; run the experiment again")
        provide(path, content)


def provide(path: str, content: str | bytes) -> None:
    """Has this process use a program, one of the values of `of`."""
    data = json.loads(content)
    if "object" in data:
        engine.provide(path, data["text"], base64.b64decode(data["object"]))
    else:
        loading.provide(Path(path), data["files"])


def _c(path: Path) -> dict[str, Any] | None:
    compiled = provenance.compiled(str(path))
    if compiled is None:
        return None  # the engine says what is wrong with it
    text, content = compiled
    return {"text": text, "object": base64.b64encode(content).decode()}


def _python(path: Path) -> dict[str, Any] | None:
    root = path.resolve().parent
    files = provenance.files(str(path))
    if not all(file.is_relative_to(root) for file in files):
        return None
    return {
        "files": {str(file.relative_to(root)): content.decode("utf-8", "replace") for file, content in files.items()}
    }
