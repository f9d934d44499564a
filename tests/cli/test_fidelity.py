"""`fairlane fidelity` on a truth folder of three scenarios."""

import csv
import json

import pytest

SCENARIOS = [
    {
        "name": "pair-20m-40ms-2bdp-reno-vs-cubic",
        "rate_mbit": 20,
        "rtt_ms": 40,
        "queue": {"kind": "bfifo", "bytes": 200000},
        "flows": [{"cc": "reno"}, {"cc": "cubic", "start_s": 0.15}],
        "duration_s": 4,
    },
    {
        "name": "single-nothing",
        "rate_mbit": 20,
        "rtt_ms": 40,
        "queue": {"kind": "pfifo", "packets": 100},
        "flows": [{"cc": "nothing"}],
        "duration_s": 4,
    },
    {
        "name": "aqm-unknown",
        "rate_mbit": 20,
        "rtt_ms": 40,
        "queue": {"kind": "unknown", "args": ""},
        "flows": [{"cc": "reno"}],
        "duration_s": 4,
    },
]
LINUX = """scenario,flow,algorithm,goodput_mbps,mean_rtt_ms,max_rtt_ms,retransmits
pair-20m-40ms-2bdp-reno-vs-cubic,0,reno,9.0,80.0,120.0,10
pair-20m-40ms-2bdp-reno-vs-cubic,1,cubic,9.0,80.0,120.0,10
"""


@pytest.fixture
def truth(tmp_path):
    folder = tmp_path / "truth"
    folder.mkdir()
    (folder / "scenarios.json").write_text(json.dumps(SCENARIOS))
    (folder / "linux.csv").write_text(LINUX)
    return folder


def test_writes_linux_columns_and_names_omitted_scenarios(cli, truth, tmp_path):
    out = tmp_path / "ours.csv"
    outcome = cli("fidelity", "--truth", truth, "--out", out)
    assert outcome.status == 0
    with out.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == LINUX.splitlines()[0].split(",")
    assert [(row["scenario"], row["flow"], row["algorithm"]) for row in rows] == [
        ("pair-20m-40ms-2bdp-reno-vs-cubic", "0", "reno"),
        ("pair-20m-40ms-2bdp-reno-vs-cubic", "1", "cubic"),
    ]
    assert 15 < sum(float(row["goodput_mbps"]) for row in rows) < 20
    assert "single-nothing" in outcome.err
    assert "aqm-unknown" in outcome.err
    assert "median" in outcome.out


def test_only_some_scenarios_and_where_they_run(cli, truth, tmp_path):
    out = tmp_path / "some.csv"
    one = json.loads((truth / "scenarios.json").read_text())[0]["name"]
    assert cli("fidelity", "--truth", truth, "--only", one, "--out", out).status == 0
    assert {line.partition(",")[0] for line in out.read_text().splitlines()[1:]} == {one}
    assert "'none'" in cli("fidelity", "--truth", truth, "--only", "none", "--out", out).err
    assert "'nowhere'" in cli("fidelity", "--truth", truth, "--on", "nowhere", "--out", out).err
    report = tmp_path / "page.md"
    refused = cli("fidelity", "--truth", truth, "--on", "namespaces", "--out", out, "--report", report)
    assert "--on" in refused.err


def test_the_number_of_jobs_does_not_change_the_file(cli, truth, tmp_path):
    files = [tmp_path / "one.csv", tmp_path / "three.csv"]
    for file, jobs in zip(files, (1, 3), strict=True):
        assert cli("fidelity", "--truth", truth, "--out", file, "--jobs", jobs).status == 0
    assert files[0].read_bytes() == files[1].read_bytes()


@pytest.mark.parametrize("text", ["{", '{"a": 1}'])
def test_a_broken_truth_folder_is_refused(cli, tmp_path, text):
    (tmp_path / "scenarios.json").write_text(text)
    outcome = cli("fidelity", "--truth", tmp_path, "--out", tmp_path / "x.csv")
    assert outcome.status == 2
    assert outcome.err.count("\n") == 1
    assert "--truth" in outcome.err
