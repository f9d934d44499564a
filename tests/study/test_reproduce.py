"""`fairlane reproduce`: estimates the cost, computes missing runs, resumes."""

import csv
import re

import fairlane
import pytest
from fairlane.runs.backends import Backend
from fairlane.show.plots.run_timeline import draw
from fairlane.study.claims.claim import Published
from fairlane.study.paper.definition import load
from fairlane.study.rerun import jobs_for, pictures
from matplotlib.axes import Axes


@pytest.fixture
def reproduce(study, tmp_path, cli, monkeypatch):
    """Runs `fairlane reproduce small2020 ...`."""
    monkeypatch.setattr("fairlane.files.data_folder", lambda _name: study.parent)
    monkeypatch.setattr("fairlane.cli.reproduce.ESTIMATE_FROM_S", 0.0)

    def run(*arguments):
        return cli("reproduce", "small2020", "--results", tmp_path / "results", *arguments)

    return run


def test_prints_ours_next_to_theirs_and_writes_them(reproduce, tmp_path):
    outcome = reproduce()
    assert outcome.status == 0
    assert outcome.err.startswith("small2020: 8 runs; about ")
    assert "Table 1: means" in outcome.out
    assert "Figure 1: goodput over buffers" in outcome.out
    assert "rate: It differs." in outcome.out
    assert ": rtt." in outcome.out
    with (tmp_path / "results" / "table-1" / "table.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    first = rows[0]
    assert (first["experiment"], first["algorithm_a"], first["value"]) == ("small", "cubic", "total_goodput_mbps@a")
    assert float(first["difference"]) == pytest.approx(float(first["ours"]) - 5.0, abs=1e-4)
    assert (tmp_path / "results" / "figure-1" / "ours-and-paper.png").stat().st_size > 5000


@pytest.mark.parametrize("experiments", ['["small", "other"]', '["alone"]'], ids=["several", "alone"])
def test_the_pictures_that_the_estimate_counts_are_drawn(experiments, study, reproduce, tmp_path):
    file = study / "study.toml"
    text = file.read_text().replace('["small", "other"]', f"{experiments}\ntime_series = true")
    file.write_text(text.replace("[experiments.other]", "[experiments.alone]\n[experiments.other]"))
    one, _other, sweep = re.split(r'(\[\[flows\]\]\nname = "b"[^[]*)', (study / "small.toml").read_text())
    (study / "alone.toml").write_text((one + sweep).replace("count = 2", ""))
    loaded = load(study)
    chosen, names = loaded.chosen("figure-1")
    counted = sum(pictures(item, jobs_for(loaded, chosen, names)) for item in chosen)
    assert reproduce("--only", "figure-1").status == 0
    assert len(list((tmp_path / "results").rglob("*.png"))) == counted


def test_the_estimate_names_what_a_kernel_refuses(reproduce, monkeypatch):
    class Kernel(Backend):
        name = "vm"

        def run(self, scenario):
            raise AssertionError("it refuses all runs")

        def identity(self):
            return "Linux 6.12"

        def limits(self, scenario):
            return ["links.bottleneck.buffer: too small here"]

    for place in ("fairlane.runs.backends.backend", "fairlane.study.rerun.backend"):
        monkeypatch.setattr(place, lambda _name: Kernel())
    for words in ([], ["--estimate"]):
        outcome = reproduce("--on", "vm", *words)
        assert (outcome.status, outcome.out) == (2, "")
        assert re.fullmatch(r"fairlane: small: .*: --on vm: links.bottleneck.buffer: too small here\n", outcome.err)


def test_a_table_that_could_not_be_shown_is_refused_before_anything_runs(study, reproduce, tmp_path):
    text = (study / "study.toml").read_text()
    (study / "study.toml").write_text(text.replace('by = ["aqm", "algorithm_a"]', 'by = ["aqm", "algorithm"]'))
    outcome = reproduce()
    assert outcome.status == 2
    assert "study.toml: items.table-1.by: unknown column 'algorithm'; did you mean algorithm_a?" in outcome.err
    assert not (tmp_path / "results").exists()


def test_claims_go_by_experiments_that_run_only_when_asked_for(study, reproduce):
    (study / "published").mkdir()
    columns = ",".join(Published.__annotations__)
    (study / "published" / "claims.csv").write_text(f"{columns}\nx-1,x,2,It is so.{',' * (columns.count(',') - 3)}\n")
    (study / "claims.py").write_text(
        "from fairlane.study.claims import Claims\nCLAIMS = Claims()\n"
        "@CLAIMS.claim('x-1')\ndef it_is_so(evidence):\n"
        "    return evidence['other'].where(algorithm_a='reno', buffer_bdp=1)['total_goodput_mbps'] > 1\n"
    )
    (study / "study.toml").write_text(
        (study / "study.toml").read_text().replace('["small", "other"]', '["small"]')
        + '\n[[items]]\nname = "beyond"\nsource = "Nowhere"\ntitle = "another rate"\nexperiments = ["other"]\n'
        + 'by = ["buffer_bdp"]\nvalues = [{ metric = "total_goodput_mbps", heading = "goodput" }]\n'
    )
    assert "1 not run" in reproduce().out
    assert "--only other" in reproduce().out
    assert reproduce("--only", "other").status == 0
    out = reproduce().out
    assert "ours: other reno 1bdp, total_goodput_mbps" in out
    assert "Nowhere" not in out


def test_only_the_points_with_these_values_are_run(reproduce, tmp_path):
    outcome = reproduce("--where", "buffer=1bdp", "--where", "algorithm_a=reno,cubic")
    assert outcome.status == 0
    assert outcome.err.startswith("small2020: 4 runs; about ")
    assert set(fairlane.open(tmp_path / "results").runs["buffer_bdp"]) == {1}
    for where, said in {
        "buffer": "'buffer' has no value",
        "rate=1mbit": "unknown axis 'rate'",
        "buffer=3bdp": "unknown value of buffer '3bdp'",
    }.items():
        refused = reproduce("--where", where)
        assert (refused.status, said in refused.err) == (2, True), refused.err


def test_stored_runs_are_not_repeated(reproduce, tmp_path):
    first = reproduce("--only", "figure-1")
    assert first.err.startswith("small2020: 4 runs; about ")  # reno alone: two buffers, two repeats
    assert fairlane.open(tmp_path / "results").runs.height == 4
    whole = reproduce()
    assert whole.err.startswith("small2020: 8 runs; 4 already stored; about ")
    again = reproduce()
    assert again.err == ""
    assert again.out == whole.out


def test_an_estimate_runs_nothing(reproduce, tmp_path):
    outcome = reproduce("--estimate", "--repeats", "10")
    assert outcome.out.startswith("small2020: 40 runs; about ")
    assert "CPUs" in outcome.out
    assert " on disk" in outcome.out
    assert not (tmp_path / "results").exists()


def test_equal_runs_are_one(reproduce, study):
    text = (study / "small.toml").read_text()
    (study / "small.toml").write_text(text.replace('buffer = "1bdp"', 'queue = { kind = "fq_codel", limit = "99p" }'))
    assert reproduce("--estimate").out.startswith("small2020: 8 runs; 4 identical to others; about ")
    assert "runs\n" in reproduce("--only", "table-1").out


def test_quick_and_optional_experiments_are_shown_next_to_the_whole(reproduce, tmp_path):
    quick = reproduce("--quick")
    assert quick.err.startswith("small2020, quick subset: 4 runs; about ")
    assert "Quick subset: half the time" in quick.out
    other = reproduce("--only", "other")
    assert other.err.startswith("small2020: 8 runs; about ")
    assert "Table 1" not in other.out
    assert fairlane.open(tmp_path / "results").experiments == ["other", "small-quick"]
    reproduce()
    both = reproduce("--only", "figure-1").out
    assert "small" in both
    assert "other" in both


def test_several_may_be_asked_for_at_once(reproduce):
    out = reproduce("--only", "figure-1", "--only", "table-1", "--estimate").out
    assert out.startswith("small2020: 12 runs; 4 identical to others; about ")  # the table's 8 are the figure's, too
    shown = reproduce("--only", "figure-1", "--only", "other").out
    assert "Figure 1" in shown
    assert "other" in shown


def test_mistakes_take_one_line(reproduce, study):
    outcome = reproduce("--only", "figure-2")
    assert outcome.status == 2
    assert "did you mean figure-1?" in outcome.err
    (study / "small.toml").write_text((study / "small.toml").read_text().replace("10mbit", "10mbot"))
    outcome = reproduce()
    assert outcome.status == 2
    assert "'mbot'" in outcome.err


UNSUPPORTED = """
[unsupported.radio]
needs = "Wi-Fi"
source = "Table 3"
title = "The same by radio"
covers = ["small2020-radio"]
"""


def test_unsupported_experiments_are_listed_and_refused_by_name(reproduce, study):
    (study / "study.toml").write_text((study / "study.toml").read_text() + UNSUPPORTED)
    listed = "not yet runnable  needs  in the paper\nradio             Wi-Fi  Table 3       The same by radio\n"
    assert reproduce("--estimate").out.endswith(f"\n\n{listed}")
    assert listed in reproduce("--quick").out
    assert "radio" not in reproduce("--only", "figure-1", "--estimate").out
    outcome = reproduce("--only", "radio")
    assert outcome.status == 2
    assert "radio (Table 3 of small2020)" in outcome.err


def test_an_experiment_of_the_paper_that_is_not_covered_is_reported(reproduce, study):
    (study / "study.toml").write_text((study / "study.toml").read_text() + UNSUPPORTED)
    (study / "published").mkdir()
    published = study / "published" / "experiments.csv"
    published.write_text("id,section\nsmall2020-radio,1\nsmall2020-small,2\n")
    outcome = reproduce("--estimate")
    assert outcome.status == 2
    assert "experiments.csv" in outcome.err
    assert "small2020-small" in outcome.err
    text = (study / "study.toml").read_text()
    (study / "study.toml").write_text(
        text.replace("[experiments.small]\n", '[experiments.small]\ncovers = ["small2020-smull"]\n')
    )
    outcome = reproduce("--estimate")
    assert "experiments.small.covers: unknown experiment 'small2020-smull'; did you mean small2020-small" in outcome.err


def test_runs_of_several_flows_have_a_picture_each(reproduce, study, tmp_path, monkeypatch):
    titles, drawn, plot = [], [], Axes.plot

    def draw_and_note(path, title, *arguments, **more):
        titles.append(title)
        drawn.append((more["panels"], []))
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Axes, "plot", lambda axis, *xy, **k: drawn[-1][1].append(xy) or plot(axis, *xy, **k))
            draw(path, title, *arguments, **more)

    monkeypatch.setattr("fairlane.show.comparison.time_series.draw", draw_and_note)
    text = (study / "study.toml").read_text()
    (study / "study.toml").write_text(text.replace('panels = ["algorithm_a"]\n', "time_series = true\n"))
    out = reproduce("--only", "figure-1").out
    pictures = sorted(path.name for path in (tmp_path / "results" / "figure-1").glob("over-time*.png"))
    assert pictures == ["over-time-reno-1bdp.png", "over-time-reno-2bdp.png"]
    assert f"Tables and pictures are in {tmp_path / 'results'}/" in out
    assert [title.split(", ")[-2:] for title in titles] == [["reno 1bdp", "simulated"], ["reno 2bdp", "simulated"]]
    panels, curves = drawn[0]
    assert tuple(panels) == ("goodput", "window", "rtt", "queue", "retransmissions", "jain")
    assert len(curves) == 16, "a line for each of three flows, but one queue and one index; capacity and buffer"
    *lines, (_, fairness) = curves[12:]
    assert {len(times_s) for times_s, _ in lines} <= {38, 39, 40}, "the samples of 4 s, from its start on"
    flows = fairlane.open(tmp_path / "results").flows.filter(repeat=0, buffer_bdp=1.0)
    sums = [sum(values) * 0.1 for _, values in lines]
    assert sums == pytest.approx(flows["retransmits"].to_list(), abs=1e-6)
    assert sum(sums) > 0
    assert 0.3 < min(value for value in fairness if value == value) < 1


def test_the_output_ends_with_results_and_next_command(reproduce, tmp_path):
    """The largest difference first, and none that random variation explains; then the next command."""
    out = reproduce().out
    end = out.split("The largest differences from the paper:")[-1]
    assert end.count("the paper's") == 2
    assert f"Tables and pictures are in {tmp_path / 'results'}/. Next:" in end
    assert f"fairlane report {tmp_path / 'results'}" in end
    assert "table.csv" not in end


def test_studies_are_listed_with_their_requirements(cli):
    import json

    from fairlane.files import data_folder
    from fairlane.study.paper.definition import names

    found = json.loads(cli("studies", "--json").out)
    assert [one["name"] for one in found] == names(data_folder("studies"))
    assert all(one["experiments"] and one["tables_and_figures"] for one in found)
    out = cli("studies").out
    assert all(f"fairlane reproduce {one['name']}" in out for one in found)
