"""Small files that hold more than any memory are damage: they are named, and not read."""

import io
import json
import struct
import subprocess
import sys
import zlib

import polars as pl
import pytest
from fairlane.engine import checksum
from fairlane.engine.result_bytes import pack
from fairlane.results.store import batch, ledger, memory, row_bounds
from fairlane.results.store.checksummed_json import MOST_BYTES, DamagedError, seal, unseal
from fairlane.results.store.journal import Journal
from fairlane.results.store.run_tables import check
from fairlane.results.store.store import Store
from fairlane.results.store.table_size import check_parquet, check_stream
from fairlane.results.tables import ResultTables
from fairlane.results.verify import verify
from fairlane.scenario.plan import MOST_SAMPLES

from .conftest import finished, key

EXPERIMENT = """
duration = "1s"
network = { rate = "10mbit", rtt = "20ms", buffer = "1bdp" }
flows = [{ algorithm = "cubic" }]
"""
READ = """
import sys
from pathlib import Path
from fairlane.results.tables import ResultTables
from fairlane.results.verify import verify
folder = Path(sys.argv[1])
print([str(one) for one in verify(folder).damage])
results = ResultTables(folder)
print(results.flows.height, results.series("flow").height, results.notice)
print(next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM:")))
"""


def many_equal_rows(rows: int, run: str = key(0)) -> bytes:
    """A Parquet file of equal rows."""
    values = {"run": run, "flow": 0, "t_s": 0.5, "mbps": 1.0}
    frame = pl.select(pl.repeat(True, rows).alias("flag")).with_columns(
        **{name: pl.lit(value) for name, value in values.items()}
    )
    content = io.BytesIO()
    frame.write_parquet(content)
    return content.getvalue()


def replace(store: Store, name: str, content: bytes, run: str = key(0)) -> None:
    """Puts a file into the batch of a run, with checksums that are right."""
    found = next(found for found in store.batches.values() if run in found.keys)
    path = found.folder / "manifest.json"
    manifest = unseal(path.read_bytes())
    manifest["files"][name] = {"bytes": len(content), "blake3": checksum(content)}
    (found.folder / name).write_bytes(content)
    path.write_bytes(seal(manifest))
    store.layout.ledger.unlink()
    again = Store.at(store.layout.root)
    ledger.rewrite(store.layout, {name: one.manifest for name, one in again.batches.items()})


def test_a_table_that_no_memory_holds_is_named_and_not_read(store):
    rows = 30_000_000
    content = many_equal_rows(rows)
    assert len(content) < 2_000_000
    replace(store, "flow_series.parquet", content)
    ended = subprocess.run([sys.executable, "-c", READ, store.layout.root], capture_output=True, text=True, timeout=100)
    assert ended.returncode == 0, ended.stderr
    damage, notice, peak_kb = ended.stdout.splitlines()
    assert f"flow_series.parquet holds {rows:,} rows" in damage
    assert "flow_series.parquet holds" in notice
    assert int(peak_kb) < 500_000


SCENARIO = json.dumps(
    {"duration_ns": 10**9, "series_interval_ns": 10**8, "links": [{}], "flows": [{}, {}], "media": [{"stations": [{}]}]}
)


@pytest.mark.parametrize(
    ("table", "most"), [("flow_series", 48), ("link_series", 72), ("flows", 2), ("links", 3), ("cross_traffic", 0)]
)
def test_more_rows_than_the_scenarios_of_the_runs_allow_are_damage(table, most):
    row_bounds.check(table, most, [SCENARIO])
    row_bounds.check(table, 3 * most, [SCENARIO] * 3)
    with pytest.raises(DamagedError, match=f"holds {most + 1} rows; its runs have at most {most}$"):
        row_bounds.check(table, most + 1, [SCENARIO])


@pytest.mark.parametrize("text", [None, "", "[]", "{}", "[" * 10_000, SCENARIO.replace("100000000,", "0,", 1)])
def test_rows_of_no_scenario_are_damage(text):
    with pytest.raises(DamagedError, match="of a run without a scenario"):
        row_bounds.check("flow_series", 1, [text])


def test_a_table_that_its_scenarios_do_not_allow_is_named_and_not_read(tmp_path, cli):
    place = tmp_path / "results"
    (tmp_path / "file.toml").write_text(EXPERIMENT)
    assert cli("run", tmp_path / "file.toml", "--results", place).status == 0
    store = Store.at(place)
    key = next(iter(store.keys))
    content = many_equal_rows(3_000_000, key)
    assert len(content) < 300_000
    replace(store, "flow_series.parquet", content, key)
    verified = cli("verify", place)
    assert verified.status == 1
    assert "flow_series.parquet holds 3,000,000 rows; its runs have at most 24" in verified.out
    assert "flow_series.parquet holds 3,000,000 rows" in cli("plot", place, "goodput", "-o", tmp_path / "x.png").err


@pytest.mark.parametrize("command", ["verify", "table", "report"])
def test_tables_larger_than_the_memory_end_in_a_line(command, tmp_path, cli, monkeypatch):
    place = tmp_path / "results"
    (tmp_path / "file.toml").write_text(EXPERIMENT)
    assert cli("run", tmp_path / "file.toml", "--results", place).status == 0
    monkeypatch.setattr(memory, "available_bytes", lambda: 10**9)
    assert cli(command, place, *(["-o", tmp_path / "page.html"] if command == "report" else [])).status == 0
    monkeypatch.setattr(memory, "_ALWAYS_BYTES", 1_000)
    monkeypatch.setattr(memory, "available_bytes", lambda: 6_000)
    ended = cli(command, place)
    assert ended.status in (1, 2)
    assert "of memory are free for it; name fewer experiments" in ended.err
    assert len(ended.err.splitlines()) == 1


