"""Tables of others with valid checksums and another form than Fairlane writes are damage: reported, and not read."""

import shutil
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from fairlane.engine import checksum
from fairlane.results.store.checksummed_json import seal, unseal

from tests.conftest import CommandLine

from .test_reading import EXPERIMENT

COMMANDS = [
    ("table", "store"),
    ("plot", "store", "overview", "-o", "plot.svg"),
    ("report", "store"),
    ("export", "store", "iperf3", "-o", "iperf3"),
    ("verify", "store"),
]
FORGERIES = {
    "text in place of numbers": ("flows", "goodput_mbps", pl.lit("1")),
    "numbers in place of text": ("links", "name", pl.lit(1)),
    "fractions in place of counts": ("flows", "retransmits", pl.lit(0.5)),
    "lists": ("links", "utilisation", pl.lit([0.5])),
    "no number": ("flow_series", "t_s", pl.lit(float("nan"))),
    "infinity": ("links", "utilisation", pl.lit(float("inf"))),
    "no time": ("flows", "start_s", pl.lit(None, dtype=pl.Float64)),
    "no scenario": ("runs", "scenario", pl.lit(None, dtype=pl.String)),
    "other keys": ("flow_series", "flow", pl.lit("0")),
}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from fairlane.cli import main

    folder = tmp_path_factory.mktemp("form")
    (folder / "small.toml").write_text(EXPERIMENT)
    assert main(["run", str(folder / "small.toml"), "--results", str(folder / "store"), "--jobs", "1"]) == 0
    return folder / "store"


def forged(store: Path, folder: Path, table: str, change: Callable[[pl.DataFrame], pl.DataFrame]) -> Path:
    """A copy of a store with another table, whose checksum fits."""
    copy = folder / "store"
    shutil.copytree(store, copy)
    for derived in ("view.json", "batches.ledger"):
        (copy / derived).unlink()
    for path in copy.glob("batches/*/manifest.json"):
        manifest, file = unseal(path.read_bytes()), path.with_name(f"{table}.parquet")
        change(pl.read_parquet(file)).write_parquet(file)
        content = file.read_bytes()
        manifest["files"][file.name] = {"bytes": len(content), "blake3": checksum(content)}
        path.write_bytes(seal(manifest))
    return copy


@pytest.mark.parametrize("name", FORGERIES)
def test_another_form_is_damage(
    store: Path, tmp_path: Path, cli: CommandLine, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    table, column, value = FORGERIES[name]
    forged(store, tmp_path, table, lambda frame: frame.with_columns(value.alias(column)))
    for command in COMMANDS:
        given = cli(*command)
        assert given.status in (0, 1, 2), (command, given.err)
        assert given.err.count("\n") <= 3, (command, given.err)
    assert f"{table}.parquet has a column '{column}'" in cli("verify", "store").out
    assert cli("verify", "store", "--repair").status in (0, 1)
    assert cli("verify", "store").status == 0


def test_a_sweep_over_true_and_false_is_read(tmp_path: Path, cli: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("both.toml").write_text(f'{EXPERIMENT}[sweep]\n"flows.0.sender.sack" = [true, false]\n')
    assert cli("run", "both.toml", "--results", "store", "--jobs", "1").status == 0
    assert cli("table", "store").err == ""
    assert cli("verify", "store").status == 0


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", "[" * 9999, '{"seed": 1, "duration_ns": "1s", "flows": []}', '{"flows": [3]}']
)
def test_a_stored_scenario_is_one(
    store: Path, tmp_path: Path, cli: CommandLine, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    monkeypatch.chdir(tmp_path)
    forged(store, tmp_path, "runs", lambda frame: frame.with_columns(pl.lit(text).alias("scenario")))
    for command in COMMANDS:
        given = cli(*command)
        assert given.status in (0, 1, 2), (command, given.err)
    assert "stored scenario" in cli("export", "store", "iperf3", "-o", "iperf3").err


def test_other_words_than_fairlane_writes_are_shown_as_text(
    store: Path, tmp_path: Path, cli: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    attack = "\\input{/etc/passwd}\n<script>alert(1)</script>"
    forged(store, tmp_path, "flows", lambda frame: frame.with_columns(pl.lit(attack).alias("limited_by")))
    for command in COMMANDS:
        assert cli(*command).status in (0, 1), command
    assert "<script>alert" not in (tmp_path / "store" / "report.html").read_text()


@pytest.mark.parametrize("table", ["runs", "flows", "links", "flow_series", "link_series", "flow_distribution"])
def test_a_table_lacks_no_column_that_readers_need(
    store: Path, tmp_path: Path, cli: CommandLine, monkeypatch: pytest.MonkeyPatch, table: str
) -> None:
    monkeypatch.chdir(tmp_path)
    forged(store, tmp_path, table, lambda frame: frame.select("run" if table != "runs" else "fairlane"))
    for command in COMMANDS:
        assert cli(*command).status in (0, 1, 2), command
    assert f"{table}.parquet lacks the column" in cli("verify", "store").out


def test_what_fairlane_writes_has_the_form(store: Path, tmp_path: Path, cli: CommandLine) -> None:
    copy = forged(store, tmp_path, "flows", lambda frame: frame)
    assert cli("verify", copy).status == 0
    assert cli("table", copy).out == cli("table", store).out
