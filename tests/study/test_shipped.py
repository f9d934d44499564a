"""The shipped studies: all their files load, and they run the experiments of the papers."""

import csv
import re
from collections import defaultdict

import pytest
from fairlane.files import data_folder
from fairlane.scenario.load import load as load_experiment
from fairlane.study.claims import load as load_claims
from fairlane.study.paper.comparison import key, published
from fairlane.study.paper.definition import PUBLISHED_EXPERIMENTS, StudyError, load, names
from fairlane.study.rerun import jobs_for

STUDIES = data_folder("studies")
ELEPHANTS = STUDIES / "elephants2023"
ROMAN = {"I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII"}


def _files(study):
    for name, part in study.file.experiments.items():
        for path in (f"{name}.toml", *([part.quick] if part.quick else [])):
            yield name, study.folder / path


@pytest.mark.parametrize("name", names(STUDIES))
def test_every_experiment_loads(name):
    study = load(STUDIES / name)
    for _, path in _files(study):
        assert load_experiment(path).runs > 0


@pytest.mark.parametrize("name", names(STUDIES))
@pytest.mark.parametrize("quick", [False, True])
def test_every_table_and_figure_can_be_shown(name, quick):
    """The axes of its experiments distinguish its rows, in the quick form, too."""
    study = load(STUDIES / name)
    assert jobs_for(study, study.file.items, list(study.file.experiments), quick=quick)


OTHERS = ("study.toml", "base.toml", "predicates.toml", "made.toml")
"""Files of a study that are no experiments."""


@pytest.mark.parametrize("name", names(STUDIES))
def test_every_experiment_file_belongs_to_its_study(name):
    study = load(STUDIES / name)
    used = {path for _, path in _files(study)}
    found = {path for path in study.folder.rglob("*.toml") if path.name not in OTHERS}
    assert found == used


@pytest.mark.parametrize("name", names(STUDIES))
def test_every_experiment_of_the_paper_runs_or_waits(name):
    """`load` refuses a study that omits one; this checks that the paper's list exists."""
    study = load(STUDIES / name)
    with (study.folder / PUBLISHED_EXPERIMENTS).open(newline="") as file:
        published = [row["id"] for row in csv.DictReader(file)]
    parts = [*study.file.experiments.values(), *study.file.unsupported.values()]
    assert {id for part in parts for id in part.covers} == set(published)


def _figures(place):
    """The numbers of figures: 7 to 9 of 'Table 11; Figures 7 to 9', 2 and 3 of 'Figures 2(a), 3'."""
    found = set()
    for part in re.findall(r"Figures? ([^;A-Z]+)", place):
        for first, last in re.findall(r"(\d+)(?:\([a-z]\))?(?: to (\d+))?", part):
            found |= set(range(int(first), int(last or first) + 1))
    return found


def _tables(place):
    """The names of tables: III and VI of 'Tables III, VI; Figures 8, 9', A.20 of 'Tables 5, A.20'."""
    found = set()
    for part in re.findall(r"Tables? ([^;F]+)", place):
        found |= set(re.findall(r"A\.\d+|\d+|[IVX]+", part))
    return found


@pytest.mark.parametrize("name", names(STUDIES))
def test_every_figure_with_measurements_is_drawn_or_waits(name):
    """By the paper's own list of experiments; a figure over time is drawn next to the table of its means."""
    study = load(STUDIES / name)
    with (study.folder / PUBLISHED_EXPERIMENTS).open(newline="") as file:
        rows = [row["figure_or_table"] for row in csv.DictReader(file)]
    drawn = [one.source for one in [*study.file.items, *study.file.unsupported.values()]]
    for numbers in (_figures, _tables):
        assert set().union(*map(numbers, rows)) - set().union(*map(numbers, drawn)) == set()
    assert len(set().union(*map(_figures, rows))) > 6


