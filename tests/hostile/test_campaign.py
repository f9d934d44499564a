"""A short campaign: the first mutations of each subject, the same on every machine."""

from collections import Counter

import pytest

from . import campaign

SHORT = {"experiment": 60, "tuning": 60, "truth_folder": 40, "paper_study": 40, "store": 60, "arguments": 60}


@pytest.mark.parametrize("subject", campaign.SUBJECTS, ids=lambda subject: subject.__name__)
def test_mutations_are_accepted_or_refused_in_clear_words(subject, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    counts = Counter(campaign.attempt(subject, number) for number in range(SHORT[subject.__name__]))
    # Mutations that are all accepted would try nothing.
    assert counts["refused"] > 5, counts


def test_a_mutation_that_is_not_survived_is_a_finding(monkeypatch):
    monkeypatch.setattr(campaign, "main", lambda _arguments: 1 / 0)
    with pytest.raises(campaign.Finding, match="ZeroDivisionError"):
        campaign.attempt(campaign.arguments, 1)
