"""A search depends only on its file."""

from itertools import islice
from pathlib import Path

import pytest
from fairlane.runs.executors import Place
from fairlane.search.tune.loading import read, with_trials
from fairlane.search.tune.search import Trial, front, search

pytest.importorskip("optuna", reason="Optuna is not installed: pip install -r requirements/test.txt")


def pretend(tuning, number, parameters, folder, jobs):
    """Two conflicting objectives."""
    beta = parameters["beta"]
    return Trial(number, dict(parameters), (float(beta), float((beta - 600) ** 2)))


def trials(path, count=12):
    return list(search(with_trials(read(Path(path)), count), Path("store"), Place(1), pretend))


@pytest.mark.parametrize("sampler", ["tpe", "nsga2", "random"])
def test_the_same_file_gives_the_same_trials(write, sampler):
    path = write(("seed = 3", f'seed = 3\nsearch = "{sampler}"'))
    first = trials(path)
    assert trials(path) == first
    assert trials(path, count=15)[:12] == first, "with more trials it goes on"
    assert first[0].parameters == {"beta": 717, "fast_convergence": 1}, "the defaults come first"
    assert trials(write(("seed = 3", f'seed = 4\nsearch = "{sampler}"'))) != first


def test_a_choice_is_evaluated_once(write):
    asked = []

    def note(tuning, number, parameters, folder, jobs):
        asked.append(tuple(parameters.values()))
        return pretend(tuning, number, parameters, folder, jobs)

    path = write(("low = 500, high = 1000", "low = 716, high = 718"))
    found = list(search(with_trials(read(Path(path)), 20), Path("store"), Place(1), note))
    assert len(found) == 20
    assert len(asked) == len(set(asked)) <= 6


def test_defaults_outside_of_the_ranges_are_tried_as_they_are(write):
    path = write(("low = 500, high = 1000", "low = 800, high = 1000, step = 7"))
    first, *others = trials(path, count=8)
    assert first.parameters["beta"] == 717
    assert all(800 <= one.parameters["beta"] <= 1000 for one in others)
    assert all((one.parameters["beta"] - 800) % 7 == 0 for one in others)


def test_a_failed_trial_does_not_end_the_search(write):
    def fail_often(tuning, number, parameters, folder, jobs):
        good = pretend(tuning, number, parameters, folder, jobs)
        return good if number % 2 else Trial(number, dict(parameters), (), "divided by zero")

    found = list(islice(search(read(Path(write())), Path("store"), Place(1), fail_often), 4))
    assert [bool(trial.values) for trial in found] == [False, True, False, True]
    assert {trial.number for trial in front(found, ["highest", "lowest"])} <= {1, 3}


def test_the_front_is_pareto_optimal():
    values = [(1.0, 1.0), (2.0, 2.0), (3.0, 3.0), (2.0, 3.0), (3.0, 3.0), (0.5, 1.0)]
    found = [Trial(number, {"a": number}, value) for number, value in enumerate(values)]
    assert [trial.number for trial in front(found, ["highest", "lowest"])] == [2, 4, 1, 0]
    assert [trial.number for trial in front(found, ["highest", "highest"])] == [2, 4]
