"""Mutated files and arguments: each is accepted, or refused with one line per error and exit status 1 or 2.

    python -m tests.hostile.campaign FROM TO

tries the mutations FROM to TO - 1 of each subject and prints how many were survived; `make campaign` does this at
length, `test_campaign.py` in short. The mutations are seeded by subject and number, so a finding can be repeated.
"""

import contextlib
import copy
import io
import json
import random
import shutil
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from fairlane.cli import main
from fairlane.files import FileError, data_folder
from fairlane.results.store.checksummed_json import seal, unseal
from fairlane.scenario.diagnostics import ExperimentError
from fairlane.search.tune import loading
from fairlane.study.linux import score, truth
from fairlane.study.paper import definition as study
from fairlane.study.paper.definition import StudyError

from tests.experiment import mutator
from tests.hostile.outcomes import Finding, command, reading
from tests.hostile.subjects import answers, machines, programs, recordings, searches
from tests.hostile.test_reading import EXPERIMENT

EXPERIMENTS = Path(__file__).parent.parent / "experiment" / "files"
ARGUMENTS = [
    ["--rate", "10mbit"], ["--rtt", "20ms"], ["--buffer", "1bdp"], ["--queue", "fifo"], ["--loss", "0.1%"],
    ["--mtu", "1500"], ["--seed", "1"], ["--start", "0s"],
]  # fmt: skip
TUNING = """
algorithm = "cubic"
trials = 5
[parameters.beta]
low = 500
high = 900
step = 100
[[objectives]]
metric = "goodput_mbps"
goal = "highest"
[experiment]
duration = "1s"
network = { rate = "10mbit", rtt = "20ms", buffer = "1bdp" }
flows = [{ algorithm = "cubic" }]
"""


def experiment(chance: random.Random, folder: Path) -> str:
    """An experiment file and its parents."""
    for path in EXPERIMENTS.glob("*.toml"):
        shutil.copy(path, folder)
    chosen = chance.choice(sorted(folder.glob("*.toml")))
    chosen.write_bytes(mutator.mutated_text(chosen.read_text(), chance))
    return command("show", str(chosen))


def tuning(chance: random.Random, folder: Path) -> str:
    """A tuning file."""
    (folder / "file.toml").write_bytes(mutator.mutated_text(TUNING, chance))
    return reading(lambda: loading.read(folder / "file.toml"), ExperimentError, FileError)


def truth_folder(chance: random.Random, folder: Path) -> str:
    """The scenarios and results of a truth folder."""
    recorded = data_folder("calibration") / "linux-6.12"
    scenarios = json.loads((recorded / "scenarios.json").read_text())
    few = chance.sample(scenarios, 3)
    text = json.dumps(few)
    if chance.random() < 0.7:
        text = json.dumps(mutator.mutated_data({"few": few}, chance).get("few", few), default=str)
    (folder / "scenarios.json").write_bytes(
        mutator.mutated_text(f"{text}\n", chance) if chance.random() < 0.4 else text.encode()
    )
    rows = (recorded / "linux.csv").read_text().splitlines(keepends=True)[:20]
    (folder / "linux.csv").write_bytes(mutator.mutated_text("".join(rows), chance))

    def read() -> None:
        for one in truth.load(folder):
            if not truth.missing(one, ["cubic", "reno", "bbr"]):
                truth.as_scenario(one)
        recorded = score.load_rows(folder / "linux.csv")
        score.errors(score.compare(recorded, recorded))

    return reading(read, truth.TruthError, FileError)


def paper_study(chance: random.Random, folder: Path) -> str:
    """The description of a study."""
    shipped = data_folder("studies") / chance.choice(study.names(data_folder("studies")))
    for path in [*shipped.glob("*.toml"), *shipped.glob("published/*.csv")]:
        (folder / path.relative_to(shipped)).parent.mkdir(exist_ok=True)
        shutil.copy(path, folder / path.relative_to(shipped))
    file = chance.choice([folder / "study.toml", folder / "study.toml", folder / study.PUBLISHED_EXPERIMENTS])
    file.write_bytes(mutator.mutated_text(file.read_text(), chance))
    return reading(lambda: study.load(folder), StudyError)


