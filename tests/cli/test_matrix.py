"""`fairlane matrix` and `[sweep.matrix]`: algorithms against each other, as a table, a picture, a page and a frame."""

import json
import re
import shutil

import fairlane
import pytest
from fairlane.results.metrics.metric import MetricError
from fairlane.results.pairs import PairMatrix, pair_matrices
from fairlane.scenario.diagnostics import ExperimentError
from fairlane.scenario.load import load
from fairlane.show.report.outcome import finding
from fairlane.show.text.pairs_text import matrices_text

LINK = {"duration": "1s", "network": {"rate": "5mbit", "rtt": "20ms", "buffer": "1bdp"}}
WORDS = ["--rate", "5mbit", "--rtt", "20ms", "--time", "1s"]


def met(matrix, **more):
    loaded = load({**LINK, **more, "sweep": {"matrix": matrix}})
    return [tuple(point.axes.values()) for point in loaded.points]


def test_each_pair_meets_once():
    pairs = met({"algorithms": ["reno", "cubic", "bbr"]})
    assert pairs == [
        *(("reno", "reno"), ("reno", "cubic"), ("reno", "bbr")),
        *(("cubic", "cubic"), ("cubic", "bbr"), ("bbr", "bbr")),
    ]


def test_rivals_may_be_others():
    itself = ("bbr", "bbr")
    assert met({"algorithms": ["reno"], "against": ["bbr", "reno"]}) == [("reno", "bbr"), ("reno", "reno"), itself]
    bundled = [one["name"] for one in fairlane.algorithms()]
    assert [rival for first, rival in met({"algorithms": ["reno"], "against": "all"}) if first == "reno"] == bundled


def test_an_algorithm_without_marks_is_named_if_it_was_asked_for(cli, tmp_path):
    asked = [*WORDS, "--repeats", "1", "--results", tmp_path / "results"]
    outcome = cli("matrix", "dctcp", "cubic:beta=5000", *asked)
    first, second = outcome.err.splitlines()
    assert first.startswith("dctcp gets no marks: ")
    assert second.startswith("cubic: beta=5000 is 4.88 times the whole")
    assert cli("matrix", "cubic", *asked).err == ""


def test_further_axes_and_the_flows_own_keys_are_kept():
    flows = [{"count": 2}, {"name": "late", "start": "100ms"}]
    loaded = load({**LINK, "flows": flows, "sweep": {"matrix": {"algorithms": ["reno", "bbr"]}, "seed": [1, 2]}})
    assert len(loaded.points) == 6
    scenario = loaded.points[2].point.repeat(0)
    assert [flow["algorithm"] for flow in scenario["flows"]] == ["reno", "reno", "bbr"]
    assert scenario["flows"][2]["start_ns"] == 100_000_000


@pytest.mark.parametrize(
    ("matrix", "more", "text"),
    [
        ({"algorithm": ["reno"]}, {}, "sweep.matrix.algorithm: is no key of it; did you mean algorithms?"),
        ({"algorithms": []}, {}, "sweep.matrix.algorithms: must be a list of algorithms"),
        ({"algorithms": ["reno", 3]}, {}, "sweep.matrix.algorithms: has a value that is no name"),
        (["reno"], {}, "sweep.matrix: must be a table"),
        ({"algorithms": ["reno"]}, {"flows": [{}]}, "sweep.matrix: needs two [[flows]]"),
        ({"algorithms": ["renno"]}, {}, "unknown algorithm 'renno'; did you mean reno"),
    ],
)
def test_a_wrong_matrix_is_named(matrix, more, text):
    with pytest.raises(ExperimentError, match=re.escape(text)):
        met(matrix, **more)


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """Three algorithms, each with each, in two repeats."""
    folder = tmp_path_factory.mktemp("matrix") / "results"
    settings = {"rate": "5mbit", "rtt": "20ms", "duration": "2s", "repeats": 2}
    return fairlane.matrix("reno", "vegas", "bbr", results=folder, progress=False, **settings)


def test_a_frame_has_both_orders_of_a_pair(results):
    shares = results.matrix("share_pct")
    assert shares.columns == ["algorithm", "reno", "vegas", "bbr"]
    rows = {row["algorithm"]: row for row in shares.iter_rows(named=True)}
    assert rows["reno"]["reno"] == pytest.approx(50)
    assert rows["reno"]["vegas"] + rows["vegas"]["reno"] == pytest.approx(100)
    assert rows["vegas"]["bbr"] < 40 < 60 < rows["reno"]["vegas"]
    flows = results.table(["goodput_mbps"], per="group")
    one = flows.filter((flows["first"] == "reno") & (flows["rival"] == "bbr") & (flows["group"] == 1))
    assert results.matrix("goodput_mbps")["reno"][2] == pytest.approx(one["goodput_mbps"].mean())


def test_harm_is_counted_from_a_pair_of_the_rivals_own_kind(results):
    goodputs, harm = ({row.pop("algorithm"): row for row in results.matrix(name).iter_rows(named=True)}
                      for name in ("goodput_mbps", "harm_pct"))  # fmt: skip
    assert harm["reno"]["reno"] == pytest.approx(0)
    vegas = goodputs["vegas"]
    assert harm["reno"]["vegas"] == pytest.approx(100 * (1 - vegas["reno"] / vegas["vegas"]), abs=1)
    assert harm["vegas"]["reno"] < 0 < 20 < harm["reno"]["vegas"]


