"""Where results come from: versions, machine, command; and the key that says what a run is.

The key covers everything that determines a result and nothing else: the scenario with its seed, the sources of
the simulator, and the algorithms that take part. Of an algorithm in a C file it covers the machine code, and with it
all that was compiled: the text, every header wherever it lies, the compiler and its flags. Of one in a Python file it
covers the text, and that of the files in its folder that it imports. Where a file lies, how the flows are called and
which experiment asks do not change a result, so they do not change the key.
"""

import ast
import hashlib
import json
import os
import platform
import re
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

from fairlane.algorithms.prototype.names import file_and_class, means_c, means_python
from fairlane.scenario.variation import Differences, differences, without_differences

_INCLUDE = re.compile(rb'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)


def key(scenario: dict[str, Any]) -> str:
    """The key of a run: 32 hexadecimal digits."""
    return keys(scenario)(differences(scenario))


def keys(example: dict[str, Any], identity: str = "") -> Callable[[Differences], str]:
    """The keys of all repeats of a point: a function of what is special about a repeat. `example` is any of them.

    What repeats have in common is hashed once, which is most of a scenario. `identity` is that of the backend; without
    one it is the simulator's.
    """
    common = {**without_differences(example), "simulator": identity or simulator()}
    for flow in common["flows"]:
        flow["algorithm"] = version(flow["algorithm"])
    content = json.dumps(common, sort_keys=True, separators=(",", ":"))
    start = hashlib.blake2b(content.encode(), digest_size=16)

    def of(differences: Differences) -> str:
        seed, starts_ns, links, media = differences
        digest = start.copy()
        digest.update(repr((seed, starts_ns, links + media)).encode())
        return digest.hexdigest()

    return of


@cache
def version(algorithm: str) -> str:
    """The hash of an algorithm: of its machine code, or of the Python files that it consists of."""
    from fairlane.engine import build

    if algorithm in build()["algorithms"]:
        return str(build()["algorithms"][algorithm])
    path, part = file_and_class(algorithm)
    if path is not None and means_c(algorithm) and (code := compiled(str(path))) is not None:
        return hashlib.blake2b(code[1] + b"\0" + part.encode(), digest_size=16).hexdigest()
    found = files(str(path)) if path is not None else {}
    digest = hashlib.blake2b(b"" if found else algorithm.encode(), digest_size=16)
    if means_python(algorithm):
        digest.update(_prototype() + algorithm.rpartition("/")[2].encode())
    elif part:  # one of several in a C file
        digest.update(part.encode())
    for content in found.values():  # in the order of inclusion
        digest.update(len(content).to_bytes(8, "big") + content)
    return digest.hexdigest()


@cache
def compiled(path: str) -> tuple[str, bytes] | None:
    """The text of a C file and its machine code; None if it does not compile, which is said when it is checked."""
    from fairlane.engine import AlgorithmError, compile

    try:
        return compile(Path(path))
    except AlgorithmError:
        return None


@cache
def files(path: str) -> dict[Path, bytes]:
    """A file and those in its folder that it includes or imports."""
    found: dict[Path, bytes] = {}
    _collect(Path(path), found)
    return found


def forget() -> None:
    """Has files of algorithms read again: they may have changed since, in a notebook for instance."""
    for known in (version, compiled, files):
        known.cache_clear()


@cache
def simulator() -> str:
    """What identifies the simulator: the hash of its sources."""
    from fairlane.engine import build

    return str(build()["simulator"])


@cache
def _prototype() -> bytes:
    """What runs Python classes, and what they may call."""
    from fairlane.algorithms import prototype

    files = sorted(Path(prototype.__file__).parent.glob("*.py"))
    return b"".join(file.read_bytes() for file in files)


def common(identity: str = "") -> dict[str, Any]:
    """What the store says about all runs of a command. `identity` is that of the backend."""
    from fairlane.engine import __version__

    return {
        "fairlane": __version__,
        "simulator": identity or simulator(),
        "command": " ".join([Path(sys.argv[0]).name, *sys.argv[1:]]),
        "host": platform.node(),
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "processor": _processor(),
        "processors": os.cpu_count(),
        "python": platform.python_version(),
    }


def _collect(path: Path, found: dict[Path, bytes], root: Path | None = None) -> None:
    """Adds a file and those that it includes or imports. `root` is where Python looks for modules."""
    path = path.resolve()
    if path in found:
        return
    try:
        content = path.read_bytes()
    except OSError:
        return  # not in its folder: a header of the interface, which belongs to the simulator, or a library
    found[path] = content
    if path.suffix == ".py":
        root = root or path.parent
        for module in _imported(path, content, root):
            _collect(module, found, root)
        return
    for name in _INCLUDE.findall(content):
        _collect(path.parent / os.fsdecode(name), found)


def _imported(path: Path, content: bytes, root: Path) -> Iterator[Path]:
    """Candidate files for all imports of a Python file; not all exist."""
    try:
        tree = ast.parse(content)
    except (SyntaxError, ValueError):
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


def _processor() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor()
