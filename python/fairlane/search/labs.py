"""Labs of a course: exercises whose answers are graded by running networks.

A lab is a folder of `labs/` with a sheet (README.md), questions (lab.json) and files to start from. A student's folder
has the answers (answers.json) and the files. Scenes are queries in the words of `fairlane duel`, as in the addresses of
Fairlane Live, whose grader (web/src/learn/grading.ts) computes the same figures.
"""

import json
import random
import re
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

from fairlane.engine import run as simulate
from fairlane.engine.messages import unknown
from fairlane.files import data_folder, json_value, write_text
from fairlane.scenario import mobile_links
from fairlane.scenario.request_settings import multiple
from fairlane.scenario.requests import Request, scenario

OPEN_SEED = 1
"""The seed of the networks that students see; every other seed also moves rates and RTTs."""
VARIATION = 0.05
MOST_FLOWS = 100
MOST_BITS = 200e9
MOST_CHARACTERS = 10_000
SHORTEST_INTERVAL_NS = 10**6
"""Limits of scenes of students, which a teacher's machine runs."""
_WORDS = ("rate", "trace", "rtt", "buffer", "queue", "loss", "start", "reverse", "time", "interval", "net")


class LabError(Exception):
    """A lab or a folder of answers cannot be used; the message says why."""


@dataclass(frozen=True)
class Grade:
    """The outcome of one question."""

    question: str
    passed: bool
    detail: str


@dataclass(frozen=True)
class Lab:
    """A lab by its name."""

    name: str
    folder: Path
    number: int
    title: str
    minutes: int
    questions: Sequence[Mapping[str, Any]]


def labs() -> list[Lab]:
    """All labs in order."""
    found = [
        Lab(path.parent.name, path.parent, **json.loads(path.read_text()))
        for path in data_folder("labs").glob("*/lab.json")
    ]
    return sorted(found, key=lambda lab: lab.number)


def lab(name: str) -> Lab:
    """The lab of this name. Raises LabError."""
    known = {one.name: one for one in labs()}
    if name not in known:
        raise LabError(unknown("lab", name, known))
    return known[name]


def start(chosen: Lab, folder: Path) -> None:
    """Writes a lab's sheet, its files and a form for the answers into a new folder.

    Raises LabError if it exists, and OSError, after which there is no folder.
    """
    if folder.exists():
        raise LabError(f"{folder} exists already; name another folder")
    form = {one["id"]: None for one in chosen.questions if one["kind"] != "file"}
    folder.mkdir(parents=True)
    try:
        for path in chosen.folder.iterdir():
            if path.name != "lab.json":
                write_text(folder / path.name, path.read_text(encoding="utf-8"))
        write_text(folder / "answers.json", json.dumps({"lab": chosen.name, "answers": form}, indent=2) + "\n")
    except OSError:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def grade(folder: Path, seed: int = OPEN_SEED) -> tuple[Lab, list[Grade]]:
    """Grades a folder with answers. The same folder and seed always give the same grades.

    Numbers are compared with the figures of the open network. Scenes and files run in the open network, and with
    another `seed` in a second one, whose rates and RTTs differ by up to 5 %. Raises LabError and FileError.
    """
    path = _handed_in(folder, "answers.json")
    handed_in = json_value(path, "write one with: fairlane lab start NAME FOLDER")
    answers = handed_in.get("answers") if isinstance(handed_in, dict) else None
    if not isinstance(answers, dict) or not isinstance(handed_in.get("lab"), str):
        raise LabError(f'{path}: is no form of answers; it has "lab", a name, and "answers", a table')
    chosen = lab(handed_in["lab"])
    seeds = [OPEN_SEED] if seed == OPEN_SEED else [OPEN_SEED, seed]
    return chosen, [_graded(one, answers.get(one["id"]), folder, seeds) for one in chosen.questions]


def _graded(question: Mapping[str, Any], answer: Any, folder: Path, seeds: Sequence[int]) -> Grade:
    try:
        return Grade(question["id"], *_judged(question, answer, folder, seeds))
    except Exception as error:  # of a scene or a program of the student's
        return Grade(question["id"], False, str(error).replace("experiment: ", ""))