def test_results_without_pairs_are_refused(results):
    alone = fairlane.duel("reno", rate="5mbit", duration="1s")
    with pytest.raises(MetricError, match="two groups of flows"):
        alone.matrix()


def test_wide_tables_number_their_columns(results):
    [matrix] = pair_matrices(results, ["goodput_mbps"])
    names = [f"algorithm{number}" for number in range(12)]
    wide = PairMatrix(matrix.metric, names, names, {})
    text = matrices_text([wide], 80)
    assert max(map(len, text.splitlines())) <= 80
    assert re.search(r"^ 1 algorithm0 ", text, re.MULTILINE)
    assert "algorithm0  algorithm1" in matrices_text([wide], 200)


def test_the_command_prints_one_row_for_each_rival(cli, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    words = ["matrix", "reno", "--against", "vegas,bbr", *WORDS, "--repeats", "1"]
    outcome = cli(*words, "--plot", "m.png", "--file", "m.toml")
    assert (outcome.status, outcome.err) == (0, "")
    assert re.search(r"^rival +% +% +Mbps +ms +1/s$", outcome.out, re.MULTILINE)
    assert re.search(r"^vegas +[\d.]+ +[\d.]+ +[\d.]+ +[\d.]+ +[\d.]+$", outcome.out, re.MULTILINE)
    assert (tmp_path / "m.png").stat().st_size > 5000
    [share, *_] = json.loads(cli(*words, "--json").out)
    assert [(cell["algorithm"], cell["rival"]) for cell in share["cells"]] == [("reno", "vegas"), ("reno", "bbr")]
    again = cli("run", "m.toml", "--results", "results/matrix")
    assert "5 runs (5 already stored)" in again.out


def test_the_command_prints_matrices_and_draws_cells(cli, results, tmp_path):
    words = ["--rate", "5mbit", "--rtt", "20ms", "--time", "2s", "--repeats", "2", "--results", results.path]
    outcome = cli("matrix", "reno", "vegas", "bbr", *words, "--plot", tmp_path / "m.svg")
    assert outcome.status == 0
    assert "%: of the row's algorithm against the column's\n\n       reno  vegas  bbr\n" in outcome.out
    assert re.search(r"^reno +50 +\d+ +\d+$", outcome.out, re.MULTILINE)
    assert (tmp_path / "m.svg").read_text().count("of the row's algorithm") == 5


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["renno"], "unknown algorithm 'renno'"),
        (["reno", "--metrics", "jain_index"], "--metrics: jain_index is a metric of a"),
        (["reno", "--metrics", "goodput"], "--metrics: unknown metric 'goodput'"),
        (["reno", "--rate", "fast"], "--rate: 'fast' is not a number with a unit"),
    ],
)
def test_wrong_words_are_named(cli, words, text, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    outcome = cli("matrix", *words)
    assert (outcome.status, outcome.out) == (2, "")
    assert text in outcome.err


def test_a_report_has_the_matrix_and_folds_long_tables(cli, tmp_path):
    chosen = [one["name"] for one in fairlane.algorithms()][:9]
    experiment = {**LINK, "duration": "100ms", "sweep": {"matrix": {"algorithms": chosen}}}
    fairlane.run(experiment, tmp_path / "all", progress=False)
    assert cli("report", tmp_path / "all", "-o", tmp_path / "all.html").status == 0
    html = (tmp_path / "all.html").read_text()
    count = len(chosen)
    assert html.count("<h2>Algorithms against each other</h2>") == 1
    first = html[html.index('<table class="pairs matrix') :]
    assert first[: first.index("</table>")].count("<td") == count * count
    assert f"<summary>The {count * (count + 1) // 2} rows</summary>" in html


def test_a_report_on_pairs_begins_with_the_harm(results):
    """Not with the axes of the sweep, whose names say nothing: "of 3 firsts, bbr has the highest Jain's index"."""
    found = finding(results)
    assert re.match(r"(reno|bbr) harms vegas most: next to it, vegas has [\d.]+", found.first)
    assert "firsts" not in " ".join(found.more)


def test_a_plot_of_shares_is_as_wide_as_it_needs(results, tmp_path, cli):
    few, many = tmp_path / "few.svg", tmp_path / "many.svg"
    assert cli("plot", results.path, "shares", "-o", few).status == 0
    everyone = fairlane.matrix("reno", against="all", results=tmp_path / "r", progress=False, duration="100ms",
                               rate="5mbit", repeats=1)  # fmt: skip
    everyone.plot("shares", many)
    wide = [float(re.search(r'<svg[^>]* width="([\d.]+)pt"', path.read_text())[1]) / 72 for path in (few, many)]
    assert wide[0] == pytest.approx(3.46, abs=0.01)
    assert wide[1] > 8
    everyone.plot("shares", many, width="column")
    assert float(re.search(r'width="([\d.]+)pt"', many.read_text())[1]) / 72 == pytest.approx(3.46, abs=0.01)
    shutil.rmtree(tmp_path / "r")