def test_more_rows_than_samples_in_a_run_are_damage():
    content = io.BytesIO()
    pl.select(pl.repeat(True, 2 * MOST_SAMPLES + 1).alias("flag")).write_parquet(content)
    with pytest.raises(DamagedError, match="holds 200,000,001 rows"):
        check_parquet(content.getvalue())


def test_tables_of_any_size_are_read_if_their_files_are_as_large():
    content = many_equal_rows(1_000_000)
    check_parquet(content)
    with pytest.raises(DamagedError, match="holds 1,000,000 rows instead of 6"):
        check_parquet(content, 6)


@pytest.mark.parametrize(
    "spoil", [lambda content: content[:-1], lambda content: content[:40] + content[-8:], lambda _: b""]
)
def test_what_is_no_parquet_file_is_damage(spoil):
    with pytest.raises(DamagedError, match="does not have the form of a Parquet file"):
        check_parquet(spoil(many_equal_rows(1000)))


@pytest.mark.parametrize("content", [b"PAR1" * 20, b"nothing", b"PAR1" + bytes(40) + struct.pack("<I", 30) + b"PAR1"])
def test_garbage_with_the_right_checksum_is_named(store, content):
    replace(store, "flows.parquet", content)
    store.layout.table("flows").unlink()
    assert any("flows.parquet does not have the form" in str(one) for one in verify(store.layout.root).damage)
    results = ResultTables(store.layout.root)
    assert results.flows.height == 4
    assert "flows.parquet does not have the form of a Parquet file" in results.notice


def stream(frame: pl.DataFrame, **options) -> memoryview:
    content = io.BytesIO()
    frame.write_ipc_stream(content, **options)
    return memoryview(content.getvalue())


def test_a_stream_has_its_rows_and_is_not_compressed():
    frame = pl.DataFrame(
        {"flow": [0] * 1000, "t_s": [0.5] * 1000, "name": pl.Series(["a"] * 1000, dtype=pl.Categorical)}
    )
    check_stream(stream(frame), 1000)
    check_stream(stream(frame.clear()), 0)
    with pytest.raises(DamagedError, match="1,000 rows instead of 10"):
        check_stream(stream(frame), 10)
    with pytest.raises(DamagedError, match="compressed"):
        check_stream(stream(frame, compression="zstd"), 1000)
    with pytest.raises(DamagedError, match=r"1,000,000 rows in \d+ bytes"):
        check_stream(stream(pl.DataFrame({"flow": pl.Series([None] * 1_000_000, dtype=pl.Null)})), 1_000_000)


def test_a_run_in_a_journal_has_no_more_rows_than_its_scenario_allows():
    packed = pack({"flows": []}, {"flow_series": pl.DataFrame({"flow": pl.Series([True] * 10_000)})})
    check(packed)
    with pytest.raises(DamagedError, match="holds 10,000 rows; its runs have at most 48"):
        check(packed, SCENARIO)


def test_streams_cut_anywhere_are_refused_or_whole():
    content = stream(pl.DataFrame({"flow": [0, 1]}))
    refused = 0
    for end in range(len(content)):
        try:
            check_stream(content[:end], 2)
        except DamagedError:
            refused += 1
    assert refused > 100


def forged(body: bytes, meta: bytes) -> bytes:
    """A record of a journal whose checksum is right."""
    return struct.pack("<4sIII", b"FLR1", len(meta), len(body), zlib.crc32(body, zlib.crc32(meta))) + meta + body


DEEP = b'{"parts":[{"name":"metrics","bytes":200000,"rows":0}]}\n' + b"[" * 200_000
BODIES = {
    "deep": (DEEP, json.dumps(finished(9)[0]).encode()),
    "no result": (b"nothing", json.dumps(finished(9)[0]).encode()),
    "no description": (finished(9)[1], b"[" * 100_000),
    "no name": (finished(9)[1], b"{}"),
    "other rows": (
        finished(9)[1].replace(b'"rows": 3', b'"rows": 9'), json.dumps(finished(9)[0]).encode()
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", BODIES)
def test_a_record_of_another_form_is_named_and_the_others_are_read(store, kind):
    made = Journal(store.layout.journals)
    made.append(*finished(6))
    made.close()
    body, meta = BODIES[kind]
    with made.path.open("ab") as file:
        file.write(forged(body, meta))
    found = verify(store.layout.root)
    assert [str(one) for one in found.damage] == [f"{made.path} has a record of another form at byte {made.size}"]
    assert key(6) in Store.at(store.layout.root).keys
    assert key(9) not in Store.at(store.layout.root).keys
    saved: list[object] = []
    assert batch.of_journal(store.layout, made.path, saved.append) == 1
    assert len(saved) == 1


def test_a_plan_beyond_the_limit_is_not_read(store):
    path = store.layout.plans / "made-up.json"
    with path.open("r+b") as file:
        file.truncate(MOST_BYTES + 1)
    assert [str(one) for one in verify(store.layout.root).damage] == [
        f"{path} is larger than 128 MiB, the most that is read"
    ]


def test_pack_writes_what_is_accepted():
    check(pack({"flows": []}, {"flow_series": pl.DataFrame({"flow": [0], "name": ["x"]})}))
