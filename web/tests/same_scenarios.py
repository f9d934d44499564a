"""Reads scenes of the page and prints the differences of their scenarios from those of their command and file."""

import json
import shlex
import sys
import tomllib

from fairlane.scenario.requests import Request, scenario

NAMES = {"time": "duration", "reverse-rate": "reverse_rate"}
LISTS = ("rtt", "start")


def of_command(line: str) -> dict:
    """The scenario of `fairlane duel ...`."""
    words, settings, name = [], {}, ""
    for word in shlex.split(line)[2:]:
        if name:
            value = int(word) if name == "seed" else word.split(",") if name in LISTS else word
            settings[NAMES.get(name, name)] = value
            name = ""
        elif word == "--ecn":
            settings["ecn"] = True
        elif word.startswith("--"):
            name = word[2:]
        else:
            words.append(word)
    return scenario(Request(words, settings).experiment())


def plain(value: object) -> object:
    """Without what has no effect: numbers of one value, losses of nothing, a log of frames."""
    if isinstance(value, dict):
        kept = {key: plain(one) for key, one in value.items() if key != "access_log"}
        return {key: one for key, one in kept.items() if key != "loss" or one["probability"]}
    if isinstance(value, list):
        return [plain(one) for one in value]
    return float(value) if isinstance(value, int) and not isinstance(value, bool) else value


def differences(ours: object, theirs: object, place: str = "") -> list[str]:
    """Where two values differ. A setting of one alone counts if it is not in the other."""
    if isinstance(ours, dict) and isinstance(theirs, dict):
        keys = sorted(ours if place.endswith(".workload") else {*ours, *theirs})  # the engine has the same defaults
        return [line for key in keys for line in differences(ours.get(key), theirs.get(key), f"{place}.{key}")]
    if isinstance(ours, list) and isinstance(theirs, list) and len(ours) == len(theirs):
        pairs = enumerate(zip(ours, theirs, strict=True))
        return [line for index, pair in pairs for line in differences(*pair, f"{place}[{index}]")]
    return [] if ours == theirs else [f"{place}: {ours} in the page, {theirs} in Fairlane"]


for scene in json.load(sys.stdin):
    found = {"file": scenario(tomllib.loads(scene["toml"]))}
    if scene["command"].startswith("fairlane duel"):
        found["command"] = of_command(scene["command"])
    for what, theirs in found.items():
        for line in differences(plain(scene["scenario"]), plain(theirs)):
            print(f"{scene['command']}: {what}{line}")
