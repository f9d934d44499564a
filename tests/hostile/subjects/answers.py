"""Answers of a cluster, of which nothing is trusted."""

import json
import random
from functools import cache
from pathlib import Path

from fairlane.engine import run_pieces
from fairlane.engine.result_bytes import as_dictionary, unpack
from fairlane.runs.executors.cluster_answers import decode, encode
from fairlane.scenario.requests import Request, scenario

from tests.experiment import mutator
from tests.hostile.outcomes import Finding

_USAGE = {"cpu_s": 0.1, "wall_s": 0.1, "peak_rss_mb": 30.0}


@cache
def asked() -> str:
    """A scenario, as JSON."""
    return json.dumps(
        scenario(Request(["cubic", "bbr"], {"rate": "10mbit", "rtt": "20ms", "duration": "1s"}).experiment())
    )


@cache
def sound() -> bytes:
    """The answer about it."""
    return encode([{"usage": _USAGE, "pieces": run_pieces(asked())}])


def cluster_answer(chance: random.Random, _folder: Path) -> str:
    """Bytes that a worker may send: another first line, other metrics, or spoiled bytes."""
    line, _, packed = sound().partition(b"\n")
    match chance.randrange(4):
        case 0:
            line = _spoiled_json(json.loads(line), chance)
        case 1:
            line = mutator.mutated_text(line.decode(), chance)
        case 2:
            packed = _other_metrics(packed, chance)
            line = json.dumps([{"usage": _USAGE, "bytes": len(packed)}]).encode()
        case _:
            packed = spoiled(packed, chance)
    return answered(line + b"\n" + packed)


def answered(content: bytes) -> str:
    """Decodes an answer, which never raises; "accepted" if it is a result, which then can be read."""
    [found] = decode(content, [asked()])
    if "error" in found:
        if not isinstance(found["message"], str) or len(found["message"]) > 3000:
            raise Finding(f"unclear: {found}")
        return "refused"
    as_dictionary(b"".join(found["pieces"]))
    return "accepted"


def spoiled(content: bytes, chance: random.Random) -> bytes:
    """Some bytes changed, or the end cut off."""
    if chance.random() < 0.2:
        return content[: chance.randrange(len(content))]
    changed = bytearray(content)
    for _ in range(chance.choice([1, 1, 2, 8])):
        changed[chance.randrange(len(changed))] = chance.randrange(256)
    return bytes(changed)


def _spoiled_json(value: object, chance: random.Random) -> bytes:
    return json.dumps(mutator.mutated_data({"value": value}, chance).get("value"), default=str).encode()


def _other_metrics(packed: bytes, chance: random.Random) -> bytes:
    """The packed result with other metrics, whose size its head gives rightly."""
    metrics = _spoiled_json(unpack(packed).metrics, chance)
    head, _, parts = packed.partition(b"\n")
    described = json.loads(head)
    [first] = [part for part in described["parts"] if part["name"] == "metrics"]
    tables = parts[first["bytes"] :]
    first["bytes"] = len(metrics)
    return json.dumps(described).encode() + b"\n" + metrics + tables
