"""No file of others runs anything before the user agrees, whichever command reads it.

Each file of others below leaves a canary if any of it runs. Every command is called with every kind of file that it
reads. With the user's consent the same commands run the files.
"""

import contextlib
import importlib.util
import inspect
import io
import json
import os
import py_compile
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import click
import fairlane
import pytest
from fairlane import engine
from fairlane.cli import COMMANDS, commands, containment
from fairlane.files import data_folder

from tests.conftest import CommandLine
from tests.hostile.subjects import searches
from tests.hostile.subjects.machines import kernel_image

RUN = 'from pathlib import Path\n(Path(__file__).parent / "canary").touch()\n'
ALGORITHM = (
    RUN
    + """
class Mine:
    def ssthresh(self, sk): return 2
    def undo_cwnd(self, sk): return 10
    def cong_avoid(self, sk, ack, acked): pass
"""
)
EXPERIMENT = """
duration = "1s"
flows = [{ algorithm = "./theirs.py" }]
network = { rate = "10mbit", rtt = "20ms", buffer = "1bdp" }
"""
TUNING = f"""
algorithm = "./theirs.py"
trials = 2
parameters.beta = {{ low = 500, high = 900, step = 100 }}
objectives = [{{ metric = "goodput_mbps", goal = "highest" }}]
experiment = {{ {", ".join(EXPERIMENT.strip().splitlines())} }}
"""
SCRIPT = """`touch canary`
%{ open("canary", "w") }%
0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3
"""
INVENTORY = """[senders]
a ansible_host=nowhere.invalid fairlane_address=10.0.0.1 ansible_ssh_common_args='-o ProxyCommand="touch canary"'
[receivers]
b ansible_host=nowhere.invalid fairlane_address=10.0.0.2 ansible_ssh_common_args='-o ProxyCommand="touch canary"'
"""
YAML_INVENTORY = """
senders: !!python/object/apply:os.system ["touch canary"]
"""
HOSTS = """
[[hosts]]
name = "a"
role = "sender"
host = "-oProxyCommand=touch canary"
address = "10.0.0.1"
[[hosts]]
name = "b"
role = "receiver"
host = "$(touch canary).invalid"
address = "10.0.0.2"
"""
BASELINE = 'baseline = "./theirs.py"\n'
WITNESS = (
    """# break: {"algorithm": "./theirs.py", "against": "./theirs.py", "objective": "goodput", "flows": [0], "score": 1}
"""
    + EXPERIMENT
)
FAMILY = """title = "theirs"
[experiment]
duration = "1s"
flows = [{ algorithm = "TARGET" }, { algorithm = "./theirs.py" }]
network = { rate = "10mbit", rtt = "20ms", buffer = "1bdp" }
[[genes]]
key = "network.rate"
low = "1mbit"
high = "2mbit"
[[map]]
title = "rate"
keys = ["network.rate"]
low = 1
high = 2
[[map]]
title = "rate"
keys = ["network.rate"]
low = 1
high = 2
"""

WALK = {
    "duel": [
        "--trace theirs.py --rtt 20ms cubic",
        "cubic --rate 10mbit --on inventory.ini",
        "cubic --rate 10mbit --on inventory.yml",
        "cubic --rate 10mbit --on vm:./theirs.py",
        "cubic --rate 10mbit --on vm:theirs@10",
        "cubic --rate 10mbit --on vm:theirs:emulated",
        "cubic --rate 10mbit --baseline theirs.toml",
        "cubic --rate 10mbit --on hosts.toml",
    ],
    "advise": ["--trace theirs.py"],
    "matrix": ["cubic --results store --time 100ms --repeats 1", "cubic --against ./theirs.toml --results new"],
    "break": [
        "cubic --family family.toml --evaluations 1 --results broken",
        "cubic --family theirs.toml --evaluations 1 --objective __import__('os').system('touch_canary')",
        "--replay witness.toml",
        "cubic --replay witness.toml",
    ],
    "algorithms": [""],
    "new": ["theirs.py"],
    "show": ["theirs.toml", "theirs.toml --all --repeats 2"],
    "run": ["theirs.toml", "theirs.toml --results store", "theirs.toml --on dask", "theirs.toml --on hosts.toml"],
    "table": ["store", "store --metrics jain"],
    "compare": ["store store"],
    "plot": ["store goodput -o plot.png"],
    "report": ["store", "studied"],
    "verify": ["store", "store --repair"],
    "export": ["store csv -o tables", "store pcapng -o packets", "store iperf3 -o iperf3"],
    "shell": ["--trace theirs.py -- true", "--rate 10mbit --up-trace theirs.py -- true"],
    "kernel": [
        "add theirs.deb",
        "add theirs.py",
        "add ./theirs.py --modules data",
        "add ./bzImage --modules .",
        "list",
        "remove theirs",
    ],
    "algorithm": [
        "kernel theirs.toml",
        "check theirs.toml",
        "check reno --witnesses witness.toml",
        "explain store",
        "trace theirs.toml",
        "trace cubic --trace theirs.py --time 100ms",
        "new theirs --dir made",
        "load theirs.toml",
        "unload theirs",
        "list",
    ],
    "tune": ["tuning.toml", "theirs.toml"],
    "studies": [""],
    "reproduce": ["theirs --only pairs", "theirs --estimate"],
    "claims": ["theirs", "theirs --results studied"],
    "explain": ["theirs s4d-2", "theirs --unexplained"],
    "calibrate": ["theirs"],
    "fidelity": ["--truth truth --jobs 1", "--against vm theirs.toml", "--against namespaces theirs.toml"],
    "packetdrill": ["theirs.pkt", "store", "theirs.pkt --init-scripts store"],
    "bench": ["theirs.toml"],
    "completion": ["bash"],
    "live": ["--open theirs.toml --no-browser"],
    "lab": ["list", "start theirs", "grade studied", "grade store", "grade handed-in"],
    "rank": ["--file theirs.toml --results ranked", "cubic --file ranking.toml --results ranked"],
    "evidence": [
        f"cubic --quick --results judged --criteria {name}.toml"
        for name in ("theirs", "family", "criteria", "of-theirs")
    ],
}
"""Arguments of each command."""


