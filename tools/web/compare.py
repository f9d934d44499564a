"""Compares results of random networks in WebAssembly, in Node, with those of the native engine."""

import hashlib
import json
import subprocess
from concurrent.futures import ProcessPoolExecutor
from itertools import count
from pathlib import Path

from fairlane.engine import algorithms, run_json
from fairlane.scenario import requests
from fairlane.scenario.diagnostics import ExperimentError

from tools.random_networks import experiment
from tools.web.build import FOLDER

NETWORKS = 200
RUNNER = Path(__file__).with_name("run.mjs")


def scenarios() -> list[str]:
    """Networks of `tools/random_networks.py`, the first with each algorithm in turn; the module has no QUIC."""
    names = [one["name"] for one in algorithms()]
    found: list[str] = []
    for number in count():
        network = experiment(number)
        if any(flow.get("transport") == "quic" for flow in network["flows"]):
            continue
        if len(found) < len(names):
            network["flows"][0]["algorithm"] = names[len(found)]
        try:
            found.append(json.dumps(requests.scenario(network)))
        except ExperimentError:
            continue  # a few fit no buffer
        if len(found) == NETWORKS:
            return found
    raise AssertionError("numbers do not end")


def native(scenario: str) -> str:
    """The hash of a result."""
    return hashlib.sha256(run_json(scenario).encode()).hexdigest()


def in_webassembly(texts: list[str]) -> list[str]:
    """The hashes of the results in Node; of a run that fails, its message."""
    lines = "".join(f"{text}\n" for text in texts)
    command = ["node", str(RUNNER), str(FOLDER)]
    done = subprocess.run(command, input=lines, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"node failed: {done.stderr.strip()}")
    return done.stdout.splitlines()


def differences() -> list[str]:
    """A line for each network whose result differs; empty if all are equal, bit for bit."""
    texts = scenarios()
    with ProcessPoolExecutor(1) as executor:
        natively = executor.map(native, texts)
        found = in_webassembly(texts)
        pairs = zip(range(len(texts)), natively, found, strict=True)
        return [f"network {number}: native {one}, WebAssembly {other}" for number, one, other in pairs if one != other]
