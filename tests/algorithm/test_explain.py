"""`fairlane algorithm explain`."""

import json

import pytest

BUILT_IN = ["reno", "cubic", "bbr"]


@pytest.mark.parametrize("name", BUILT_IN)
def test_idea_source_and_every_parameter_are_there(cli, name):
    outcome = cli("algorithm", "explain", name)
    assert (outcome.status, outcome.err) == (0, "")
    assert outcome.out.startswith(f"{name}: ")
    assert "Source:" in outcome.out
    listed = {one["name"]: one for one in json.loads(cli("algorithms", "--json").out)}
    for parameter in listed[name]["parameters"]:
        assert f"  {parameter['name']} = {parameter['default']} {parameter['unit']}\n" in outcome.out


def test_the_list_has_a_line_for_each(cli):
    names = {one["name"] for one in json.loads(cli("algorithms", "--json").out)}
    *lines, blank, hint = cli("algorithms").out.splitlines()
    assert {line.split()[0] for line in lines} == names
    assert len(lines) == len(names) == 20
    assert max(map(len, lines)) <= 80
    assert (blank, hint.split(":")[0]) == ("", "With parameters")
    everything = cli("algorithms", "--parameters").out
    assert "    probe_rtt_ms = 200 [ms]" in everything
    assert "(also newreno)" in everything


def test_another_name_explains_the_same(cli):
    assert cli("algorithm", "explain", "newreno").out.startswith("reno: ")
    assert "Also known as newreno." in cli("algorithm", "explain", "reno").out


def test_the_text_itself_is_printed(cli):
    assert 'SEC("struct_ops/ssthresh")' in cli("algorithm", "explain", "cubic", "--source").out


def test_an_unknown_name_gets_a_hint(cli):
    outcome = cli("algorithm", "explain", "cubik")
    assert outcome.status == 2
    assert "did you mean cubic?" in outcome.err
