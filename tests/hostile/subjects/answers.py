"""Answers of a cluster, of which nothing is trusted."""

import json
import random
from functools import cache
from pathlib import Path

from fairlane.engine import run_pieces
from fairlane.engine.result_bytes import as_dictionary, unpack
from fairlane.runs.backends.linux import measured, samples
from fairlane.runs.backends.vm import emulated
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


def guest_report(chance: random.Random, _folder: Path) -> str:
    """The report of an agent, and of the network that a guest emulates."""
    lines = [line for at_ns in (0, 100_000_000, 10**9) for line in _sampled(at_ns)] + ["end"]
    series = [{"t_s": [0.1, 0.2], "queue_bytes": [0, 1500], "throughput_mbps": [1.0, 2.5]} for _ in _links()]
    network = {"links": _links(), "series": series} if chance.random() < 0.5 else None
    if network is not None and chance.random() < 0.8:
        network = mutator.mutated_data({"network": network}, chance).get("network")
    if network is None or chance.random() < 0.5:
        at = chance.randrange(len(lines))
        words = lines[at].split(" ")
        words[chance.randrange(len(words))] = chance.choice(
            ["", "-1", "0", "x", "9" * 400, "1e9", "é", "f", "q", "end"]
        )
        lines[at] = " ".join(words)
        if chance.random() < 0.3:
            del lines[chance.randrange(len(lines))]
    text = "\n".join([*lines, "network " + json.dumps(network, default=str)] if network is not None else lines)
    if chance.random() < 0.2:
        text = mutator.mutated_text(text, chance).decode(errors="replace")
    try:
        output, found = emulated.report(text)
        kinds = {"bottleneck": "fq_codel"}
        packed = measured.result(json.loads(asked()), samples.read(output, kinds), kinds, found)
    except samples.NoResult as error:
        if len(str(error)) > 3000:
            raise Finding(f"long: {error}") from None
        return "refused"
    as_dictionary(packed)
    return "accepted"


def _sampled(at_ns: int) -> list[str]:
    flows = [{**dict.fromkeys(samples.COLUMNS, at_ns // 1000), "flow": flow} for flow in range(2)]
    counters = [" ".join(str(one[name]) for name in samples.COLUMNS) for one in flows]
    return [f"t {at_ns}", *(f"f {line}" for line in counters), f"q bottleneck {at_ns} 10 2 0 1500 {bytes(40).hex()}"]


@cache
def _links() -> list[dict[str, object]]:
    return list(unpack(b"".join(run_pieces(asked()))).metrics["links"])