@pytest.mark.parametrize(
    ("name", "figures", "without_measurements", "tables"),
    [
        ("lin2019", 23, {1, 14, 18, 20}, {"3", *map(str, range(5, 20)), *(f"A.{one}" for one in range(20, 29))}),
        ("modestbbr", 13, {1, 7}, set()),
        ("elephants2023", 8, {1}, {"3"}),
        ("fiftyshades2019", 17, {1, 2, 3, 4, 5}, ROMAN),
    ],
)
def test_all_figures_and_tables_that_the_papers_print_are_there(name, figures, without_measurements, tables):
    """Without topologies and sketches; without tables of related work, settings and parameters."""
    study = load(STUDIES / name)
    places = [one.source for one in [*study.file.items, *study.file.unsupported.values()]]
    drawn = set().union(*map(_figures, places))
    assert set(range(1, figures + 1)) - without_measurements - drawn == set()
    assert set().union(*map(_tables, places)) == tables


@pytest.mark.parametrize(
    ("name", "channel", "figures"),
    [
        ("lin2019", "goodput", {3}),
        ("lin2019", "rtt", {3}),
        ("lin2019", "retransmissions", {3, 4, 5}),
        ("lin2019", "window", {3, 4, 5}),
        ("lin2019", "mean_window", {7, 8, 9}),
        ("modestbbr", "goodput", {2, 4, 9, 13}),
        ("modestbbr", "retransmissions", {5, 11}),
        ("fiftyshades2019", "rtt", {7, 8, 9, 10, 11, 12, 13}),
        ("fiftyshades2019", "goodput", {8, 9, 10, 11, 12, 13, 14, 15, 16, 17}),
        ("fiftyshades2019", "jain", {8, 9, 10, 11, 12, 13}),
    ],
)
def test_figures_over_time_are_drawn_over_time(name, channel, figures):
    items = load(STUDIES / name).file.items
    assert figures <= set().union(*(_figures(item.source) for item in items if channel in item.channels))


@pytest.mark.parametrize("name", names(STUDIES))
def test_every_published_number_has_a_run_and_every_run_a_number(name):
    study = load(STUDIES / name)
    for item in study.file.items:
        if item.published is None:
            continue
        theirs = set(published(study, item))
        for experiment in item.experiments:
            labels = study.file.experiments[experiment].labels
            ours = {
                tuple(key({**group, **point.axes, **labels}[column]) for column in item.by)
                for point in load_experiment(study.folder / f"{experiment}.toml").points
                if item.wants(point.axes)
                for group in (point.point.groups if item.per == "group" else [{}])
            }
            fitting = {place for place in theirs if _fits(place, item, labels)}
            assert ours == fitting, f"{item.name}, {experiment}"


def _fits(place, item, labels):
    values = dict(zip(item.by, place, strict=True))
    return all(values.get(column, label) == label for column, label in labels.items()) and item.wants(values)


