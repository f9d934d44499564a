"""Members that are sampled with the other time series: in experiments, Python, plots and the command line."""

import json
import shutil
from pathlib import Path

import fairlane
import pytest
from fairlane.show.plots.options import PlotError
from fairlane.show.report.series import recorded

ALGORITHMS = Path(__file__).parents[2] / "algorithms"
EXPERIMENT = """
duration = "2s"
network = { rate = "10mbit", rtt = "20ms", buffer = "1bdp" }
flows = [{ algorithm = "bbr" }, { algorithm = "cubic", start = "1s" }]
metrics = { watch = ["snd_cwnd", "state.mode"] }
"""


def test_members_are_columns_of_the_series() -> None:
    watched = fairlane.duel("bbr", "cubic", rate="10mbit", duration="2s", watch=["snd_cwnd", "state.mode"])
    plain = fairlane.duel("bbr", "cubic", rate="10mbit", duration="2s")
    assert (watched.watched, plain.watched) == (["snd_cwnd", "state.mode"], [])
    series = watched.series("flow")
    assert series["snd_cwnd"].to_list() == series["cwnd_packets"].to_list()
    modes = {algorithm: part["state.mode"].to_list() for (algorithm,), part in series.group_by("algorithm")}
    assert set(modes["bbr"]) <= {0, 1, 2, 3}
    assert len(set(modes["bbr"])) > 1
    assert set(modes["cubic"]) == {None}
    same = series.drop("snd_cwnd", "state.mode", "run").to_dicts()
    assert same == plain.series("flow").drop("run").to_dicts()


def test_a_store_keeps_them_and_plots_draw_them(cli, tmp_path: Path) -> None:
    file, results, plot = tmp_path / "x.toml", tmp_path / "results", tmp_path / "x.svg"
    file.write_text(EXPERIMENT)
    assert cli("run", file, "--results", results).status == 0
    opened = fairlane.open(results)
    assert opened.series("flow", ["state.mode"])["state.mode"].max() == 2
    assert cli("plot", results, "watched", "-o", plot).status == 0
    recording = recorded(opened, 1e6)
    assert recording is not None
    scale, steps = recording.runs[0].series["state.mode"][0]
    assert scale == 2
    assert any(steps)
    text = plot.read_text()
    assert "state.mode" in text
    assert "snd_cwnd" in text
    with pytest.raises(PlotError, match=r"metrics\.watch"):
        fairlane.duel("reno", duration="1s").plot("watched", plot)


@pytest.mark.parametrize(
    ("name", "message"), [("cwnd", "did you mean snd_cwnd"), ("state.moed", "did you mean state.bbr.mode")]
)
def test_a_wrong_name_has_its_key_and_a_remedy(cli, tmp_path: Path, name: str, message: str) -> None:
    file = tmp_path / "x.toml"
    file.write_text(EXPERIMENT.replace("state.mode", name))
    outcome = cli("run", file, "--results", tmp_path / "results")
    assert outcome.status != 0
    assert f"metrics.watch: no algorithm has {name}; {message}" in outcome.err


def test_a_member_of_some_algorithms_of_a_sweep_is_empty_for_the_others(cli, tmp_path: Path) -> None:
    file, results = tmp_path / "x.toml", tmp_path / "results"
    sweep = '[sweep]\n"flows.0.algorithm" = ["cubic", "bbr"]\n'
    file.write_text(EXPERIMENT.replace(', { algorithm = "cubic", start = "1s" }', "") + sweep)
    outcome = cli("run", file, "--results", results)
    assert (outcome.status, outcome.err) == (0, "")
    series = fairlane.open(results).series("flow", ["state.mode"])
    modes = {algorithm: part["state.mode"] for (algorithm,), part in series.group_by("algorithm")}
    assert modes["cubic"].null_count() == modes["cubic"].len() > 0
    assert modes["bbr"].null_count() == 0


def test_a_member_that_no_algorithm_of_a_sweep_has_is_an_error_with_the_nearest_names(cli, tmp_path: Path) -> None:
    file = tmp_path / "x.toml"
    text = EXPERIMENT.replace("state.mode", "state.modes") + '[sweep]\n"flows.1.algorithm" = ["cubic", "vegas"]\n'
    file.write_text(text)
    outcome = cli("run", file, "--results", tmp_path / "results")
    assert outcome.status != 0
    (line,) = [line for line in outcome.err.splitlines() if "state.modes" in line]
    named = line.partition("did you mean ")[2].rstrip("?").replace(" or ", ", ").split(", ")
    assert (len(named), named[0]) == (5, "state.bbr.mode")
    # Runs that are stored count, too.
    assert cli("run", _written(tmp_path, EXPERIMENT), "--results", tmp_path / "results").status == 0
    more = EXPERIMENT + '[sweep]\n"flows.0.algorithm" = ["bbr", "reno"]\n'
    assert cli("run", _written(tmp_path, more), "--results", tmp_path / "results").status == 0


def _written(folder: Path, text: str) -> Path:
    file = folder / "y.toml"
    file.write_text(text)
    return file


def test_a_file_of_others_is_watched_in_its_worker(cli, tmp_path: Path) -> None:
    assert cli("algorithm", "new", "mine", "--dir", tmp_path).status == 0
    mine = str(tmp_path / "mine.c")
    results = fairlane.duel(mine, "cubic", rate="10mbit", duration="1s", watch=["state.rtt_us", "state.k"])
    series = dict(results.series("flow").group_by("flow"))
    assert series[(0,)]["state.rtt_us"].max() > 20_000
    assert series[(0,)]["state.k"].null_count() == series[(0,)].height
    assert series[(1,)]["state.k"].null_count() == 0


@pytest.mark.parametrize("name", ["bbr2", "bbr3"])
def test_memory_in_socket_storage_is_watched_too(cli, tmp_path: Path, name: str) -> None:
    """The same in a plain run, in a traced one, and for a copy of the file that runs in its worker."""
    sampled = fairlane.duel(name, rate="10mbit", duration="2s", watch=["state.mode"]).series("flow")["state.mode"]
    assert sampled.n_unique() > 2
    told = json.loads(cli("duel", name, "--rate", "10mbit", "--time", "2s", "--watch", "state.mode", "--json").out)
    changes = told["watched"][0]["state.mode"]
    assert [value for _, value in changes][:2] == [0, 1], "from Startup to Drain"
    assert changes[-1][1] == sampled[-1], "what is gone at the end is not a change"
    copy = tmp_path / "copy.c"
    shutil.copy(ALGORITHMS / f"{name}.c", copy)
    copied = fairlane.duel(str(copy), rate="10mbit", duration="2s", watch=["state.mode"]).series("flow")["state.mode"]
    assert copied.to_list() == sampled.to_list()
