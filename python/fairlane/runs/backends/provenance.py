"""The origin of results: versions, machine, command; and the key that identifies a run.

The key covers everything that determines a result and nothing else: the scenario with its seed, the sources of the
simulator, and the algorithms that take part (`fairlane.algorithm.program_files`). The place of a file, the names of
flows and the experiment do not change a result, so they do not change the key.
"""

import hashlib
import json
import os
import platform
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

from fairlane.algorithm.program_files import version
from fairlane.engine.types import Scenario
from fairlane.scenario.variation import Differences, differences, without_differences


def key(scenario: Scenario) -> str:
    """The key of a run: 32 hexadecimal digits."""
    return keys(scenario)(differences(scenario))


def keys(example: Scenario, identity: str = "") -> Callable[[Differences], str]:
    """The keys of all repeats of a point: a function of what is special about a repeat. `example` is any of them.

    The common part of repeats, most of a scenario, is hashed once. `identity` is that of the backend; without
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
def simulator() -> str:
    """The hash of the simulator's sources, which identifies it."""
    from fairlane.engine import build

    return str(build()["simulator"])


def is_simulators(identity: str) -> bool:
    """Whether a run of this `simulator` column is the simulator's, of any version; those of kernels name the kernel.

    >>> is_simulators("0a1b"), is_simulators("Linux 6.12.1, QEMU 7.2, 0a1b")
    (True, False)
    """
    return all(letter in "0123456789abcdef" for letter in identity)


def common(identity: str = "") -> dict[str, object]:
    """The description of all runs of a command in the store. `identity` is that of the backend."""
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


def _processor() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor()
