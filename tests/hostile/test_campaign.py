"""A short campaign: the first mutations of each subject, the same on every machine."""

import shutil
from collections import Counter

import pytest

from tests.hostile import campaign, outcomes

SHORT = {
    "experiment": 60, "tuning": 60, "truth_folder": 40, "paper_study": 40, "store": 60, "arguments": 60,
    "cluster_answer": 200, "guest_report": 100, "testbed": 200, "kernel_package": 30, "shell_arguments": 150,
    "c_algorithm": 12, "python_algorithm": 40, "packet_capture": 60, "stored_tables": 12,
    "family": 60, "witness": 30, "criteria": 15, "kept_values": 60, "use_cases": 25, "answers": 30, "graph": 30,
}  # fmt: skip


@pytest.mark.parametrize("subject", campaign.SUBJECTS, ids=lambda subject: subject.__name__)
def test_mutations_are_accepted_or_refused_in_clear_words(subject, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    if subject.__name__ == "kernel_package" and shutil.which("dpkg-deb") is None:
        pytest.skip("needs dpkg-deb")
    counts = Counter(campaign.attempt(subject, number) for number in range(SHORT[subject.__name__]))
    # Mutations that are all accepted would try nothing.
    assert counts["refused"] > 5, counts


def test_a_mutation_that_is_not_survived_is_a_finding(monkeypatch):
    monkeypatch.setattr(outcomes, "main", lambda _arguments: 1 / 0)
    with pytest.raises(campaign.Finding, match="ZeroDivisionError"):
        campaign.attempt(campaign.arguments, 1)
