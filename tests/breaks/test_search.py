"""A search depends only on family, objective, algorithms, seed and number of evaluations."""

import os
from contextlib import suppress
from itertools import islice
from pathlib import Path
from random import Random

import pytest
from fairlane.scenario.diagnostics import ExperimentError
from fairlane.search.breaks import families, genome, objectives, worst_cases
from fairlane.search.breaks.evaluate import Evaluation, Evaluator, threads
from fairlane.search.breaks.objectives import objective
from fairlane.search.breaks.search import search
from fairlane.search.breaks.shrink import shrink
from fairlane.search.breaks.worst_cases import Question, opened, run


def searched(path, folder, jobs=2, **more):
    question = Question("bbr", "cubic", [path], **{"evaluations": 64, "most": 2, **more})
    found = opened(question)
    with threads(jobs) as compute:
        run(question, found, compute, Path(folder))
    return found[0]


def test_the_number_of_processes_and_interruptions_change_nothing(write):
    path = write()
    first = searched(path, "one", jobs=1)
    assert first.computed == 64
    expected = first.as_json()
    assert searched(path, "two", jobs=3).as_json() == expected
    again = searched(path, "one")
    assert (again.computed, again.as_json()) == (0, expected)
    store = next(Path("one").glob("evaluations/*.jsonl"))
    store.write_text(store.read_text()[:-20])  # killed while it wrote
    resumed = searched(path, "one")
    assert (resumed.computed, resumed.as_json()) == (32, expected)
    assert searched(path, "one", seed=2).as_json() != expected


def test_what_changes_scores_is_computed_anew(write):
    searched(write(), "kept", evaluations=32)
    assert searched(write(("20ms", "30ms")), "kept", evaluations=32).computed == 32


def test_every_genome_is_within_the_ranges_and_can_be_run(write):
    family = families.find(write(), "reno")
    batches = search(family, 1, lambda every: [Evaluation(one, 0.5, (number, 0)) for number, one in enumerate(every)])
    for found, _ in islice(batches, 8):
        for one in found:
            family.variants.point(family.variants.with_values(genome.values(family, one.genome)))
            assert 5 <= one.genome["network.rate"] <= 20
            assert all(0.1 <= entry["at"] <= 2 for entry in one.genome["network.changes"])


def test_a_shrunk_network_still_fails_and_has_fewer_keys(write):
    family = families.find(write(), "bbr")
    with threads(1) as compute:
        evaluator = Evaluator(family, objective("goodput"), "cubic", compute)
        every = next(search(family, 3, evaluator.evaluate))[0]
        for fails in (0.05, 0.1, 0.2):
            for found in [one for one in every if one.score is not None and one.score >= fails][:4]:
                simple = shrink(family, found, fails, evaluator.evaluate)
                assert simple.score >= fails
                assert simple.score >= 0.85 * found.score
                assert evaluator.evaluate([simple.genome])[0].score == simple.score, "the score is of this network"
                assert genome.keys(family, simple.genome) <= genome.keys(family, found.genome)


def test_a_network_that_passes_is_not_shrunk(write):
    family = families.find(write(), "bbr")
    with pytest.raises(AssertionError):
        shrink(family, Evaluation(genome.draw(family, Random(1)), 0.1, (0, 0)), 0.5, lambda _: [])


@pytest.mark.parametrize("name", objectives.shipped())
def test_every_objective_has_a_score_in_a_network_that_it_fits(name):
    one = objective(name)
    family = families.find("sharing", "reno")
    with threads(1) as compute:
        evaluator = Evaluator(family, one, "cubic", compute)
        plain = {gene.key: genome.genome_value(family, gene) for gene in family.file.genes}
        [found] = evaluator.evaluate([{**plain, "flows.0.count": 2.0}])
    assert found.failure == ""
    assert 0 <= found.score < 1


@pytest.mark.parametrize("name", families.shipped())
def test_every_family_can_be_drawn_from(name):
    family = families.find(name, "reno", realistic=True)
    random, possible = Random(name), 0
    for _ in range(20):
        made = genome.draw(family, random)
        assert genome.unusual(family, made) == []
        assert list(genome.simpler(family, made))
        with suppress(ExperimentError):  # such as RED in a buffer that is too small for it
            family.variants.point(family.variants.with_values(genome.values(family, made)))
            possible += 1
    assert possible >= 15


@pytest.mark.parametrize(
    "line",
    [
        "",
        "[",
        "[" * 50_000,
        "1",
        "[1]",
        '[["x", {}, ""]]',
        "[[NaN, {}, null]]",
        "[[0.1, [], 1]]",
        '[[1, {"a": "b"}, ""]]',
        f'[[1{"0" * 400}, {{}}, ""]]',
        '[[0.1, {}, ""], [0.1, {}, ""]]',
    ],
)
def test_scores_of_others_are_read_up_to_a_line_of_another_form(tmp_path, monkeypatch, line):
    monkeypatch.setattr(worst_cases, "BATCH", 1)
    path = tmp_path / "scores"
    path.write_text(f'{{"search": "mine"}}\n[[0.5, {{"goodput_mbps": 1.0}}, ""]]\n{line}\n')
    with worst_cases._Store(path, "mine") as kept:
        assert kept._kept == [[[0.5, {"goodput_mbps": 1.0}, ""]]]


def test_a_pipe_in_place_of_scores_is_named(tmp_path):
    os.mkfifo(tmp_path / "scores")
    with pytest.raises(OSError, match="it is not a regular file"), worst_cases._Store(tmp_path / "scores", "mine"):
        pass


def test_an_objective_may_be_about_a_state_of_the_program():
    family = families.find("path", "bbr")
    plain = {gene.key: genome.genome_value(family, gene) for gene in family.file.genes}
    plain |= {"network.changes": [], "network.changes repeated": False}
    with threads(1) as compute:
        found = [
            Evaluator(family, objective(f"share(state.mode, {mode})"), "cubic", compute).evaluate([plain])[0].score
            for mode in range(4)
        ]
        again = objective("last(state.min_rtt_us) / least(state.min_rtt_us) - 1")  # a member twice is watched once
        assert Evaluator(family, again, "cubic", compute).evaluate([plain])[0].score == pytest.approx(0, abs=0.1)
    assert sum(found) == pytest.approx(1)
    assert found[2] > 0.9, "PROBE_BW"
