"""A user's script: `make lint` checks its types as strictly as ours, and a test runs it."""

from pathlib import Path

import fairlane
import polars as pl


def compare(folder: Path) -> dict[str, float]:
    """An experiment from its definition to figures, files and a picture."""
    results: fairlane.Results = fairlane.run(
        {
            "name": "small",
            "duration": "2s",
            "network": {"rate": "10mbit", "rtt": "20ms", "buffer": "1bdp"},
            "flows": [{"algorithm": "cubic"}, {"algorithm": "reno"}],
            "sweep": {"network.buffer": ["0.5bdp", "1bdp"]},
        },
        folder / "store",
        jobs=1,
        progress=False,
    )
    flows: pl.DataFrame = results.flows.filter(pl.col("buffer_bdp") == 1)
    samples: pl.DataFrame = results.series("flow", ["mbps"], buffer="1bdp")
    shares: pl.DataFrame = results.table(["share_pct"], buffer="1bdp")
    picture: Path = results.plot("line", folder / "line.png", metric="jain_index", x="buffer")
    files: list[Path] = results.export("csv", folder / "tables")
    return {
        "flows": flows.height,
        "samples": samples.height,
        "share": float(shares["share_pct"].sum()),
        "bytes": picture.stat().st_size + sum(file.stat().st_size for file in files),
    }


def ask() -> list[str]:
    """A duel, and the error of a wrong one."""
    duel: fairlane.Results = fairlane.duel("cubic", "bbr", rate="10mbit", duration="1s")
    shown: bytes = duel.plot("overview").png
    words: list[str] = [axis.name for axis in duel.axes] + duel.flows["algorithm"].to_list()
    try:
        fairlane.duel("cubic", rate="fast")
    except fairlane.ExperimentError as error:
        words.append(str(error))
    return [*words, shown[1:4].decode()]
