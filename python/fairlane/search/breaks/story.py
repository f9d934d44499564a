"""Says what happens in a witness, from the numbers of both runs and the program's own state changes."""

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from fairlane import engine
from fairlane.algorithm.name import Algorithm, Kind
from fairlane.engine import AlgorithmError, ScenarioError
from fairlane.results.metrics import MetricError, find
from fairlane.runs.traced_run import Changes, trace_of_run
from fairlane.search.breaks.witness import Witness

STATE = "state.mode"
"""The member of an algorithm's memory that names its state, by convention."""
_ENUM = re.compile(r"\benum\s+(\w*mode\w*)\s*\{([^}]*)\}")


def with_sentences(witness: Witness) -> Witness:
    """The witness with sentences that say what happens."""
    return replace(witness, sentences=[_numbers(witness), *_path(witness), *_flows(witness), *_end(witness)])


def _numbers(witness: Witness) -> str:
    """The metrics of the objective."""
    name, other = (Algorithm(word).name for word in (witness.algorithm, witness.reference))
    parts: dict[str, list[str]] = {}
    for key, value in witness.values.items():
        *prefixes, metric = key.split(".")
        who = {"reference": f"with {other}", "alone": f"without {name}"}.get(prefixes[0] if prefixes else "", name)
        who = f"the others {who if prefixes[0] != 'others' else f'beside {name}'}" if "others" in prefixes else who
        unit, label = _labelled(metric)
        parts.setdefault(label, []).append(f"{value:.3g}{unit} ({who})")
    text = "; ".join(f"{label} {', '.join(values)}" for label, values in parts.items())
    return f"{text[:1].upper()}{text[1:]}: score {witness.score:.2f}."


def _labelled(metric: str) -> tuple[str, str]:
    try:
        found = find(metric)
    except MetricError:
        return "", metric
    return (f" {found.unit}" if found.unit else ""), found.label


def _path(witness: Witness) -> list[str]:
    """The settings of the path and of its links, a sentence each; a link with a delay alone has none."""
    network: Mapping[str, Any] = witness.experiment["network"]
    links = [("The path", network), ("The return path", network.get("reverse") or {})]
    links += [(f"Link {link['name']}", link) for link in network.get("links", ())]
    return [f"{title} has {text}." for title, link in links if set(link) - {"name", "delay"} and (text := _has(link))]


def _flows(witness: Witness) -> list[str]:
    """The settings of the algorithm's flow beyond its name, and the flows beside it."""
    every = list(enumerate(witness.experiment["flows"]))
    own = [text for index, flow in every if index in witness.targets and (text := _settings(flow))]
    beside = [
        f"{flow.get('count', 1)} {flow['algorithm']}{f' ({text})' if (text := _settings(flow)) else ''}"
        for index, flow in every
        if index not in witness.targets
    ]
    beside += [f"UDP with {_settings(one)}" for one in witness.experiment.get("cross_traffic", ())]
    return [*(f"Its flow has {text}." for text in own[:1]), *([f"Beside it: {', '.join(beside)}."] if beside else [])]


def _settings(table: Mapping[str, Any]) -> str:
    """The settings of a table that are numbers, words, or tables of some kind; those that say most first.

    >>> _settings({"name": "a", "queue": {"kind": "codel", "limit": "100p"}, "rate": "5mbit"})
    'rate 5mbit, queue (codel, limit 100p)'
    """
    first = [name for name in ("kind", "rate", "rtt", "buffer") if name in table]
    return ", ".join(
        str(value)
        if name == "kind"
        else f"{name} ({_settings(value)})"
        if isinstance(value, Mapping)
        else f"{name} {value}"
        for name in [*first, *(name for name in table if name not in first)]
        if name not in _NOT_SAID and isinstance(value := table[name], str | int | float | Mapping)
    )


def _has(link: Mapping[str, Any]) -> str:
    """The settings of a link, and its first changes."""
    changes = link.get("changes") or []
    said = [
        f"from {change['at']} on {', '.join(f'{name} {value}' for name, value in change.items() if name != 'at')}"
        for change in changes[:2]
    ]
    more = f" and {len(changes) - 2} more changes" if len(changes) > 2 else ""
    return "; ".join(filter(None, [_settings(link), *said])) + more


_NOT_SAID = {"name", "reverse", "topology", "algorithm", "count"}


def _end(witness: Witness) -> list[str]:
    """The state of the first flow of the algorithm at the end, and the changes that led there."""
    scenario = json.loads(witness.evaluator.scenarios()[0])
    number = sum(int(flow.get("count", 1)) for flow in witness.experiment["flows"][: witness.targets[0]])
    found: list[str] = []
    for watch in ([STATE], []):
        try:
            with trace_of_run(watch=watch, flows=[number]) as trace:
                result = trace.run(scenario)
                if watch:
                    found += _states(witness, trace.watched(len(scenario["flows"]))[number].get(STATE, []))
            break
        except ScenarioError:  # no such member
            continue
        except AlgorithmError as error:
            return [str(error).splitlines()[0]]
    flow, series = result["flows"][number], result["series"]["flows"][number]
    if series["t_s"]:
        pacing = series["pacing_mbps"][-1]
        paced = f" and its pacing rate {pacing:.3g} Mbit/s" if pacing is not None else ""
        found.append(f"At the end its window is {series['cwnd_packets'][-1]:.4g} packets{paced}.")
    counts = ", ".join(
        f"{flow[name]} {label}"
        for name, label in (
            ("timeouts", "timeouts"),
            ("retransmits", "retransmissions"),
            ("spurious_losses", "spurious"),
        )
        if flow.get(name)
    )
    if flow.get("limited_by") and flow.get("timeouts") is not None:
        found.append(f"It is limited by {flow['limited_by']}{f' and has {counts}' if counts else ''}.")
    return found


def _states(witness: Witness, changes: Changes) -> list[str]:
    """The last changes of its state."""
    names = _names(witness.algorithm)
    said = [f"{names.get(value or 0, f'state {value}')} at {when_s:.2f} s" for when_s, value in changes]
    if not said:
        return []
    shown = [said[0], "...", *said[-3:]] if len(said) > 5 else said
    return [f"Its states: {', '.join(shown)} ({len(said)} changes)."]


def _names(word: str) -> dict[int, str]:
    """The names of the states: the enumerators of an `enum mode` of the program or its headers."""
    algorithm = Algorithm(word)
    if algorithm.kind is Kind.C and algorithm.path is not None:
        text, headers = engine.read_program(Path(algorithm.path))
        texts = [text, *(content.decode(errors="replace") for content in headers.values())]
    elif algorithm.kind is Kind.BUNDLED:
        text = engine.describe(algorithm.source)["source"]
        included = re.findall(r'#include "([^"]+?)(?:\.h)?"', text)
        texts = [
            text,
            *(content for name, content in engine.interface().items() if any(one in name for one in included)),
        ]
    else:
        return {}
    for one in texts:
        if (enum := _ENUM.search(one)) and "=" not in enum[2]:
            names = re.sub(r"/\*.*?\*/", "", enum[2], flags=re.DOTALL).split(",")
            return {number: name.strip() for number, name in enumerate(names) if name.strip()}
    return {}
