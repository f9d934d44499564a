"""All pairs at once have the scores that a search of each pair alone gives the same networks."""

from itertools import islice

import pytest
from fairlane.search.breaks.evaluate import threads
from fairlane.search.breaks.objectives import ObjectiveError
from fairlane.search.breaks.pairs import Pairs
from fairlane.search.breaks.witness import EvaluatorOf


def searched(path, batches=5, jobs=2):
    with threads(jobs) as compute:
        found = Pairs(path, ["bbr", "cubic", "vegas"], 1, compute)
        assert list(islice(found.batches(), batches))[-1] == 32 * batches
        yield found
        yield {pair: {cell: one.score for cell, one in each.archive.items()} for pair, each in found.searches.items()}


def test_a_network_has_the_score_that_its_pair_alone_gives_it(write):
    found, scores = searched(write())
    assert len(scores) == 6
    for pair, search in found.searches.items():
        assert search.archive
        every = list(search.archive.values())
        with threads(2) as compute:
            alone = found.evaluator(pair, compute).evaluate([one.genome for one in every])
        assert alone == every


def test_the_number_of_processes_changes_nothing(write):
    path = write()
    assert list(searched(path, jobs=1))[1] == list(searched(path, jobs=3))[1]


def test_each_pair_keeps_its_worst_failure_in_its_simplest_form(write):
    with threads(2) as compute:
        found = Pairs(write(), ["cubic", "vegas"], 1, compute)
        list(islice(found.batches(), 4))
        found.witness(("vegas", "cubic"))
    search = found.searches["vegas", "cubic"]
    [witness] = search.witnesses
    assert (witness.algorithm, witness.reference) == ("vegas", "cubic")
    assert witness.score >= 0.5
    assert witness.keys <= 8


def test_a_failure_that_other_starts_show_comes_before_a_worse_one_of_chance(write, monkeypatch):
    scores = []

    def repeats(self, compute):
        scores.append(self.witness.score)
        return [self.witness.score, *[0.9 if len(scores) == 2 else 0.0] * 19]

    monkeypatch.setattr(EvaluatorOf, "repeats", repeats)
    with threads(2) as compute:
        found = Pairs(write(), ["cubic", "vegas"], 1, compute)
        list(islice(found.batches(), 8))
        found.witness(("vegas", "cubic"))
    [witness] = found.searches["vegas", "cubic"].witnesses
    assert witness.is_steady
    assert len(scores) == 2, "no more are reduced than it takes"
    assert witness.score == scores[1]
    assert witness.score < scores[0]


def test_a_search_of_one_pair_goes_on_from_what_all_pairs_found(write):
    with threads(2) as compute:
        found = Pairs(write(), ["cubic", "vegas"], 1, compute)
        list(islice(found.batches(), 3))
        search, other = found.searches["vegas", "cubic"], found.searches["cubic", "vegas"]
        before, others = search.worst, dict(other.archive)
        found.refine(("vegas", "cubic"), 2)
        assert search.worst > before
        assert search.evaluations == 5 * 32
        assert other.archive == others
        every = list(search.archive.values())
        assert found.evaluator(("vegas", "cubic"), compute).evaluate([one.genome for one in every]) == every
        found.refine(("vegas", "cubic"), 2, wide=True)
        assert search.evaluations == 7 * 32
        found.share()
        assert other.evaluations > 3 * 32, "the worst networks of Vegas are tried for CUBIC, too"
        assert search.worst == max(one.score for one in search.archive.values())
        shared = other.evaluations
        found.share()
        assert other.evaluations == shared, "no network is tried twice"


@pytest.mark.parametrize("family", ["sharing", "starvation"])
def test_families_with_other_runs_are_refused(family):
    with pytest.raises(ObjectiveError, match=r"has flows of other algorithms|does not compare two runs"):
        Pairs(family, ["bbr", "cubic"], 1, lambda _: [])
