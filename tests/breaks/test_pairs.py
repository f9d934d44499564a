"""All pairs at once have the scores that a search of each pair alone gives the same networks."""

from dataclasses import replace
from itertools import islice

import pytest
from fairlane.search.breaks.evaluate import Evaluator, threads
from fairlane.search.breaks.objectives import ObjectiveError
from fairlane.search.breaks.pairs import Pairs
from fairlane.search.breaks.worst_cases import SHOWN


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
    with threads(2) as compute:
        found = Pairs(write(), ["cubic", "vegas"], 1, compute)
        list(islice(found.batches(), 8))
        search = found.searches["vegas", "cubic"]
        first, second = search.failing[:2]
        real = Evaluator.evaluate

        def evaluate(self, every, repeats=0):
            made = real(self, every)
            shows = repeats == 0 or [one == second.genome for one in every]
            return (
                made
                if shows is True
                else [one if shown else replace(one, score=0.1) for one, shown in zip(made, shows, strict=True)]
            )

        monkeypatch.setattr(Evaluator, "evaluate", evaluate)
        found.witness(("vegas", "cubic"))
        [witness] = search.witnesses
        assert witness.experiment == found.evaluator(("vegas", "cubic"), compute).experiment(second.genome)
        assert witness.score == second.score < first.score


def test_a_kept_failure_shows_in_each_of_some_starts_of_its_simplest_form(write):
    with threads(2) as compute:
        found = Pairs(write(), ["cubic", "vegas"], 1, compute)
        list(islice(found.batches(), 3))
        found.witness(("vegas", "cubic"))
        search, evaluator = found.searches["vegas", "cubic"], found.evaluator(("vegas", "cubic"), compute)
        [witness] = search.witnesses
        assert min(witness.score, *witness.repeats[:SHOWN]) >= search.objective.fails
        every = [one.genome for one in search.failing]
        scores = [[one.score for one in evaluator.evaluate(every, repeats)] for repeats in (0, 2, SHOWN)]
    assert all(one >= two >= more for one, two, more in zip(*scores, strict=True)), "the lowest of ever more starts"


def test_a_start_without_a_score_is_below_the_lowest_score(write, monkeypatch):
    with threads(2) as compute:
        found = Pairs(write(), ["cubic", "vegas"], 1, compute)
        list(islice(found.batches(), 1))
        evaluator = found.evaluator(("vegas", "cubic"), compute)
        genome = next(iter(found.searches["vegas", "cubic"].archive.values())).genome
        scores = iter([(-3.0, {}, ""), (None, {}, "the run failed"), (-2.0, {}, "")])
        monkeypatch.setattr(evaluator, "score", lambda *_: next(scores))
        [one] = evaluator.evaluate([genome], repeats=2)
    assert (one.score, one.failure) == (None, "the run failed")


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