def _judged(question: Mapping[str, Any], answer: Any, folder: Path, seeds: Sequence[int]) -> tuple[bool, str]:
    kind = question["kind"]
    if kind == "number":
        if isinstance(answer, bool) or not isinstance(answer, int | float):
            return False, "no number"
        measured = figures(question["scene"], folder)[question["metric"]]
        right = abs(answer - measured) <= abs(measured) * question["within_pct"] / 100
        return right, f"{answer:g} {question['unit']}" + (
            "" if right else f" is more than {question['within_pct']} % off"
        )
    if kind == "file":
        if not _handed_in(folder, question["file"]).is_file():
            return False, f"{question['file']} is missing"
        scenes = question["scenes"]
    else:
        if not isinstance(answer, str):
            return False, "no scene"
        given, first = _words(answer), _words(question["start"])
        for key in question["keep"]:
            if given.get(key) != first.get(key):
                return False, f"{key} must stay {first.get(key, 'as it is by default')}"
        scenes = [answer]
    details = []
    for scene in scenes:
        for seed in seeds:
            found = figures(scene, folder, seed)
            for need in question["require"]:
                if need["metric"] not in found:
                    return False, f"the scene has no {need['metric']}"
                value, bound = found[need["metric"]], _bound(need)
                if not need.get("least", value) <= value <= need.get("most", value):
                    where = "" if seed == OPEN_SEED else f" with seed {seed}"
                    return False, f"{need['metric']} is {value:.4g}{where}; required: {bound}"
                details.append(f"{need['metric']} {value:.4g}")
    return True, ", ".join(dict.fromkeys(details))


def _bound(need: Mapping[str, Any]) -> str:
    parts = [f"{name} {need[key]:g}" for key, name in (("least", "at least"), ("most", "at most")) if key in need]
    return " and ".join(parts)


def _words(query: str) -> dict[str, str]:
    """The words of a scene; an address of the page is one, too, and a percent sign need not be escaped."""
    words = dict(parse_qsl(re.sub(r"%(?![0-9A-Fa-f]{2})", "%25", query.rpartition("#")[2])))
    return {"queue": "fifo", **words}


def figures(query: str, folder: Path, seed: int = OPEN_SEED) -> dict[str, float]:
    """The figures of a scene's run by name. Raises what an experiment raises."""
    if len(query) > MOST_CHARACTERS:
        raise LabError(f"the most is {MOST_CHARACTERS:,} characters")
    words = _words(query)
    if seed != OPEN_SEED:
        words |= _varied(words, random.Random(seed))
    if words.get("net") == "lot":
        raise LabError("a parking lot cannot be graded; use one link")
    if words.get("trace", mobile_links.STARLINK) not in mobile_links.NAMES:
        raise LabError(f"there is no trace {words['trace']}; there are {', '.join(mobile_links.NAMES)}")
    flows = [_algorithm(word, folder) for word in words.get("flows", "").split()]
    if sum(multiple(word)[1] for word in flows) > MOST_FLOWS:
        raise LabError(f"the most is {MOST_FLOWS} flows")
    settings: dict[str, Any] = {name: words[name] for name in _WORDS if name in words}
    settings |= {name: words[name].split(",") for name in ("rtt", "start") if name in words}
    for given, name in (("time", "duration"), ("reverse", "reverse_rate"), ("net", "wifi")):
        if given in settings:
            settings[name] = settings.pop(given)
    experiment = Request(flows, {**settings, "ecn": words.get("ecn") == "1"}).experiment(seed=seed)
    workloads = words.get("workload", "bulk").split(",")
    counts = [multiple(word)[1] for word in flows]
    each = [workloads[index % len(workloads)] for index, count in enumerate(counts) for _ in range(count)]
    for flow, workload in zip(experiment["flows"], each, strict=True):
        flow["workload"] = workload
    point = scenario(experiment)
    if point["series_interval_ns"] < SHORTEST_INTERVAL_NS:
        raise LabError("the shortest interval is 1 ms")
    if max(link.get("rate_bps", 0) for link in point["links"]) * point["duration_ns"] > MOST_BITS * 1e9:
        raise LabError("takes too long; the rate times the duration is at most 200 Gbit")
    return _figures(point, simulate(point))