def _study(folder: Path) -> None:
    """A study with a tiny experiment, whose claims leave a canary."""
    folder.mkdir(parents=True)
    for kept in ("study.toml", "published", "quick"):
        source = data_folder("studies") / "modestbbr" / kept
        (shutil.copytree if source.is_dir() else shutil.copy)(source, folder / kept)
    for source in (data_folder("studies") / "modestbbr").glob("*.toml"):
        if source.name not in ("study.toml", "predicates.toml"):
            (folder / source.name).write_text(EXPERIMENT.replace("./theirs.py", "cubic"))
    (folder / "claims").mkdir()
    (folder / "claims" / "__init__.py").write_text(
        f"{RUN}from fairlane.study.claims import Claims\nCLAIMS = Claims()\n"
    )
    published = folder / "published" / "claims.csv"
    published.write_text(published.read_text().partition("\n")[0] + "\n")


@pytest.fixture(scope="module")
def theirs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with all files of others: results among them, which were computed with consent."""
    folder = tmp_path_factory.mktemp("theirs")
    texts = {
        "theirs.py": ALGORITHM, "theirs.toml": EXPERIMENT, "tuning.toml": TUNING, "theirs.pkt": SCRIPT,
        "witness.toml": WITNESS, "family.toml": FAMILY,
        "criteria.toml": BASELINE + searches.CRITERIA, "ranking.toml": BASELINE + searches.RANKING,
        "networks.toml": searches.NETWORKS, "of-theirs.toml": searches.CRITERIA.replace("networks", "their-networks"),
        "their-networks.toml": searches.NETWORKS.replace("reno", "./theirs.py"),
        "inventory.ini": INVENTORY, "inventory.yml": YAML_INVENTORY, "hosts.toml": HOSTS,
    }  # fmt: skip
    for name, text in texts.items():
        (folder / name).write_text(text)
    _study(folder / "data" / "studies" / "theirs")
    (folder / "handed-in").mkdir()
    (folder / "handed-in" / "theirs.py").write_text(ALGORITHM)
    scene = "rate=20mbit&rtt=40ms&buffer=1bdp&time=120s&flows=./theirs.py reno"
    (folder / "handed-in" / "answers.json").write_text(json.dumps({"lab": "design", "answers": {"friendly": scene}}))
    (folder / "bzImage").write_bytes(kernel_image("6.1"))
    (folder / "tcp_bbr.ko").write_text(f"#!/bin/sh\ntouch {folder}/canary\n")
    (folder / "tcp_bbr.ko").chmod(0o755)
    (folder / "truth").mkdir()
    source = data_folder("calibration") / "linux-6.12"
    scenarios = json.loads((source / "scenarios.json").read_text())[:1]
    for flow in scenarios[0]["flows"]:
        flow["algorithm"] = "./theirs.py"
    (folder / "truth" / "scenarios.json").write_text(json.dumps(scenarios))
    shutil.copy(source / "linux.csv", folder / "truth")
    _package(folder)
    here = Path.cwd()
    os.chdir(folder)
    try:
        engine.contain(["theirs.py"])
        fairlane.run("theirs.toml", "store", progress=False)
        shutil.copytree("store", "studied")
    finally:
        engine.contain()
        os.chdir(here)
    return folder


def _package(folder: Path) -> None:
    """A Debian package whose scripts leave a canary."""
    if shutil.which("dpkg-deb") is None:
        return
    control = folder / "package" / "DEBIAN"
    control.mkdir(parents=True)
    (control / "control").write_text("Package: theirs\nVersion: 1\nArchitecture: all\nMaintainer: x\nDescription: x\n")
    for script in ("preinst", "postinst"):
        (control / script).write_text(f"#!/bin/sh\ntouch {folder}/canary\n")
        (control / script).chmod(0o755)
    subprocess.run(["dpkg-deb", "-b", folder / "package", folder / "theirs.deb"], check=True, capture_output=True)


@pytest.fixture
def canaries(theirs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the files, in which nothing has run, and a process without a terminal."""
    engine.contain()
    monkeypatch.chdir(theirs)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    original = data_folder
    for module in [one for name, one in sys.modules.items() if name.startswith("fairlane.")]:
        if getattr(module, "data_folder", None) is original:
            monkeypatch.setattr(module, "data_folder", lambda name: theirs / "data" / name)
    for left in _ran(theirs):
        (theirs / left).unlink()
    return theirs


