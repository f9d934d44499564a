"""Other commands, and properties of all commands."""

import csv
import importlib
import json
import signal
import subprocess
import sys
import time

import fairlane
import pytest
from fairlane.cli import COMMANDS, errors

NAMES = [name for group in COMMANDS.values() for name in group]
PROGRAM = [sys.executable, "-m", "fairlane"]


@pytest.mark.parametrize("name", NAMES)
def test_help_has_examples(cli, name):
    outcome = cli(name, "--help")
    assert outcome.status == 0
    assert "Examples:" in outcome.out
    assert f"fairlane {name}" in outcome.out


def test_help_lists_every_command(cli):
    outcome = cli("--help")
    assert outcome.status == 0
    assert all(f"  {name} " in outcome.out for name in NAMES)
    assert cli().out == outcome.out, "no arguments: help"


def test_help_loads_nothing_heavy():
    code = "import sys; from fairlane.cli import main; main(['--help']); print(*sys.modules, file=sys.stderr)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stderr.split()
    assert not {"matplotlib", "numpy", "fairlane._engine"} & set(loaded)


@pytest.mark.parametrize("name", errors._KINDS)
def test_an_error_of_the_package_is_found_by_its_name(name):
    module, _, kind = name.rpartition(".")
    found = getattr(importlib.import_module(module), kind)
    assert f"{found.__module__}.{found.__name__}" == name


def test_an_error_that_nobody_raises_on_purpose_has_a_traceback():
    assert errors.of_package(ValueError("a fault")) is None
    assert isinstance(errors.of_package(fairlane.AlgorithmFault("its own")), errors.RunFailed)
    assert isinstance(errors.of_package(fairlane.AlgorithmError("not a program")), errors.BadFile)


def test_version(cli):
    assert cli("--version").out.startswith("fairlane 0.")


def test_algorithms_have_a_summary_and_parameters(cli):
    listed = json.loads(cli("algorithms", "--json").out)
    assert {"reno", "cubic", "bbr"} <= {one["name"] for one in listed}
    for one in listed:
        assert one["summary"]
        assert all({"name", "default"} <= parameter.keys() for parameter in one["parameters"])
    table = cli("algorithms").out
    assert all(one["name"] in table for one in listed)


def test_algorithms_are_listed_by_class(cli):
    lines = cli("algorithms", "--parameters").out.splitlines()
    headings = [line for line in lines if line.endswith(":") and " " not in line]
    assert headings == ["model-based:", "loss-based:", "delay-based:", "mark-based:", "hybrid:"]
    cubic, vegas = (
        lines.index(next(one for one in lines if one.startswith(f"{name} "))) for name in ("cubic", "vegas")
    )
    assert lines.index("loss-based:") < cubic < lines.index("delay-based:") < vegas


def test_bench_measures(cli):
    [measured] = json.loads(cli("bench", "a", "--json").out)
    assert measured["name"] == "a"
    assert measured["data_packets"] > 400_000
    assert measured["packets_per_cpu_s"] == pytest.approx(measured["data_packets"] / measured["cpu_s"])
    assert {"wall_s", "peak_rss_mb"} <= measured.keys()


def test_reproduce_prints_ours_next_to_theirs_and_writes_plots(cli, tmp_path):
    outcome = cli("reproduce", "fiftyshades2019", "--only", "baseline", "--results", tmp_path)
    assert outcome.status == 0
    lines = outcome.out.splitlines()
    for name, goodput in (("reno", "69.42"), ("cubic", "67.66"), ("bbr", "67.44")):
        row = next(i for i, line in enumerate(lines) if line.startswith(f"{name} "))
        assert lines[row].split()[1] == "ours"
        assert lines[row + 1].split()[:2] == ["paper", goodput]
    assert any(line.startswith(f"Tables and pictures are in {tmp_path}") for line in lines)
    folder = tmp_path / "table-1"
    assert {path.name for path in folder.iterdir()} == {"table.csv", "ours-and-paper.png", "over-time.png"}
    assert (folder / "over-time.png").stat().st_size > 10_000
    with (folder / "table.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert {"algorithm": "cubic", "value": "mean_rtt_ms", "paper": "203.56"}.items() <= next(
        row for row in rows if (row["algorithm"], row["value"]) == ("cubic", "mean_rtt_ms")
    ).items()


def test_ctrl_c_ends_a_run_quietly():
    process = subprocess.Popen(
        [*PROGRAM, "duel", "cubic", "--rate", "1gbit", "--time", "100000s"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    assert "on one processor: " in process.stderr.readline()
    time.sleep(0.5)  # the run has begun
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=10)
    assert process.returncode == 130
    assert out == ""
    assert err.splitlines()[-1] == "fairlane: stopped"


def test_a_closed_pipe_is_no_error():
    command = f"{' '.join(PROGRAM)} algorithms | true"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True)
    assert "Traceback" not in done.stderr