def _algorithm(word: str, folder: Path) -> str:
    """A bundled algorithm, the rules of Fairlane Live, or a C file of the student, which a confined worker runs."""
    rules = re.sub(r"^rules\b", str(data_folder("labs") / "rules.c"), word)
    if rules != word or ("/" not in word and ".py" not in word):
        return rules
    name = re.fullmatch(r"\./(\w[\w.-]*\.c)([:*].*)?", word)
    if name is None:
        raise LabError(f"{word}: give a bundled algorithm, rules, or a C file of the folder, such as ./mine.c")
    return str(_handed_in(folder, name[1])) + (name[2] or "")


def _handed_in(folder: Path, name: str) -> Path:
    """A file of the student's. Raises LabError for a link, which may lead to another student's, or to the teacher's."""
    path = folder / name
    if path.is_symlink():
        raise LabError(f"{path}: is a link; hand in the file itself")
    return path


def _varied(words: Mapping[str, str], stream: random.Random) -> dict[str, str]:
    def near(match: re.Match[str]) -> str:
        return f"{float(match[1]) * stream.uniform(1 - VARIATION, 1 + VARIATION):.4g}{match[2]}"

    return {key: re.sub(r"([\d.]+)([a-z]+)", near, words[key]) for key in ("rate", "rtt") if key in words}


def _figures(point: Mapping[str, Any], result: Mapping[str, Any]) -> dict[str, float]:
    link, bottleneck = result["links"][0], point["links"][0]
    flows, series = result["flows"], result["series"]
    rate = bottleneck.get("rate_bps", 0)
    longest_ns = max(
        sum(one["delay_ns"] for one in point["links"] if one["name"] in (*flow["forward"], *flow["reverse"]))
        for flow in point["flows"]
    )
    bdp = rate * longest_ns / 8e9
    queue = bottleneck.get("queue", {})
    limit = queue.get("limit_bytes") or queue.get("limit_packets", 0) * 1514
    total = sum(flow["goodput_mbps"] for flow in flows)
    losses = [t for one in series["flows"] for t, lost in zip(one["t_s"], one["lost_packets"], strict=True) if lost]
    found = {
        "utilisation_pct": 100 * link["utilisation"] if link["utilisation"] is not None else float("nan"),
        "p95_queue_ms": link["p95_queue_delay_ms"] or 0.0,
        "dropped_pct": 100 * link["dropped_packets"] / max(1, link["delivered_packets"]),
        "jain": result["jain_index"] or 0.0,
        "bdp_packets": bdp / 1514,
        "buffer_bdp": limit / bdp if bdp else float("nan"),
        "lost_packets": sum(flow["lost_packets"] for flow in flows),
        "first_loss_s": min(losses, default=float("nan")),
    }
    for number, (flow, samples) in enumerate(zip(flows, series["flows"], strict=True)):
        late = samples["cwnd_packets"][len(samples["cwnd_packets"]) // 2 :]
        found |= {
            f"goodput_{number}_mbps": flow["goodput_mbps"],
            f"share_{number}_pct": 100 * flow["goodput_mbps"] / total if total else 0.0,
            f"rtt_{number}": flow["mean_rtt_ms"] or float("nan"),
            f"peak_cwnd_{number}": max(late, default=float("nan")),
            f"low_cwnd_{number}": min(late, default=float("nan")),
        }
        found |= {f"parameter_{number}_{name}": value for name, value in point["flows"][number]["parameters"].items()}
    if len(flows) > 1 and flows[1]["goodput_mbps"]:
        found["ratio_0_1"] = flows[0]["goodput_mbps"] / flows[1]["goodput_mbps"]
    return found


def as_json(chosen: Lab, grades: Sequence[Grade]) -> dict[str, Any]:
    """Grades for scripts: otter-grader, nbgrader."""
    passed = sum(one.passed for one in grades)
    return {"lab": chosen.name, "passed": passed, "questions": len(grades), "grades": [asdict(one) for one in grades]}
