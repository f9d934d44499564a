"""`fairlane advise` as a policy: choices, scores from stored runs, regret."""

from pathlib import Path

import fairlane
import pytest
from fairlane.search.advise.answer import Candidate
from fairlane.study.paper.definition import load

from tools.advice_policy import NETWORKS, Network, Outcome, as_markdown, best_fixed, choose, mean_regret, measured


def candidate(algorithm, queue, goodput, power):
    return Candidate(algorithm, queue, (goodput, goodput), (1.0, 1.0), (), (power, power))


def test_a_host_takes_the_best_algorithm_before_a_fifo():
    candidates = [
        candidate("vegas", "codel", 100, 9),  # not the host's to choose
        candidate("bbr:pacing_margin=0", "fifo 1bdp", 95, 5),
        candidate("cubic", "fifo 1bdp", 80, 2),
        candidate("reno", "fifo 1bdp", 70, 6),
    ]
    assert choose(candidates, "throughput") == "bbr"
    assert choose(candidates, "balance") == "reno"


def test_an_unknown_buffer_counts_with_all_its_sizes():
    candidates = [
        candidate("bbr", "fifo 0.5bdp", 90, 5),
        candidate("bbr", "fifo 4bdp", 90, 5),
        candidate("cubic", "fifo 0.5bdp", 60, 5),
        candidate("cubic", "fifo 4bdp", 95, 5),
    ]
    assert choose(candidates, "throughput") == "bbr"


@pytest.mark.parametrize(("goodput", "chosen"), [(81.5, "cubic"), (82.0, "bbr")])
def test_cubic_stays_for_differences_that_do_not_matter(goodput, chosen):
    candidates = [candidate("bbr", "fifo 1bdp", goodput, 1), candidate("cubic", "fifo 1bdp", 80, 1)]
    assert choose(candidates, "throughput") == chosen


def test_regret_is_the_share_of_the_best_score_that_a_choice_loses():
    outcomes = [
        Outcome("one", {"cubic": 50.0, "bbr": 100.0, "reno": 90.0}, "bbr"),
        Outcome("two", {"cubic": 80.0, "bbr": 40.0, "reno": 72.0, "vegas": 60.0}, "vegas"),
    ]
    assert [one.regret(one.choice) for one in outcomes] == [0, 0.25]
    assert mean_regret(outcomes) == 0.125
    assert mean_regret(outcomes, "cubic") == 0.25
    assert mean_regret(outcomes, "vegas") == 0.25, "only where it ran"
    assert best_fixed(outcomes) == "reno", "vegas did not run everywhere"
    page = as_markdown(
        {"throughput": [*outcomes, Outcome("exact", {"cubic": 1.0, "reno": 1.0}, "cubic", is_exact=True)]}
    )
    assert "| two | cubic | vegas | 25% | 0% |" in page
    assert "Mean regret: 8.3% with advice (at most 25%), 16.7% always with CUBIC, 6.7% always with reno" in page
    assert "alone: 12.5% with advice (at most 25%), 25.0% always with CUBIC, 10.0% always with reno" in page


def test_scores_are_means_of_the_stored_runs(tmp_path):
    fairlane.run(
        {
            "title": "one flow",
            "duration": "2s",
            "repeats": 2,
            "network": {"rate": "10mbit", "rtt": "20ms", "buffer": "1bdp"},
            "flows": [{"name": "flow", "algorithm": "cubic"}],
            "sweep": {
                "flows.flow.algorithm": {
                    "name": "algorithm",
                    "labels": ["cubic", "vegas", "bbr"],
                    "values": ["cubic", "vegas", "bbr:pacing_margin=0"],
                },
                "network.rate": {"name": "rate", "values": ["10mbit", "20mbit"]},
            },
        },
        tmp_path,
        jobs=1,
        progress=False,
    )
    network = Network("line", fairlane.open(tmp_path).experiments[0], {}, {"rate": "10mbit"}, ("cubic", "vegas"))
    scores = measured(tmp_path, network, quick=False)
    assert set(scores["throughput"]) == {"cubic", "vegas"}, "only the network's algorithms"
    rows = fairlane.open(tmp_path).table(["goodput_mbps", "p95_rtt_ms"], algorithm="cubic", rate="10mbit").to_dicts()
    assert len(rows) == 2
    assert scores["throughput"]["cubic"] == pytest.approx(sum(row["goodput_mbps"] for row in rows) / 2)
    assert scores["balance"]["cubic"] == pytest.approx(sum(row["goodput_mbps"] / row["p95_rtt_ms"] for row in rows) / 2)


def test_networks_name_experiments_of_the_study():
    study = load(Path(__file__).parents[2] / "studies" / "lin2019")
    assert {one.experiment for one in NETWORKS} <= set(study.file.experiments)
