"""Captures of packets, and results whose tables have valid checksums."""

import contextlib
import io
import json
import random
import shutil
import tempfile
from functools import cache
from pathlib import Path

import polars as pl
from fairlane import engine
from fairlane.cli import main
from fairlane.results.store.checksummed_json import seal, unseal
from fairlane.scenario.requests import dumbbell, scenario
from fairlane.show.plots.kinds import KINDS

from tests.experiment import mutator
from tests.hostile.outcomes import Finding, command

_READERS = [
    ("table", "store"),
    *(("plot", "store", kind, "-o", "plot.svg") for kind in KINDS),
    ("report", "store"),
    ("report", "store", "--latex", "paper"),
    ("export", "store", "iperf3", "-o", "iperf3"),
    ("export", "store", "flent", "-o", "flent"),
    ("export", "store", "csv", "-o", "tables"),
    ("compare", "store", "store"),
    ("verify", "store", "--repair"),
]
_VALUES = [
    *(pl.lit(value) for value in (0, -1, 2**62, 0.5, 1e300, float("nan"), float("inf"), True, "", "9" * 400)),
    *(pl.lit(text) for text in ("<script>alert(1)</script>", "\x1b]0;x\x07", "../../x", "$\\frac{$", "{}", "[[]]")),
    *(pl.lit(None, dtype=one) for one in (pl.Float64, pl.Int64, pl.String)),
]


def packet_capture(chance: random.Random, folder: Path) -> str:
    """The bytes of a capture: some changed, a part left out, or a part twice."""
    content = bytearray(_captured())
    for _ in range(chance.randint(1, 6)):
        at = chance.randrange(len(content)) if chance.random() < 0.5 else chance.randrange(400)
        some = chance.choice([1, 1, 2, 4, chance.randint(1, 200)])
        how = chance.random()
        if how < 0.6:
            content[at : at + some] = chance.randbytes(some) if chance.random() < 0.7 else bytes([255]) * some
        elif how < 0.8:
            del content[at : at + some]
        else:
            content[at:at] = content[at : at + some]
    file = folder / chance.choice(["a.pcapng", "a.pcap"])
    file.write_bytes(content[: chance.randrange(1, len(content))] if chance.random() < 0.2 else content)
    page = ["--page", str(folder / "page.html")] if chance.random() < 0.5 else []
    return command("algorithm", "trace", str(file), *page, but=r"^[\d,]+ TCP packets; ")


@cache
def _captured() -> bytes:
    flows = [{"algorithm": name, "rtt": "20ms"} for name in ("cubic", "bbr")]
    short = scenario(dumbbell(flows, rate="10mbit", duration="300ms", loss="2%"))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "capture.pcapng"
        engine.run_with_capture(json.dumps(short), path, [0, 1])
        return path.read_bytes()


def stored_tables(chance: random.Random, folder: Path, store: Path) -> str:
    """The tables of a store, with valid checksums: other values, types, columns or rows."""
    copy = folder / "store"
    shutil.copytree(store, copy)
    for derived in ("view.json", "batches.ledger"):
        (copy / derived).unlink(missing_ok=True)
    for path in copy.glob("batches/*/manifest.json"):
        manifest = unseal(path.read_bytes())
        for name in chance.sample(sorted(manifest["files"]), chance.randint(1, 2)):
            file = path.with_name(name)
            _changed(pl.read_parquet(file), chance).write_parquet(file)
            content = file.read_bytes()
            manifest["files"][name] = {"bytes": len(content), "blake3": engine.checksum(content)}
        path.write_bytes(seal(manifest))
    outcomes = set()
    with contextlib.chdir(folder):
        for arguments in [chance.choice(_READERS[1 : 1 + len(KINDS)]), *chance.sample(_READERS, 3)]:
            out, err = io.StringIO(), io.StringIO()
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
                status = main(list(arguments))
            said = err.getvalue()
            longest = max(map(len, said.splitlines()), default=0)
            odd = "Traceback" in said or (status and not said) or "\x1b]" in said or longest > 3000
            if status not in (0, 1, 2) or odd:
                raise Finding(f"{arguments}: status {status}: {said[:2000]}")
            outcomes.add("refused" if status or said else "accepted")
    return "refused" if "refused" in outcomes else "accepted"


def _changed(frame: pl.DataFrame, chance: random.Random) -> pl.DataFrame:
    how = chance.random()
    names = chance.sample(frame.columns, min(len(frame.columns), chance.choice([1, 1, 1, 2, 5])))
    if how < 0.1:
        return frame.drop(names) if len(names) < len(frame.columns) else frame
    if how < 0.2:
        return chance.choice([frame.head(0), pl.concat([frame, frame]), frame.reverse(), frame.head(1)])
    if how < 0.25:
        return frame.with_columns(pl.col(name).first() for name in names)
    if how < 0.35 and "scenario" in frame.columns:
        text = json.dumps(mutator.mutated_data(json.loads(frame["scenario"][0]), chance), default=str)
        return frame.with_columns(pl.lit(text).alias("scenario"))
    if how > 0.6:
        return frame.with_columns(chance.choice([*_VALUES, pl.lit([1.0])]).alias(name) for name in names)
    some = pl.int_range(pl.len()) % 2 == 0  # the types stay
    return frame.with_columns(
        pl.when(some)
        .then(chance.choice(_VALUES).cast(frame[name].dtype, strict=False))
        .otherwise(pl.col(name))
        .alias(name)
        for name in names
        if frame[name].dtype.is_numeric() or frame[name].dtype == pl.String
    )
