"""`fairlane break`: from an algorithm to networks in which it fails, and back."""

import json
from pathlib import Path

import pytest


def test_a_planted_fault_is_found_and_reduced_to_the_keys_that_matter(cli, write):
    """The algorithm stalls when the RTT doubles within 2 s."""
    found = cli("break", "./stalls.c", "--family", write(), "--evaluations", 64, "--most", 1, "--json")
    assert (found.status, found.err) == (0, "")
    [search] = json.loads(found.out)["searches"]
    [witness] = search["witnesses"]
    assert witness["score"] > 0.7
    assert witness["fails"] == {**witness["fails"], "runs": 20, "of": 20}
    network = witness["experiment"]["network"]
    assert witness["keys"] == 2
    assert {"at", "delay"} == set(network["changes"][0])
    assert float(network["changes"][0]["delay"].removesuffix("ms")) > 20, "10 ms before"

    kept = Path("results/break/stalls/witnesses")
    [file] = kept.iterdir()
    assert 'algorithm = "../../../../stalls.c"\n' in file.read_text()
    assert cli("break", "--replay", kept).status == 0
    assert cli("run", file).status == 0, "a witness is an experiment file"

    mended = Path("stalls.c").read_text().replace("ca->stalled = 1;", "")
    Path("stalls.c").write_text(mended)
    better = cli("break", "--replay", kept)
    assert better.status == 0
    assert f"{witness['score']:.3f} when it was found" in better.out
    file.write_text(file.read_text().replace(f'"score": {witness["score"]:.4f}'.rstrip("0"), '"score": -0.5'))
    worse = cli("break", "--replay", kept)
    assert (worse.status, worse.out[:5]) == (1, "worse")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (('high = "20mbit"', 'high = "2mbit"'), "genes[0]: network.rate is empty: low 5mbit is not below high 2mbit"),
        (('high = "20mbit"', 'high = "2gbit"'), "network.rate has values in gbit and mbit; write them all in the same"),
        (
            ('key = "network.rate"', 'key = "network.rat"'),
            "experiment.network.rat: unknown key; did you mean rate or rtt?",
        ),
        (('keys = ["network.rate"]', 'keys = ["network.loss"]'), "map[0].keys: unknown gene 'network.loss'"),
        (('"TARGET"', '"cubic"'), 'experiment.flows: no flow has algorithm = "TARGET"; give it to one'),
        (('high = "100ms"', 'high = "100 parsec"'), "delay has values in ms and parsec"),
        (('key = "at"', 'key = "when"'), 'has no entry of each with key = "at"'),
        (('high = "20mbit"', 'high = "1e400mbit"'), "network.rate has a number that is too large"),
        (('keys = ["network.rate"]', 'keys = ["network.rate"]\nfactors = [1, 2]'), "factors: has 2 for 1 keys"),
        (("flows = [", 'flows = ["cubic", '), "experiment.flows: must be tables"),
        (("most = 3", "mots = 3"), "schedules[0].mots: unknown key; did you mean most?"),
    ],
)
def test_a_wrong_family_gets_one_line(cli, write, change, message):
    found = cli("break", "reno", "--family", write(change), "--evaluations", 1)
    assert found.status == 2
    assert message in found.err
    assert "delays.toml" in found.err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--objective", "goodputt"], "unknown objective 'goodputt'; did you mean goodput?"),
        (["--objective", "1 - goodput_mbps / referenc.goodput_mbps"], "before a metric stand reference., alone. and"),
        (["--objective", "open('x')"], "is not supported; use metrics, numbers"),
        (["--objective", "harm"], "is about other flows, and family delays has none; take another family"),
        (["--family", "pathh"], "unknown family 'pathh'; did you mean path?"),
        (["--against", "reno"], "--against: reno is not worse than itself anywhere; name another algorithm"),
        (["--against", "cubicc"], "--against: unknown algorithm 'cubicc'; did you mean cubic"),
    ],
)
def test_a_wrong_request_gets_one_line(cli, write, options, message):
    family = [] if "--family" in options else ["--family", write()]
    found = cli("break", "reno", *family, "--evaluations", 1, *options)
    assert found.status == 2
    assert message in found.err
    assert len(found.err.splitlines()) == 1


def test_how_flows_share_needs_two_of_them(cli, write):
    family = ["--family", write(("5p", "1bdp"))]
    found = cli("break", "vegas", "bbr", *family, "--objective", "starvation", "--evaluations", 32, "--json")
    assert found.status == 0, found.err
    searches = json.loads(found.out)["searches"]
    assert [one["algorithm"] for one in searches] == ["vegas", "bbr"]
    for one in searches:
        assert all(cell["score"] is not None for cell in one["map"]["cells"])
        assert all(witness["experiment"]["flows"][0]["count"] == 2 for witness in one["witnesses"])
    assert sum(len(one["map"]["cells"]) for one in searches) > 10


def test_cubic_is_compared_with_another_algorithm(cli, write):
    [search] = json.loads(cli("break", "cubic", "--family", write(), "--evaluations", 32, "--json").out)["searches"]
    assert search["against"] == "bbr3"
    assert max(cell["score"] for cell in search["map"]["cells"]) > 0


def test_sentences_name_jitter_applications_and_others(cli):
    """Settings outside of rate, RTT and buffer, too: in these families they make the failure."""
    for family, said in (("jitter", "has slot "), ("cross", "Beside it: UDP with rate "), ("sharing", "Beside it: ")):
        options = ["--family", family, "--evaluations", 64, "--most", 1, "--json"]
        [search] = json.loads(cli("break", "copa" if family == "jitter" else "bbr", *options).out)["searches"]
        assert all(any(said in text for text in one["sentences"]) for one in search["witnesses"]), family
        assert search["witnesses"] or family == "cross"