def test_the_elephants_are_the_papers_810_configurations():
    """Tables 1 and 2: 9 pairs x 3 AQMs x 6 buffers x 5 rates, with 2, 10, 20, 200 and 500 flows."""
    points = {name: load_experiment(ELEPHANTS / f"{name}.toml").points for name in ("fifo", "red", "fq_codel")}
    assert sum(map(len, points.values())) == 810
    for point in points["fifo"]:
        scenario = point.point.repeat(0)
        link = scenario["links"][0]
        flows = {100: 2, 500: 10, 1000: 20, 10_000: 200, 25_000: 500}[link["rate_bps"] // 10**6]
        assert len(scenario["flows"]) == flows
        assert {flow["mtu"] for flow in scenario["flows"]} == {8900}
        assert sum(link["delay_ns"] for link in scenario["links"]) == pytest.approx(62e6, rel=0.005)
        assert scenario["duration_ns"] == 200_000_000_000
        assert link["queue"] == {
            "kind": "fifo",
            "limit_bytes": int(point.axes["buffer_bdp"] * link["rate_bps"] * 0.062 / 8),
        }
        assert point.repeats == 5
        first, second = scenario["flows"][0]["algorithm"], scenario["flows"][-1]["algorithm"]
        assert (first, second) == (point.axes["algorithm_a"], point.axes["algorithm_b"])


def test_red_knows_the_rate():
    for name in ("red", "red-man-page", "quick/red", "quick/red-man-page"):
        for point in load_experiment(ELEPHANTS / f"{name}.toml").points:
            link = point.point.repeat(0)["links"][0]
            queue = link["queue"]
            assert queue["bandwidth_bps"] == link["rate_bps"]
            if name.endswith("man-page"):  # 30000, 90000, 400000 at 10 Mbit/s, tc-red(8)
                scale = link["rate_bps"] / 10e6
                assert (queue["min_bytes"], queue["max_bytes"]) == (30_000 * scale, 90_000 * scale)
                assert queue["limit_bytes"] == 400_000 * scale
                assert queue["burst_packets"] * queue["avpkt_bytes"] == pytest.approx(55 * 1000 * scale, rel=0.01)


def test_the_dataset_gives_the_papers_table():
    """If the dataset has all 30 configurations of a pair, their means equal Table 3 to the last digit."""
    with (ELEPHANTS / "published" / "dataset-cells.csv").open(newline="") as file:
        cells = defaultdict(list)
        for row in csv.DictReader(file):
            cells[row["aqm"], row["algorithm_a"], row["algorithm_b"]].append(row)
    with (ELEPHANTS / "published" / "table-03-overall-performance.csv").open(newline="") as file:
        table = {(row["aqm"], row["algorithm_a"], row["algorithm_b"]): row for row in csv.DictReader(file)}
    whole = {pair: rows for pair, rows in cells.items() if len(rows) == 30}
    assert len(whole) == 8
    for pair, rows in whole.items():
        for ours, theirs in (("link_utilisation", "avg_link_utilisation"), ("jain_index", "avg_jain_index")):
            mean = sum(float(row[ours]) for row in rows) / 30
            assert mean == pytest.approx(float(table[pair][theirs]), abs=0.00055), (pair, ours)


def test_the_quick_form_matches_its_description():
    """study.toml: the three small rates whole, the two large ones at 2 and 16 BDP."""
    for name in ("fifo", "red", "fq_codel"):
        quick = load_experiment(ELEPHANTS / "quick" / f"{name}.toml")
        large = {point.axes["buffer_bdp"] for point in quick.points if point.axes["rate_mbps"] >= 10_000}
        assert large == {2.0, 16.0}
        small = [point for point in quick.points if point.axes["rate_mbps"] < 10_000]
        whole = [
            point for point in load_experiment(ELEPHANTS / f"{name}.toml").points if point.axes["rate_mbps"] < 10_000
        ]
        assert [point.point.repeat(0) for point in small] == [point.point.repeat(0) for point in whole]


def test_fifty_shades_baseline_differs_from_the_paper_only_in_fitted_values():
    study = load(STUDIES / "fiftyshades2019")
    queue = study.file.testbeds["path"].unknowns["queue"]
    points = load_experiment(STUDIES / "fiftyshades2019" / "baseline.toml").points
    assert len(points) == 13
    for point in points:
        [flow] = point.point.repeat(0)["flows"]
        assert flow["sender"]["wmem_max_bytes"] == 4_194_304
        link = point.point.repeat(0)["links"][0]
        assert link["rate_bps"] == 100_000_000
        assert f"{link['queue']['limit_packets']}p" in queue.values
    assert queue.default == "1000p"
    assert published(study, study.file.items[0])[("cubic",)][2] == 1216.19


def test_fifty_shades_over_quic_and_tcp_differ_by_the_transport_alone():
    points = load_experiment(STUDIES / "fiftyshades2019" / "quic-four-flows.toml").points
    scenarios = {
        (point.axes["one"], point.axes["three"], point.axes["transport"]): point.point.repeat(0) for point in points
    }
    assert len(scenarios) == 2 * 4
    for one, three in (("bbr", "cubic"), ("cubic", "bbr"), ("cubic", "cubic"), ("bbr", "bbr")):
        quic, tcp = (scenarios[one, three, transport] for transport in ("quic", "tcp"))
        assert quic["links"] == tcp["links"]
        assert quic["links"][0]["rate_bps"] == 10_000_000
        for over_quic, over_tcp in zip(quic["flows"], tcp["flows"], strict=True):
            assert (over_quic["transport"], over_quic["quic"]["profile"]) == ("quic", "gquic")
            assert over_tcp.get("transport", "tcp") == "tcp"
            for setting in ("algorithm", "parameters", "start_ns", "stop_ns", "workload"):
                assert over_quic[setting] == over_tcp[setting]


def test_lins_simulated_networks_are_those_of_table_4_but_for_an_inferred_loss():
    study = load(STUDIES / "lin2019")
    with (study.folder / "published" / "table-04-simulated-link-properties.csv").open(newline="") as file:
        table = {row["scenario"].lower(): row for row in csv.DictReader(file)}
    assert set(table) == {"lan", "wan-1", "wan-2"}
    for network, row in table.items():
        for name in (f"friendliness-{network}", f"fairness-{network}"):
            scenario = load_experiment(study.folder / f"{name}.toml").points[0].point.repeat(0)
            bottleneck, *_ = scenario["links"]
            assert bottleneck["rate_bps"] == float(row["bottleneck_mbps"]) * 1e6
            loss_pct = 100 * bottleneck.get("loss", {}).get("probability", 0)
            if network == "wan-2":  # the table's is the default of what `fairlane calibrate` infers
                inferred = study.file.testbeds["simulated-wan-2"].unknowns["loss"]
                assert float(inferred.default.rstrip("%")) == float(row["loss_rate_pct"])
                assert f"{loss_pct:g}%" in inferred.values
            else:
                assert loss_pct == pytest.approx(float(row["loss_rate_pct"]))
            rtt_ms = sum(link["delay_ns"] for link in scenario["links"]) / 1e6
            assert rtt_ms == pytest.approx(float(row["rtt_ms"]), rel=0.006), "repeats differ by half a per cent"


def test_lins_experiments_are_the_papers():
    def points(name):
        return load_experiment(STUDIES / "lin2019" / f"{name}.toml").points

    assert all(point.repeats == 50 for name in ("lan", "wan-1", "wan-2") for point in points(f"download-{name}"))
    cells = {
        (point.axes["algorithm"], point.axes["rtt_ms"], point.axes["loss_pct"]) for point in points("transmission-cost")
    }
    assert len(cells) == 2 * 6 * 10
    sizes = {point.axes["queue_packets"] for point in points("queue-size")}
    assert {10, 20, 100, 1000} <= sizes
    assert all(10 <= size <= 1000 for size in sizes)
    for name in ("performance-wan-1", "queue-size"):
        for point in points(name):
            assert {flow["sender"]["pacing"] for flow in point.point.repeat(0)["flows"]} == {"none"}, "as Linux 4.9"


def test_parts_of_a_figure_are_chosen_by_their_common_prefix():
    study = load(STUDIES / "elephants2023")
    items, experiments = study.chosen("figure-3")
    assert [item.name for item in items] == ["figure-3ab", "figure-3cd"]
    assert experiments == study.chosen("figure-3ab")[1]
    assert [item.name for item in study.chosen("figure-3cd")[0]] == ["figure-3cd"]
    for name in ("figure", "figure-9"):
        with pytest.raises(StudyError, match=f"'{name}'"):
            study.chosen(name)


@pytest.mark.parametrize("name", names(STUDIES))
def test_the_readme_counts_the_claims(name):
    claims = load_claims(STUDIES / name)
    tested = sum(claim.predicate is not None for claim in claims)
    rows = (STUDIES / "README.md").read_text().splitlines()
    [row] = [row for row in rows if row.startswith(f"| `{name}` |")]
    assert row.split("|")[-3:-1] == [f" {tested} ", f" {len(claims) - tested} "]
