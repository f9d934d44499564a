"""`fairlane algorithm new`: its template runs unchanged."""

import json

import pytest
from fairlane.algorithm.kernel import loading


def test_the_template_passes_every_check(cli, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    written = cli("algorithm", "new", "my_cc2")
    assert (written.status, written.err) == (0, "")
    text = (tmp_path / "my_cc2.c").read_text()
    assert "mine" not in text
    assert '.name       = "my_cc2"' in text

    checked = cli("algorithm", "check", "./my_cc2.c", "--json")
    verdicts = json.loads(checked.out)
    assert [one for one in verdicts if one["outcome"] == "fails"] == []
    assert checked.status == 0
    if loading.cannot_load() is None:
        assert {one["outcome"] for one in verdicts} == {"passes"}

    explained = cli("algorithm", "explain", "my_cc2.c").out
    assert explained.startswith("my_cc2: ")
    assert "  gentle_decrease = 819 1/1024\n" in explained
    assert cli("duel", "./my_cc2.c:increase=2", "--rate", "10mbit", "--time", "2s").status == 0


def test_no_file_is_overwritten(cli, tmp_path):
    (tmp_path / "mine.c").write_text("precious")
    refused = cli("algorithm", "new", "mine", "--dir", tmp_path)
    assert refused.status == 1
    assert "already exists" in refused.err
    assert (tmp_path / "mine.c").read_text() == "precious"


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("cubic", "is a bundled algorithm"),
        ("newreno", "is a bundled algorithm"),
        ("2fast", "cannot name a C program"),
        ("../mine", "cannot name a C program"),
        ("while", "cannot name a C program"),
        ("Mine", "cannot name a C program"),
        ("a_very_long_name_indeed", "too long"),
    ],
)
def test_a_name_must_do_everywhere(cli, tmp_path, name, reason):
    refused = cli("algorithm", "new", name, "--dir", tmp_path)
    assert refused.status == 2
    assert reason in refused.err
    assert refused.err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []
