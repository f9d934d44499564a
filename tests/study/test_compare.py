"""Tables and figures are computed from the results as the study defines them."""

import fairlane
import polars as pl
import pytest
from fairlane.study.paper.comparison import Frames, compare
from fairlane.study.paper.definition import StudyError, load
from fairlane.study.rerun import StoredResults, jobs_for


@pytest.fixture
def done(study, tmp_path):
    """The study's comparisons by name, and its flows."""
    return compared(study, tmp_path / "results")


ROUNDING = 1e-9
"""The mean of equal numbers may differ from them in the last digit."""


def compared(study, folder, repeats=None):
    loaded = load(study)
    items, experiments = loaded.chosen(None)
    for job in jobs_for(loaded, items, experiments, whole=True, repeats=repeats):
        job.run(folder, 2)
    frames = {name: Frames(one, items) for name, one in StoredResults(loaded, folder).all().items()}
    return {item.name: compare(loaded, item, frames) for item in items}, fairlane.open(folder).flows


def test_values_are_means_over_the_other_axes(done):
    comparisons, flows = done
    table = {row.place: row for row in comparisons["table-1"].rows}
    assert set(table) == {("fifo", "cubic"), ("fifo", "reno")}
    for (_, algorithm), row in table.items():
        mine = flows.filter(flows["algorithm_a"] == algorithm)
        assert row.runs == 4
        of_a = mine.filter(mine["name"] == "a")["goodput_mbps"].sum() / 4
        assert row.cells[0].ours == pytest.approx(of_a)
        divided = 2 * (mine["goodput_mbps"] / mine["buffer_bdp"]).sum() / 4
        assert row.cells[1].ours == pytest.approx(divided)
    assert [cell.paper for cell in table["fifo", "cubic"].cells] == [5.0, None, None]
    assert [cell.paper for cell in table["fifo", "reno"].cells] == [4.0, 7.5, None]


def test_groups_of_flows_have_rows_of_their_own(done):
    comparisons, flows = done
    table = comparisons["table-2"].rows
    assert [row.place for row in table] == [("cubic", "a"), ("cubic", "b"), ("reno", "a"), ("reno", "b")]
    for row in table:
        algorithm, name = row.place
        mine = flows.filter(flows["algorithm_a"] == algorithm, flows["buffer_bdp"] == 2)
        assert row.cells[0].ours == pytest.approx(mine.filter(mine["name"] == name)["goodput_mbps"].sum() / 2)
        sums = [
            [repeat.filter(repeat["name"] == one)["throughput_mbps"].sum() for one in ("a", "b")]
            for _, repeat in mine.group_by("repeat")
        ]
        of_run = [(x + y) ** 2 / (2 * (x * x + y * y)) for x, y in sums]
        assert row.cells[1].ours == pytest.approx(sum(of_run) / 2)
        assert row.runs == 2
    assert [row.cells[0].paper for row in table] == [6.0, 3.0, 5.0, 4.0]


def test_relative_to_is_run_by_run(done):
    comparisons, flows = done
    lost = {
        key: group["retransmits"].sum()
        for key, group in flows.group_by(["algorithm_a", "buffer_bdp", "repeat"], maintain_order=True)
    }
    ratios = [count / lost["cubic", *rest] for (algorithm, *rest), count in lost.items() if algorithm == "reno"]
    table = {row.place: row for row in comparisons["table-1"].rows}
    assert table["fifo", "cubic"].cells[2].ours == 1.0
    assert table["fifo", "reno"].cells[2].ours == pytest.approx(sum(ratios) / len(ratios))


def test_an_excess_is_the_ratio_above_1_in_percent(study, tmp_path, done):
    ratios = {row.place: row.cells[2].ours for row in done[0]["table-1"].rows}
    text = (study / "study.toml").read_text()
    ratio = 'relative_to = { algorithm_a = "cubic" }'
    assert ratio in text
    (study / "study.toml").write_text(text.replace(ratio, f"{ratio}, excess = true", 1))
    excess, _ = compared(study, tmp_path / "results")
    for row in excess["table-1"].rows:
        assert row.cells[2].ours == pytest.approx(100 * (ratios[row.place] - 1))
    assert ratios["fifo", "reno"] != 1.0


