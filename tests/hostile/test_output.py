"""Output goes to the user's path: never through a link, never outside, never half written."""

import csv
import errno
import importlib
import json
import os
import re
import subprocess
from pathlib import Path

import pytest
from fairlane import files
from fairlane.files import replacing, write_text
from fairlane.results.store.checksummed_json import seal, unseal
from fairlane.search.breaks import worst_cases
from fairlane.search.evidence.measures import Measures
from fairlane.show.report.html import REPORT_SCRIPTS, _shell, policy

from .test_reading import EXPERIMENT

WRITERS = [
    ("duel", "cubic", "--time", "1s", "--plot", "out.png"),
    ("plot", "STORE", "goodput", "-o", "out.png"),
    ("export", "STORE", "csv", "--out", "out.csv"),
    ("report", "STORE", "-o", "out.html"),
    ("fidelity", "--out", "out.csv"),
]


@pytest.mark.parametrize("arguments", WRITERS, ids=lambda arguments: arguments[0])
@pytest.mark.parametrize("kind", ["link", "dangling link", "pipe"])
def test_no_command_writes_through_a_link_or_into_a_pipe(arguments, kind, pairs, tmp_path, cli, monkeypatch):
    monkeypatch.chdir(tmp_path)
    out = tmp_path / next(word for word in arguments if word.startswith("out."))
    other = tmp_path / "other"
    if kind == "pipe":
        os.mkfifo(out)
    else:
        out.symlink_to(other)
    if kind == "link":
        other.write_text("precious")
    given = cli(*[str(pairs.path) if word == "STORE" else word for word in arguments])
    assert given.status in (1, 2)
    assert given.err.count("\n") == 1
    assert "symbolic link" in given.err or "not a regular file" in given.err, given.err
    assert other.exists() == (kind == "link")
    assert kind != "link" or other.read_text() == "precious"


def test_a_folder_inside_of_results_may_not_be_a_link(pairs, tmp_path, cli):
    """Results from others may have one where a report or its figures would go."""
    (tmp_path / "latex").mkdir()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "latex" / pairs.path.name).symlink_to(tmp_path / "elsewhere")
    given = cli("report", pairs.path, "--latex", tmp_path / "latex")
    assert (given.status, given.err.count("\n")) == (1, 1)
    assert "symbolic link" in given.err
    assert list((tmp_path / "elsewhere").iterdir()) == []


KEPT = {
    "runs.jsonl": lambda folder: Measures(folder / "runs.jsonl").__enter__(),
    "evaluations": lambda folder: worst_cases._Store(folder / "evaluations" / "one.jsonl", "a").__enter__(),
    "witnesses": lambda folder: importlib.import_module("fairlane.cli.break")._keep(None, [], folder),
    "cubic": lambda folder: importlib.import_module("fairlane.cli.evidence")._keep(None, [], folder / "cubic"),
}
"""What searches write into their folder of results."""


@pytest.mark.parametrize("name", KEPT)
def test_searches_write_through_no_link_of_others(tmp_path, name):
    """Not even where nothing is yet at its end."""
    (tmp_path / "results").mkdir()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "results" / name).symlink_to(tmp_path / "elsewhere" / ("new" if "." in name else ""))
    with pytest.raises(OSError, match="symbolic link"):
        KEPT[name](tmp_path / "results")
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_a_file_is_replaced_whole_or_not_at_all(tmp_path):
    path = tmp_path / "out.txt"
    write_text(path, "before")

    def interrupted():
        with replacing(path) as temporary:
            temporary.write_text("half")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        interrupted()
    assert path.read_text() == "before"
    write_text(path, "after")
    assert path.read_text() == "after"
    assert [one.name for one in tmp_path.iterdir()] == ["out.txt"]
    assert path.stat().st_mode & 0o777 == 0o666 & ~_umask()


def test_an_error_of_writing_names_the_file(tmp_path):
    with pytest.raises(OSError, match="No space") as caught, replacing(tmp_path / "out.txt"):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    assert caught.value.filename == str(tmp_path / "out.txt")


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


@pytest.mark.parametrize("name", ["../../x", "a/b", "/etc/x", "..", "\\u0000", "a\\nb", "x" * 101])
@pytest.mark.parametrize("command", ["run", "tune"])
def test_names_lead_nowhere(name, command, tmp_path, cli, monkeypatch):
    monkeypatch.chdir(tmp_path)
    kind = 'objectives = ["goodput_mbps"]\n' if command == "tune" else ""
    (tmp_path / "file.toml").write_text(f'name = "{name}"\n{kind}{EXPERIMENT}')
    given = cli(command, "file.toml")
    assert given.status == 2
    assert ": name: " in given.err
    assert [one.name for one in tmp_path.iterdir()] == ["file.toml"]


