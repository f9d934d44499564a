"""Files of `break`, `evidence`, `rank` and `lab`, and the values that these keep: small networks, which run."""

import contextlib
import json
import random
import tomllib
from pathlib import Path
from typing import Any

from fairlane.files import FileError
from fairlane.scenario.diagnostics import ExperimentError
from fairlane.search import labs
from fairlane.search.breaks import genome as genomes
from fairlane.search.breaks.evaluate import threads
from fairlane.search.breaks.objectives import ObjectiveError
from fairlane.search.breaks.worst_cases import Question, opened
from fairlane.search.evidence import ranking
from fairlane.search.evidence.measures import Measures
from fairlane.show.report.experiments import toml_text

from tests.experiment import mutator
from tests.experiment.test_fabrics import GRAPH
from tests.hostile.outcomes import Finding, command, reading

_NETWORK = 'duration = "200ms"\nnetwork = { rate = "10mbit", rtt = "20ms", buffer = "1bdp" }\n'
FAMILY = """title = "theirs"
objective = "goodput"
[experiment]
duration = "200ms"
flows = [{ algorithm = "TARGET" }, { algorithm = "reno", start = "10ms" }]
network = { rate = "10mbit", rtt = "20ms", buffer = "1bdp" }
[[genes]]
key = "network.rate"
low = "1mbit"
high = "20mbit"
usual = ["2mbit", "5mbit"]
[[genes]]
key = "network.queue"
values = ["fifo", "codel"]
[[genes]]
key = "network.mtu"
low = 500
high = 1500
log = false
[[schedules]]
key = "network.changes"
most = 3
repeat = true
[[schedules.each]]
key = "at"
low = "10ms"
high = "90ms"
[[schedules.each]]
key = "rate"
low = "1mbit"
high = "20mbit"
[[map]]
title = "rate"
keys = ["network.rate"]
low = 1
high = 20
[[map]]
title = "changes"
keys = ["network.changes.rate"]
of = "count"
factors = [0.5]
low = 1
high = 3
cells = 3
"""
_WITNESS = {"algorithm": "cubic", "against": "reno", "objective": "goodput", "flows": [0], "score": 0.5}
CRITERIA = """title = "theirs"
source = "none"
[[criteria]]
section = "1.1"
title = "Rate"
keyword = "MUST"
asks = "A rate."
[[criteria.tests]]
title = "goodput"
experiment = "networks.toml"
value = "goodput_mbps / 2 + min(1, others.goodput_mbps)"
want = "at least"
margin = 0.1
slack = 0.5
limit = 3
by = ["rtt"]
quick = { rtt = ["20ms"] }
reason = "None."
[[criteria]]
section = "1.2"
title = "Statement"
keyword = "ought"
asks = "A word."
stated = ["loss"]
"""
NETWORKS = (
    'flows = [{ name = "subject", algorithm = "cubic" }, { algorithm = "reno" }]\n'
    f'{_NETWORK}[sweep]\n"network.rtt" = ["10ms", "20ms"]\n'
)
RANKING = """title = "theirs"
[values.goodput]
value = "goodput_mbps"
title = "goodput"
better = "more"
floor = 0.01
[values.loss]
value = "loss_rate_pct"
title = "loss"
better = "less"
floor = 0.1
[[uses]]
name = "home"
title = "Home"
experiment = "networks.toml"
source = "none"
weights = { goodput = 1, loss = 0.5 }
"""


def _mutated(text: str, chance: random.Random) -> bytes:
    """The text of a TOML file, by its bytes or by its values."""
    if chance.random() < 0.4:
        return mutator.mutated_text(text, chance)
    try:
        return toml_text(mutator.mutated_data(tomllib.loads(text), chance)).encode(errors="surrogatepass")
    except (TypeError, ValueError):  # a value that TOML cannot have
        return mutator.mutated_text(text, chance)


def family(chance: random.Random, folder: Path) -> str:
    """A family of `break`, and networks of it, which are not run."""
    path = folder / "family.toml"
    path.write_bytes(_mutated(FAMILY, chance))

    def search() -> None:
        (one,) = opened(Question("cubic", "reno", [str(path)], realistic=chance.random() < 0.3))
        for axis in one.family.file.map:
            json.dumps(axis.bounds(), allow_nan=False)
        genome = genomes.draw(one.family, chance)
        for _ in range(5):
            genome = genomes.cross(genomes.mutate(one.family, genome, chance), genome, chance)
            for axis in one.family.file.map:
                axis.cell(genomes.on_axis(one.family, genome, axis))
            with contextlib.suppress(ExperimentError):
                one.family.variants.point(one.family.variants.with_values(genomes.values(one.family, genome)))
            genome = next(genomes.simpler(one.family, genome), genome)
            genomes.unusual(one.family, genome)

    return reading(search, ExperimentError, ObjectiveError)


