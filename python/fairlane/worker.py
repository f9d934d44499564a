"""A process that runs scenarios for another: one JSON request a line in, one JSON answer a line out.

Requests are `{"scenario": {...}, "keep": ["flows", ...]}`; `keep` names the parts of the result that the
asker wants (all of them when absent). Answers are `{"result": {...}, "usage": {...}}` or
`{"error": "ScenarioError", "message": "..."}`. A process of its own keeps a crash of one run away from
the others, and makes its CPU time and memory its own. Started by `fairlane.workers`.
"""

import json
import resource
import signal
import sys
import time
from typing import Any

from fairlane import _engine


def main() -> None:
    """Answers requests until the input ends."""
    die_quietly()
    for line in sys.stdin:
        sys.stdout.write(json.dumps(answer(json.loads(line))) + "\n")
        sys.stdout.flush()


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """Runs one request. `usage` covers the engine's call alone, which includes loading the algorithms."""
    scenario = json.dumps(request["scenario"])
    cpu_before_s, wall_before_s = cpu_s(), time.perf_counter()
    try:
        pieces = _engine.run(scenario)
    except (_engine.ScenarioError, _engine.AlgorithmError) as error:
        return {"error": type(error).__name__, "message": str(error)}
    usage = {
        "cpu_s": cpu_s() - cpu_before_s,
        "wall_s": time.perf_counter() - wall_before_s,
        "peak_rss_mb": peak_rss_mb(),
    }
    result = json.loads(b"".join(pieces))
    keep = request.get("keep")
    return {"result": result if keep is None else {part: result[part] for part in keep}, "usage": usage}


def peak_rss_mb() -> float:
    """The most memory that this process ever held, in MB (10^6 bytes).

    From /proc and not from getrusage, whose figure starts with the parent's memory at the fork.
    """
    with open("/proc/self/status", encoding="ascii") as status:
        for line in status:
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024 / 1e6
    raise RuntimeError("/proc/self/status has no VmHWM")


def die_quietly() -> None:
    """Lets Ctrl-C end a worker without a traceback."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def cpu_s() -> float:
    """The CPU time of this process so far."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main()