def resealed(path, change):
    """Changes a file of a store and its checksum, as an attacker can."""
    content = unseal(path.read_bytes())
    change(content)
    path.write_bytes(seal(content))


FORGERIES = [
    lambda plan: plan.update(experiment="../../outside"),
    lambda plan: plan.update(axes=3),
    lambda plan: plan.pop("runs"),
    lambda plan: plan["points"].clear(),
    lambda plan: plan["axes"][0].update(extra=1),
]


@pytest.mark.parametrize("number", range(len(FORGERIES)))
def test_plans_name_nothing_outside_of_their_store(number, pairs, tmp_path, cli):
    store = copied(pairs, tmp_path)
    resealed(store / "plans" / "pairs.json", FORGERIES[number])
    given = cli("table", store)
    assert given.status in (1, 2)
    assert "plans/pairs.json" in given.err
    assert "outside" not in given.out


def test_batches_name_nothing_outside_of_their_store(pairs, tmp_path, cli):
    store = copied(pairs, tmp_path)
    for manifest in (store / "batches").glob("*/manifest.json"):
        resealed(
            manifest, lambda found: found["files"].update({"../../../outside.parquet": {"bytes": 1, "blake3": ""}})
        )
    given = cli("table", store)
    assert given.status in (1, 2)
    assert "outside" in given.err


def copied(pairs, folder):
    subprocess.run(["cp", "-r", str(pairs.path), folder / "store"], check=True)
    return folder / "store"


def test_the_page_allows_only_the_scripts_and_styles_that_fairlane_ships(pairs, tmp_path, cli):
    assert cli("report", pairs.path, "-o", tmp_path / "out.html").status == 0
    text = (tmp_path / "out.html").read_text()
    (allowed,) = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', text)
    assert "unsafe" not in allowed
    assert "default-src 'none'" in allowed
    (style,) = re.findall(r"<style>(.*?)</style>", text, re.DOTALL)
    scripts = re.findall(r"<script>(.*?)</script>", text, re.DOTALL)
    assert scripts == _shell([], [], REPORT_SCRIPTS)["scripts"]
    assert allowed == policy([style], scripts)  # as a browser computes it
    body = text.split("</head>")[1]
    assert re.search(r"<[^>]+\s(style|on\w+)=", re.sub(r"<script.*?</script>", "", body, flags=re.DOTALL)) is None


def test_words_of_results_are_text_in_the_page(pairs, tmp_path, cli):
    store = copied(pairs, tmp_path)
    attack = "<script>alert(1)</script><img src=x onerror=alert(1)>"

    def change(plan):
        plan["axes"][0]["labels"] = [attack, f"'\"{attack}"]
        plan["axes"][0]["name"] = attack

    resealed(store / "plans" / "pairs.json", change)
    assert cli("report", store, "-o", tmp_path / "out.html").status == 0
    text = (tmp_path / "out.html").read_text()
    assert "<script>alert" not in text
    assert "<img" not in text


FORMULAS = ["=HYPERLINK(1)", "-1+cmd|' /C calc'!A0"]


def test_no_text_of_others_is_a_formula_of_a_spreadsheet(tmp_path, cli, monkeypatch):
    """Labels of a sweep are free text."""
    monkeypatch.chdir(tmp_path)
    queues = 'values = [{ kind = "fifo" }, { kind = "fifo", limit = "99p" }]'
    swept = f'"network.queue" = {{ {queues}, labels = {json.dumps(FORMULAS)} }}\n'
    (tmp_path / "file.toml").write_text(EXPERIMENT.replace('buffer = "1bdp"\n', "") + f"[sweep]\n{swept}")
    assert cli("run", "file.toml", "--results", "store", "--jobs", "1").status == 0
    printed = cli("table", "store", "--format", "csv").out
    assert cli("export", "store", "csv", "-o", "tables").status == 0
    written = [path.read_text() for path in sorted((tmp_path / "tables").iterdir())]
    for text in [printed, *written]:
        cells = [cell for row in csv.reader(text.splitlines()) for cell in row]
        assert [cell for cell in cells if cell.startswith("=") or ("cmd|" in cell and cell.startswith("-"))] == []
    assert all(f"'{one}" in printed for one in FORMULAS)


def test_commands_write_files_whole_and_through_no_link():
    """Names of outputs are checked when a command begins; a link may take the place while it works."""
    package = Path(files.__file__).parent
    writing = re.compile(r"(?<!formatter)\.write_(?:text|bytes)\(|open\([^)]*\"w[b+]*\"(?![^)]*(?:devnull|_opener))")
    found = [path.name for path in (package / "cli").rglob("*.py") if writing.search(path.read_text("utf-8"))]
    assert found == ["process.py"]  # /dev/null
