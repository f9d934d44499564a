"""`fairlane algorithm check`: sound programs pass; errors name callback, flow or line."""

import json
import os
import re
from pathlib import Path

import pytest
from fairlane.algorithm.kernel import loading
from fairlane.engine import run
from fairlane.search.check import networks

TEMPLATE = Path(loading.__file__).parents[1] / "templates" / "algorithm.c"
LOAD_FREE = loading.cannot_load() is None


def broken(tmp_path, old, new):
    """The skeleton with one mistake."""
    text = TEMPLATE.read_text()
    assert text.count(old) == 1
    path = tmp_path / "broken.c"
    path.write_text(text.replace(old, new))
    line = text[: text.index(old)].count("\n") + 1
    return path, line


def checked(cli, *arguments):
    outcome = cli("algorithm", "check", *arguments, "--json")
    verdicts = {one["check"]: one for one in json.loads(outcome.out)}
    assert outcome.status == any(one["outcome"] == "fails" for one in verdicts.values())
    return outcome.status, verdicts


def test_the_report_has_a_line_per_check(cli):
    outcome = cli("algorithm", "check", "reno")
    assert outcome.status == 0
    lines = outcome.out.splitlines()
    assert re.match(r"compiles for the simulator passes    reno, 0 parameters", lines[0])
    assert any(re.match(r"fills a link alone +passes +[\d.]+ % used \(at least 70 %\)", line) for line in lines)


def test_division_by_zero_is_named_with_callback_and_flow(cli, tmp_path):
    path, _ = broken(tmp_path, "max(tp->snd_cwnd / max(increase, 1U), 1U)", "tp->snd_cwnd / (tp->snd_cwnd / 1024)")
    status, verdicts = checked(cli, path)
    assert status == 1
    detail = verdicts["fills a link alone"]["detail"]
    assert "divided by zero in callback cong_avoid (flow 0" in detail


def test_an_endless_loop_is_named_with_callback(cli, tmp_path):
    path, line = broken(
        tmp_path,
        "	if (!tcp_is_cwnd_limited(sk))\n",
        "	while (acked)\n		tp->snd_cwnd |= 1;\n	if (!tcp_is_cwnd_limited(sk))\n",
    )
    _, verdicts = checked(cli, path)
    assert "did not return (infinite loop) in callback cong_avoid (flow 0" in verdicts["fills a link alone"]["detail"]
    assert verdicts["the other networks"]["outcome"] == "not tried"
    if LOAD_FREE:
        detail = verdicts["kernel's verifier"]["detail"]
        assert re.match(rf"{path}:{line}|{path}:{line + 1}", detail)
        assert "bounded" in detail


def test_a_window_of_zero_is_named_with_callback(cli, tmp_path):
    path, _ = broken(tmp_path, "	ca->rtt_us = sample->rtt_us;\n", "	tcp_sk(sk)->snd_cwnd = 0;\n")
    _, verdicts = checked(cli, path)
    assert "set cwnd to 0 in callback pkts_acked" in verdicts["fills a link alone"]["detail"]


def test_a_window_that_never_grows_fails_the_figure(cli, tmp_path):
    path, _ = broken(tmp_path, "	if (tcp_in_slow_start(tp)) {\n", "	return;\n	if (tcp_in_slow_start(tp)) {\n")
    _, verdicts = checked(cli, path)
    assert verdicts["fills a link alone"]["outcome"] == "fails"
    assert re.search(r"[\d.]+ % used \(at least 70 %\)", verdicts["fills a link alone"]["detail"])


def test_floating_point_has_line_and_remedy(cli, tmp_path):
    path, line = broken(tmp_path, "cwnd * share / ONE), 2U);", "cwnd * 0.7), 2U);")
    status, verdicts = checked(cli, path)
    assert status == 1
    detail = verdicts["compiles for the simulator"]["detail"]
    assert "fixed point" in detail
    assert verdicts["everything else"]["outcome"] == "not tried"
    if os.uname().machine == "x86_64":
        assert detail.startswith(f"{path}:{line}: ")


def test_a_certain_endless_loop_needs_no_verifier(cli, tmp_path):
    path, line = broken(
        tmp_path,
        "	if (sample->rtt_us <= 0)\n",
        "	for (;;)\n		ca->rtt_us++;\n	if (sample->rtt_us <= 0)\n",
    )
    _, verdicts = checked(cli, path)
    assert verdicts["compiles for the simulator"]["detail"].startswith(f"{path}:{line}: an unbounded loop")
    assert verdicts["everything else"]["outcome"] == "not tried"


@pytest.mark.skipif(not LOAD_FREE, reason=f"no compiler for the kernel: {loading.cannot_load()}")
@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("(__u64)cwnd * share / ONE", "(int)cwnd / (int)ca->rtt_us", "signed division"),
        (
            "__u32 cwnd = tcp_sk(sk)->snd_cwnd,",
            "volatile char room[600] = {}; __u32 cwnd = tcp_sk(sk)->snd_cwnd + room[1],",
            "512 bytes",
        ),
        (
            "(__u64)cwnd * share / ONE",
            "((unsigned __int128)cwnd * tcp_sk(sk)->bytes_acked * tcp_sk(sk)->bytes_sent >> 70)",
            "128-bit",
        ),
    ],
)
def test_errors_of_the_kernels_compiler_have_line_and_remedy(cli, tmp_path, old, new, reason):
    path, line = broken(tmp_path, old, new)
    _, verdicts = checked(cli, path)
    if reason == "signed division" and verdicts["compiles for the kernel"]["outcome"] == "passes":
        pytest.skip("this clang compiles signed division")
    detail = verdicts["compiles for the kernel"]["detail"]
    assert re.match(rf"{path}(:\d+)?: the kernel cannot run this: ", detail)
    assert reason in detail
    places = re.findall(rf"^{path}:(\d+):", detail)
    assert all(line - 8 <= int(place) <= line for place in places), "the line, or that of its function"
    assert verdicts["fills a link alone"]["outcome"] == "passes"


def test_the_outage_makes_timeouts():
    [outage] = [network for network in networks("reno", {}) if network.name == "survives timeouts"]
    scenario = {**outage.scenario, "warm_up_ns": 0}
    assert run(scenario)["flows"][0]["timeouts"] >= 2


def test_a_bad_parameter_is_named(cli):
    for settings, message in (
        (["--set", "betta=1"], "did you mean beta?"),
        (["--set", "beta=0.7"], "not an integer"),
        (["--set", "beta"], "name=value"),
    ):
        outcome = cli("algorithm", "check", "cubic", *settings)
        assert outcome.status == 2
        assert message in outcome.err