def test_a_figure_has_only_its_points_and_intervals_of_three_repeats(study, tmp_path, done):
    two, _ = done
    three, flows = compared(study, tmp_path / "three", repeats=3)
    for comparisons, repeats in ((two, 2), (three, 3)):
        figure = comparisons["figure-1"]
        assert [row.place for row in figure.rows] == [("reno", 1.0), ("reno", 2.0)]
        assert all(row.runs == repeats for row in figure.rows)
        assert all((row.cells[0].interval is None) == (repeats == 2) for row in figure.rows)
        assert figure.has_few_repeats == (repeats == 3)
        assert all(row.cells[0].interval is None for row in comparisons["table-1"].rows)  # buffers are no repeats
    goodputs = flows.filter((flows["algorithm_a"] == "reno") & (flows["buffer_bdp"] == 1))
    sums = goodputs.group_by("repeat").agg(pl.col("goodput_mbps").sum())
    interval = three["figure-1"].rows[0].cells[0].interval
    least, most = sums["goodput_mbps"].min(), sums["goodput_mbps"].max()
    assert least - ROUNDING < interval.low < interval.high < most + ROUNDING


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('metric = "total_retransmits"', 'metric = "total_retransmi"', "'total_retransmi'"),
        ('experiments = ["small"]', 'experiments = ["smal"]', "did you mean small?"),
        ("[experiments.other]", "[experiments.another]", "another.toml"),
        ('published = "table-1.csv"', 'published = "table-3.csv"', "table-3.csv"),
        ('across = "buffer_bdp"', 'across = "buffer"', "did you mean buffer_bdp?"),
        ('panels = ["algorithm_a"]', 'equal = ["algorithm_b"]', "'algorithm_b'"),
        ('compare = "difference"', 'compare = "diff"', "'ratio' or 'difference'"),
        ('title = "means"', 'titel = "means"', "titel"),
        ("[experiments.small]", "[experiments.small", "study.toml"),
    ],
)
def test_a_slip_of_the_pen_is_named(study, old, new, said):
    text = (study / "study.toml").read_text()
    assert old in text
    (study / "study.toml").write_text(text.replace(old, new, 1))
    with pytest.raises(StudyError) as caught:
        load(study)
    assert said in str(caught.value)


def test_a_column_that_the_paper_does_not_have_is_named(study):
    text = (study / "study.toml").read_text()
    (study / "study.toml").write_text(text.replace('published = "goodput_a"', 'published = "goodput"'))
    loaded = load(study)
    from fairlane.study.paper.comparison import published

    with pytest.raises(StudyError, match="did you mean goodput_a"):
        published(loaded, loaded.file.items[0])


def test_only_points_with_equal_columns(study, tmp_path):
    text = (study / "study.toml").read_text()
    old = 'by = ["algorithm_a", "name"]\nwhere = [{ buffer_bdp = [2] }]'
    assert old in text
    new = 'by = ["algorithm_a", "algorithm", "name"]\nequal = ["algorithm_a", "algorithm"]'
    (study / "study.toml").write_text(text.replace(old, new).replace('published = "table-2.csv"\n', ""))
    comparisons, _ = compared(study, tmp_path / "equal", repeats=1)
    places = [row.place for row in comparisons["table-2"].rows]
    assert places == [("cubic", "cubic", "a"), ("cubic", "cubic", "b"), ("reno", "reno", "a")]
    item = load(study).file.items[0].model_copy(update={"equal": ["algorithm_a", "algorithm_b"]})
    assert item.wants({"algorithm_a": "reno", "algorithm_b": "reno"})
    assert not item.wants({"algorithm_a": "reno", "algorithm_b": "cubic"})
    assert item.wants({"algorithm_a": "reno"}), "what has no such column is not asked"