def store(chance: random.Random, folder: Path) -> str:
    """A folder of results: bytes of any file, or the contents of a plan or manifest with a valid checksum."""
    shutil.copytree(_results(), folder, dirs_exist_ok=True)
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    sealed = [path for path in files if path.suffix == ".json"]
    if chance.random() < 0.6:
        path = chance.choice(sealed)
        changed = json.dumps(mutator.mutated_data(unseal(path.read_bytes()), chance), default=str)
        path.write_bytes(seal(json.loads(changed)))
    else:
        path = chance.choice(files)
        spoiled = bytearray(path.read_bytes() or b"x")
        for _ in range(chance.randint(1, 8)):
            spoiled[chance.randrange(len(spoiled))] = chance.randrange(256)
        path.write_bytes(spoiled[: chance.randrange(len(spoiled))] if chance.random() < 0.3 else spoiled)
    return damaged(str(folder))


def stored_tables(chance: random.Random, folder: Path) -> str:
    """The tables of a folder of results, with valid checksums."""
    return recordings.stored_tables(chance, folder, _results())


def damaged(folder: str) -> str:
    """Damage is reported next to sound results, so a command may print more than one line."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = main(["table", folder])
    said = err.getvalue()
    if status not in (0, 1, 2) or "Traceback" in said or (status and not said):
        raise Finding(f"status {status}: {said[:2000]}")
    return "refused" if status or said else "accepted"


def arguments(chance: random.Random, _folder: Path) -> str:
    """The options of a duel, which is not run: a plot into a folder that does not exist ends it before."""
    given = copy.deepcopy(chance.sample(ARGUMENTS, chance.randint(1, 5)))
    for option in chance.sample(given, chance.randint(1, len(given))):
        odd = chance.choice([one for one in mutator.ODD if isinstance(one, str)])
        option[1] = odd if chance.random() < 0.5 else mutator._slip(option[1], chance)
    algorithm = chance.choice(
        ["cubic", "cubic:beta=1", "cubic:", ":", "./nowhere.c", "../", "no such", "cubic:beta=1e9"]
    )
    return command("duel", algorithm, *(word for option in given for word in option), "--plot", "/nowhere/x.png")


_RESULTS: list[Path] = []


def _results() -> Path:
    """A small folder of results, made once."""
    if not _RESULTS:
        folder = Path(tempfile.mkdtemp(prefix="fairlane-campaign-"))
        (folder / "file.toml").write_text(EXPERIMENT + '[sweep]\n"network.rtt" = ["10ms", "20ms"]\n')
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            assert main(["run", str(folder / "file.toml"), "--results", str(folder / "store"), "--jobs", "1"]) == 0
        _RESULTS.append(folder / "store")
    return _RESULTS[0]


SUBJECTS = [
    experiment, tuning, truth_folder, paper_study, store, arguments, answers.cluster_answer, answers.guest_report,
    machines.testbed,
    machines.kernel_package, machines.shell_arguments, programs.c_algorithm, programs.python_algorithm,
    recordings.packet_capture, stored_tables, searches.family, searches.witness, searches.criteria,
    searches.kept_values, searches.use_cases, searches.answers, searches.graph,
]  # fmt: skip


def attempt(subject: Callable[[random.Random, Path], str], number: int) -> str:
    """Outcome of one mutation. Raises Finding."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            return subject(random.Random(f"{subject.__name__} {number}"), Path(folder))
        except Finding:
            raise
        except BaseException as error:
            shown = "".join(traceback.format_exception(error)[-6:])
            raise Finding(f"{subject.__name__} {number}: {shown}") from error


def long(first: int, last: int) -> int:
    """Tries the mutations of each subject and prints counts; returns the exit status."""
    failed = 0
    for subject in SUBJECTS:
        counts: Counter[str] = Counter()
        for number in range(first, last):
            try:
                counts[attempt(subject, number)] += 1
            except Finding as finding:
                counts["not survived"] += 1
                print(f"{subject.__name__} {number}: {finding}", file=sys.stderr)
        survived = counts["accepted"] + counts["refused"]
        failed += counts["not survived"]
        print(
            f"{subject.__name__}: {last - first} tried, {survived} survived "
            f"({counts['accepted']} accepted, {counts['refused']} refused)",
            flush=True,
        )
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(long(int(sys.argv[1]), int(sys.argv[2])))