def _ran(folder: Path) -> list[str]:
    return [str(canary.relative_to(folder)) for canary in folder.rglob("canary")]


NO_FILES_OF_OTHERS = {"--trust", "--metrics-from", "--results", "--out", "--dir", "--latex"}
"""Files that the user agrees to, and places of output."""


def walk(command: click.Command | None, words: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Every command below this one, with the words that call it."""
    context = click.Context(commands)
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            yield from walk(command.get_command(context, name), (*words, name))
    elif command is not None:
        yield words, command


def test_the_walk_has_every_command_and_option_that_takes_a_file() -> None:
    assert set(WALK) == {name for group in COMMANDS.values() for name in group}
    for words, command in walk(commands):
        lines = [f"{words[0]} {line}".split() for line in WALK[words[0]]]
        own = [line for line in lines if tuple(line[: len(words)]) == words]
        assert own, words
        for option in command.params:
            is_file = isinstance(option, click.Option) and isinstance(option.type, click.Path)
            if is_file and not NO_FILES_OF_OTHERS & {*option.opts}:
                assert any({*option.opts} & {*line} for line in own), (words, option.opts)


@pytest.mark.parametrize("arguments", [f"{name} {line}".strip() for name, lines in WALK.items() for line in lines])
def test_nothing_of_others_runs_unasked(cli: CommandLine, canaries: Path, arguments: str) -> None:
    if "namespaces" in arguments and os.geteuid() != 0:
        pytest.skip("needs root")
    cli(*arguments.split())
    assert _ran(canaries) == []


@pytest.mark.parametrize(
    "arguments",
    [
        "show theirs.toml",
        "run theirs.toml --results new",
        "claims theirs",
        "reproduce theirs --results never",
        "evidence cubic --quick --criteria criteria.toml --results judged",
        "evidence cubic --quick --criteria of-theirs.toml --results judged",
        "rank cubic --file ranking.toml --results ranked",
        "break --replay witness.toml",
    ],
)
def test_a_refusal_names_the_file_and_the_remedy(cli: CommandLine, canaries: Path, arguments: str) -> None:
    refused = cli(*arguments.split())
    assert refused.status == 2
    assert "add --trust" in refused.err
    assert not (canaries / "never").exists()


@pytest.mark.parametrize(
    ("arguments", "file"),
    [
        ("show theirs.toml --results new", "theirs.py"),
        ("run theirs.toml --results new", "theirs.py"),
        ("tune tuning.toml --results tuned", "theirs.py"),
        ("claims theirs ", "data/studies/theirs"),
    ],
)
def test_with_consent_it_runs(cli: CommandLine, canaries: Path, arguments: str, file: str) -> None:
    cli(*arguments.split(), "--trust", file)
    assert _ran(canaries) == [str(Path(file).parent / "canary") if file.endswith(".py") else f"{file}/claims/canary"]


def test_an_algorithm_on_the_command_line_runs(cli: CommandLine, canaries: Path) -> None:
    assert cli("duel", "./theirs.py", "--rate", "10mbit", "--rtt", "20ms").status == 0
    assert _ran(canaries) == ["canary"]


def test_a_yes_on_the_terminal_counts_for_this_content_alone(
    cli: CommandLine, canaries: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def confirm(text: str, **_: object) -> bool:
        asked.append(text)
        return True

    monkeypatch.setattr(containment, "_on_a_terminal", lambda: True)
    monkeypatch.setattr(containment.click, "confirm", confirm)
    for _ in range(2):
        assert cli("show", "theirs.toml", "--results", tmp_path / "new").status == 0
    assert len(asked) == 1
    file = canaries / "theirs.py"
    file.write_text(ALGORITHM + "# changed\n")
    assert cli("show", "theirs.toml", "--results", tmp_path / "new").status == 0
    file.write_text(ALGORITHM)
    assert len(asked) == 2
    assert all("theirs.py" in text for text in asked)


def test_the_python_interface_asks_for_the_name(canaries: Path) -> None:
    with pytest.raises(fairlane.ExperimentError, match="add --trust"):
        fairlane.run("theirs.toml", "of-python", progress=False)
    assert _ran(canaries) == []
    fairlane.trust(canaries / "theirs.py")
    fairlane.run("theirs.toml", "of-python", progress=False)
    assert _ran(canaries) == ["canary"]


API: dict[str, list[Callable[[], object]]] = {
    "run": [
        lambda: fairlane.run("theirs.toml", "of-python", progress=False),
        lambda: fairlane.run("theirs.toml", "of-python", on="hosts.toml", progress=False),
    ],
    "duel": [
        lambda: fairlane.duel("cubic", trace="theirs.py", rtt="20ms"),
        lambda: fairlane.duel("cubic", rate="10mbit", on="inventory.yml"),
    ],
    "matrix": [lambda: fairlane.matrix("cubic", trace="theirs.py", rtt="20ms", progress=False)],
    "advise": [lambda: fairlane.advise(trace="theirs.py")],
    "trace": [lambda: fairlane.trace("cubic", trace="theirs.py", duration="100ms")],
    "open": [
        lambda: fairlane.open("store").table(["goodput_mbps"]),
        lambda: fairlane.open("store").plot("goodput", save="plot.png"),
        lambda: fairlane.open("store").export("pcapng", "packets"),
        lambda: repr(fairlane.open("store")),
    ],
    "compare": [lambda: fairlane.compare("store", "studied")],
    "report": [lambda: fairlane.report("store", "studied", out="page.html")],
    "reproduce": [lambda: fairlane.reproduce("theirs", "of-study", only="pairs", progress=False).claims()],
    "tune": [lambda: fairlane.tune("tuning.toml", "of-tune", progress=False)],
    "check": [lambda: fairlane.check("theirs.toml")],
    "simulate": [lambda: fairlane.simulate({"flows": [{"algorithm": "theirs.toml"}]})],  # type: ignore[typeddict-item]
    "algorithms": [fairlane.algorithms],
}
"""Calls of each public function."""


def test_the_walk_has_every_function() -> None:
    public = {name: getattr(fairlane, name) for name in fairlane.__all__}
    functions = {name for name, one in public.items() if callable(one) and not inspect.isclass(one)}
    assert set(API) | {"trust"} == functions


@pytest.mark.parametrize("name", API)
def test_no_function_runs_anything_of_others(canaries: Path, name: str) -> None:
    for call in API[name]:
        with contextlib.suppress(Exception):
            call()
        assert _ran(canaries) == []


def _compiled(file: Path, *, in_cache: bool = True) -> None:
    """A compiled file that Python prefers to the text, or that has no text: other code than a reader sees."""
    other = file.with_name("other.txt")
    other.write_text(ALGORITHM)
    place = importlib.util.cache_from_source(str(file)) if in_cache else str(file.with_suffix(".pyc"))
    py_compile.compile(
        str(other), place, dfile=str(file), invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH
    )


@pytest.mark.parametrize("has_text", [True, False])
def test_only_the_text_runs(cli: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, has_text: bool) -> None:
    monkeypatch.chdir(tmp_path)
    imports = "with __import__('contextlib').suppress(ImportError):\n    import beside_it\n"
    (tmp_path / "theirs.py").write_text(imports + ALGORITHM.removeprefix(RUN))
    (tmp_path / "theirs.toml").write_text(EXPERIMENT)
    if has_text:
        (tmp_path / "beside_it.py").write_text("")
        _compiled(tmp_path / "theirs.py")
    _compiled(tmp_path / "beside_it.py", in_cache=has_text)
    metrics = ["table", "results", "--metrics-from", "theirs.py"]
    for command in (["run", "theirs.toml", "--results", "results"], ["duel", "./theirs.py", "--time", "1s"], metrics):
        assert cli(*command, *(["--trust", "theirs.py"] if command[0] == "run" else [])).status == 0, command
    assert _ran(tmp_path) == []


def test_only_the_text_of_claims_runs(cli: CommandLine, canaries: Path) -> None:
    folder = canaries / "data" / "studies" / "theirs" / "claims"
    text = folder / "__init__.py"
    before = text.read_text()
    text.write_text(before.removeprefix(RUN))
    (folder / "part.py").write_text("from . import CLAIMS\n")
    for file in (text, folder / "part.py"):
        _compiled(file)
    try:
        assert cli("claims", "theirs", "--trust", folder).status == 0
        assert _ran(canaries) == []
    finally:
        text.write_text(before)
        shutil.rmtree(folder / "__pycache__")
        (folder / "part.py").unlink()
