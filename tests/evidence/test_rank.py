"""`fairlane rank`: scores relative to CUBIC, the Pareto front, and an algorithm placed among published ones."""

import json
import math
import re
from pathlib import Path

import pytest
from fairlane.results.metrics.metric import quotient
from fairlane.search.evidence.rank_report import picture
from fairlane.search.evidence.ranking import Ranked, UseCase, behaviour, front, load, read

from tools import published

RANKING = """
title = "Toy ranking"

[values.goodput]
value = "goodput_mbps"
title = "goodput"
better = "more"
floor = 0.01

[values.delay]
value = "packet_rtt_p95_ms"
title = "p95 RTT"
better = "less"
floor = 0.01

[[uses]]
name = "home"
title = "Home"
experiment = "toy.toml"
source = "this test"
weights = { goodput = 1.0, delay = 1.0 }
"""


@pytest.mark.usefixtures("criteria")
def test_vegas_beats_cubic_where_delay_counts_and_cubic_is_1(cli):
    Path("ranking.toml").write_text(RANKING)
    options = ["--file", "ranking.toml", "--jobs", 1]
    found = cli("rank", "cubic", "vegas", *options, "--save", "published.json", "--json")
    assert found.status == 0, found.err
    first, second = json.loads(found.out)["uses"]["home"]
    assert (first["algorithm"], second["algorithm"]) == ("vegas", "cubic")
    assert first["score"] > 1.2
    assert second["score"] == 1.0
    assert first["values"]["delay"] == pytest.approx(first["score"] ** 2 / first["values"]["goodput"])
    page = Path("results/ranking/ranking.html").read_text()
    assert "Toy ranking" in page
    assert len(page) < 2_000_000

    Path("ranking.toml").write_text(RANKING.replace("delay = 1.0", "delay = 1.0, speed = 1.0"))
    wrong = cli("rank", "cubic", *options)
    assert wrong.status == 2
    assert "unknown value 'speed'" in wrong.err


@pytest.mark.usefixtures("criteria")
def test_published_scores_are_of_the_same_networks_and_results_whatever_the_weights():
    Path("ranking.toml").write_text(RANKING)
    first = behaviour(read(Path("ranking.toml")), [])
    Path("ranking.toml").write_text(RANKING.replace("delay = 1.0", "delay = 0.1"))
    assert behaviour(read(Path("ranking.toml")), []) == first
    toy = Path("toy.toml")
    toy.write_text(toy.read_text().replace('"20ms"', '"30ms"'))
    assert behaviour(read(Path("ranking.toml")), []) != first


def test_names_in_the_pictures_hide_no_dot_and_no_other_name():
    form = read(published.RANKING / "ranking.toml")
    _, every = load(published.RANKING / "published.json")
    for use in form.uses:
        svg = picture(every, use)
        dots = [tuple(map(float, one)) for one in re.findall(r'<circle cx="([\d.]+)" cy="([\d.]+)"', svg)]
        named = re.findall(r'<text x="([\d.]+)" y="([\d.]+)">(\w+)</text>', svg)
        boxes = [(float(x), float(y) - 9, float(x) + 6 * len(name), float(y)) for x, y, name in named]
        assert len(dots) == len(every)
        assert len(boxes) >= 8
        for number, (left, top, right, bottom) in enumerate(boxes):
            assert not any(left < x < right and top < y < bottom for x, y in dots), (use.name, named[number])
            others = boxes[:number]
            assert not any(left < b[2] and b[0] < right and top < b[3] and b[1] < bottom for b in others), use.name


def test_the_front_has_those_that_no_other_beats_in_both():
    every = [
        Ranked(name, {"home": {"goodput": [math.log(goodput)] * 3, "delay": [math.log(delay)] * 3}}, {})
        for name, goodput, delay in (("fast", 2.0, 1.0), ("short", 1.0, 2.0), ("neither", 0.9, 1.0))
    ]
    assert front(every, "home") == {"fast", "short"}
    use = UseCase("home", "Home", "home.toml", "none", {"goodput": 3.0, "delay": 1.0})
    score = every[0].score(use)
    assert score is not None
    assert score.estimate == pytest.approx(2**0.75)


@pytest.mark.parametrize("name", published.PAGES)
def test_the_pages_have_the_published_tables(name):
    text = published.PAGES[name][0].read_text()
    assert published.written(name, text) == text, "run python -m tools.published"


def test_a_quotient_of_a_count_that_a_kernel_does_not_report_has_no_value():
    loss = quotient("lost_packets", "data_packets_sent", 100)
    flows = [{"lost_packets": None, "data_packets_sent": 3}, {"lost_packets": 1, "data_packets_sent": 4}]
    assert loss(flows) == [None, 25.0]