def witness(chance: random.Random, folder: Path) -> str:
    """A kept network of `break`, run again."""
    about = _WITNESS
    if chance.random() < 0.6:
        about = mutator.mutated_data({**about, "flows": list(about["flows"])}, chance)
    flows = 'flows = [{ algorithm = "cubic" }, { algorithm = "reno" }]\n'
    text = f"# break: {json.dumps(about, default=str)}\n{flows}{_NETWORK}"
    if chance.random() < 0.4:
        text = mutator.mutated_text(text, chance).decode("latin-1")
    (folder / "witness.toml").write_text(text)
    return command("break", "--replay", str(folder / "witness.toml"), "--jobs", "1", but="^(worse|passes) ")


def criteria(chance: random.Random, folder: Path) -> str:
    """Criteria of `evidence` and their networks, with values kept by another run."""
    texts = {"criteria.toml": CRITERIA, "networks.toml": NETWORKS}
    spoiled = chance.choice([*texts, "criteria.toml"])
    for name, text in texts.items():
        (folder / name).write_bytes(_mutated(text, chance) if name == spoiled else text.encode())
    words = ("reno", "--criteria", str(folder / "criteria.toml"), "--quick", "--results", str(folder / "out"))
    return command("evidence", *words, "--jobs", "1")


def kept_values(chance: random.Random, folder: Path) -> str:
    """The file of values that `evidence` and `rank` keep, read before they go on."""
    line = json.dumps({"run": "a", "values": {"goodput_mbps @ 0": [1.5, ""], "loss @ 0": [None, "none"]}})
    data = mutator.mutated_data(json.loads(line), chance)
    text = f"{line}\n{json.dumps(data, default=str)}\n{line}\n"
    path = folder / "runs.jsonl"
    path.write_bytes(mutator.mutated_text(text, chance) if chance.random() < 0.4 else text.encode())
    with Measures(path) as measures:
        measures.get("a", "goodput_mbps @ 0")
    return "accepted" if len(path.read_text().splitlines()) == 3 else "refused"


def use_cases(chance: random.Random, folder: Path) -> str:
    """Weights and use cases of `rank`."""
    (folder / "networks.toml").write_text(NETWORKS)
    (folder / "ranking.toml").write_bytes(_mutated(RANKING, chance))

    def rank() -> None:
        form = ranking.read(folder / "ranking.toml")
        with Measures(folder / "runs.jsonl") as measures, threads(1) as compute:
            for one in ranking.rank(form, ["reno"], 3, measures, compute):
                for use in form.uses:
                    one.score(use)

    return reading(rank, ExperimentError, ObjectiveError)


def answers(chance: random.Random, folder: Path) -> str:
    """A student's answers."""
    scene = "rate=10mbit&rtt=20ms&buffer=1bdp&time=200ms&flows=rules:keep=820 reno*2&queue=fifo&start=0s,10ms"
    if chance.random() < 0.7:
        scene = mutator._slip(scene, chance)
    data: Any = {"lab": "design", "answers": {"friendly": scene}}
    (folder / "answers.json").write_text(json.dumps(mutator.mutated_data(data, chance), default=str))
    grade = {}

    def graded() -> None:
        grade["it"] = labs.grade(folder, chance.choice([1, 7]))[1]

    outcome = reading(graded, labs.LabError, FileError)
    for one in grade.get("it", ()):
        if "\n" in one.detail.strip() or len(one.detail) > 3000:
            raise Finding(one.detail[:4000])
    return "refused" if any(not one.passed for one in grade.get("it", ())) else outcome


_OF_GRAPH = """duration = "10ms"
flows = [{ algorithm = "cubic", traffic = { matrix = "file", file = "pairs.csv", load = "60%", sizes = "web-search" } }]
network = { topology = "graph", file = "zoo.graphml", rate = "1gbit" }
"""
_FILES = {
    "zoo.graphml": GRAPH,
    "pairs.csv": "source,destination,weight\nhost-Bern,host-New-York,2.5\nhost-New-York,host-Bern,1e3\n",
    "pairs.toml": _OF_GRAPH,
}
_NUMBERS = ("nan", "inf", "-1", "1e400", "1e308", "", "0x10", "9" * 400)


def graph(chance: random.Random, folder: Path) -> str:
    """A graph, its traffic, and the experiment with both."""
    spoiled = chance.choice([*_FILES, "zoo.graphml"])
    for name, text in _FILES.items():
        content = text.encode()
        if name == spoiled and chance.random() < 0.5:
            content = mutator.mutated_text(text, chance)
        elif name == spoiled:
            number = chance.choice([one for one in ("46.95", "7.45", "1e9", "2.5", "1e3", "60%") if one in text])
            content = text.replace(number, chance.choice(_NUMBERS)).encode()
        (folder / name).write_bytes(content)
    return command("show", str(folder / "pairs.toml"))
