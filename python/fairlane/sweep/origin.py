"""Where results come from: versions, machine, command; and the key that says what a run is.

The key covers everything that determines a result and nothing else: the scenario with its seed, the sources of
the simulator, and the sources of the algorithms that take part. Where a C file lies, how the flows are called and
which experiment asks do not change a result, so they do not change the key.
"""

import hashlib
import json
import os
import platform
import re
import sys
from functools import cache
from pathlib import Path
from typing import Any

from fairlane.prototype.words import file_and_class, means_python

_IMPORT = re.compile(rb"^\s*(?:from|import)\s+([\w.]+)", re.MULTILINE)
_INCLUDE = re.compile(rb'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)


def key(scenario: dict[str, Any]) -> str:
    """The key of a run: 32 hexadecimal digits."""
    flows = [{**flow, "algorithm": version(flow["algorithm"])} for flow in scenario["flows"]]
    content = json.dumps({**scenario, "flows": flows, "simulator": simulator()}, sort_keys=True, separators=(",", ":"))
    return hashlib.blake2b(content.encode(), digest_size=16).hexdigest()


@cache
def version(algorithm: str) -> str:
    """What identifies an algorithm: the hash of its source, and of the files beside it that it includes or imports."""
    from fairlane.engine import build

    if algorithm in build()["algorithms"]:
        return str(build()["algorithms"][algorithm])
    found: dict[Path, bytes] = {}
    path, _ = file_and_class(algorithm) if means_python(algorithm) else (Path(algorithm), "")
    if path is not None:
        _collect(path, found)
    digest = hashlib.blake2b(b"" if found else algorithm.encode(), digest_size=16)
    if means_python(algorithm):
        digest.update(_prototype() + algorithm.rpartition("/")[2].encode())
    for content in found.values():  # in the order of inclusion
        digest.update(len(content).to_bytes(8, "big") + content)
    return digest.hexdigest()


@cache
def simulator() -> str:
    """What identifies the simulator: the hash of its sources."""
    from fairlane.engine import build

    return str(build()["simulator"])


@cache
def _prototype() -> bytes:
    """The functions that Python classes may call."""
    from fairlane.prototype import kernel_functions

    return Path(kernel_functions.__file__).read_bytes()


def common() -> dict[str, Any]:
    """What the store says about all runs of a command."""
    from fairlane.engine import __version__

    return {
        "fairlane": __version__,
        "simulator": simulator(),
        "command": " ".join([Path(sys.argv[0]).name, *sys.argv[1:]]),
        "host": platform.node(),
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "processor": _processor(),
        "processors": os.cpu_count(),
        "python": platform.python_version(),
    }


def _collect(path: Path, found: dict[Path, bytes]) -> None:
    path = path.resolve()
    if path in found:
        return
    try:
        content = path.read_bytes()
    except OSError:
        return  # not beside it: a header of the interface, which belongs to the simulator
    found[path] = content
    if path.suffix == ".py":
        for name in _IMPORT.findall(content):
            _collect(path.parent / (os.fsdecode(name).replace(".", "/") + ".py"), found)
        return
    for name in _INCLUDE.findall(content):
        _collect(path.parent / os.fsdecode(name), found)


def _processor() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor()
