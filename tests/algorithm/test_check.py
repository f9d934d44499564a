"""`fairlane algorithm check`: sound programs pass; errors name callback, flow or line."""

import json
import os
import re
from pathlib import Path

import pytest
from fairlane.algorithm import c_text
from fairlane.algorithm.c_text import unprintable
from fairlane.algorithm.kernel import loading
from fairlane.api.results import Results
from fairlane.engine import run
from fairlane.search.check_networks import networks

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


@pytest.fixture
def two_networks(monkeypatch):
    """The first two only: programs whose faults show in any."""
    monkeypatch.setattr("fairlane.search.check.networks", lambda *asked: networks(*asked)[:2])


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


def test_division_by_zero_has_the_kernels_result_and_a_warning(cli, tmp_path):
    path, _ = broken(tmp_path, "max(tp->snd_cwnd / max(increase, 1U), 1U)", "tp->snd_cwnd / (tp->snd_cwnd / 1024)")
    _, verdicts = checked(cli, path)
    detail = verdicts["fills a link alone"]["detail"]
    assert "warning: " in detail
    assert "divided by zero in callback cong_avoid; as in the kernel, the quotient is 0" in detail
    outcome = cli("duel", path, "--time", "2s")
    assert outcome.status == 0
    assert outcome.err.startswith("warning: algorithm ")
    file = tmp_path / "x.toml"
    file.write_text(
        'duration = "2s"\nnetwork = { rate = "10mbit", rtt = "20ms", buffer = "1bdp" }\n'
        f'flows = [{{ algorithm = "{path}" }}]\n'
    )
    ran = cli("run", file, "--results", tmp_path / "results")
    assert ran.status == 0
    assert "warning: algorithm " in ran.out


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


def test_a_window_that_wraps_around_is_named_with_its_line(cli, tmp_path, two_networks):
    path, line = broken(
        tmp_path,
        "	ca->rtt_us = sample->rtt_us;\n",
        "	tcp_sk(sk)->snd_cwnd -= 1000;\n	ca->rtt_us = sample->rtt_us;\n",
    )
    status, verdicts = checked(cli, path)
    detail = verdicts["fills a link alone"]["detail"]
    assert status == 1
    assert detail.startswith(f"{path}:{line}: algorithm {path} set cwnd to 42949663")
    assert re.search(r"which is -9\d\d as a signed number, in callback pkts_acked \(flow 0, at ", detail)


@pytest.mark.parametrize(
    ("statement", "named", "number"),
    [
        ("tcp_sk(sk)->snd_ssthresh = tcp_sk(sk)->snd_cwnd - 10000;", "ssthresh", 2**32),
        ("sk->sk_pacing_rate -= 1ULL << 60;", "the pacing rate", 2**64),
    ],
)
def test_other_values_that_wrap_around_are_named_too(cli, tmp_path, two_networks, statement, named, number):
    old = "	ca->rtt_us = sample->rtt_us;\n"
    path, line = broken(tmp_path, old, f"	{statement}\n{old}")
    _, verdicts = checked(cli, path)
    detail = verdicts["fills a link alone"]["detail"]
    [value] = re.findall(rf"^{path}:{line}: algorithm {path} set {named} to (\d+), which is -\d+ as a signed", detail)
    assert number / 2 < int(value) < number


def test_an_answer_that_wraps_around_is_named_with_its_line(cli, tmp_path, two_networks):
    path, line = broken(
        tmp_path, "	return max((__u32)((__u64)cwnd * share / ONE), 2U);", "	return cwnd - share * 1000;"
    )
    _, verdicts = checked(cli, path)
    detail = verdicts["fills a link alone"]["detail"]
    assert detail.startswith(f"{path}:{line}: algorithm {path} returned 4294")
    assert " as a signed number, in callback ssthresh (flow 0, at " in detail


@pytest.mark.skipif(not LOAD_FREE, reason=f"no compiler for the kernel: {loading.cannot_load()}")
@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        (
            "	ca->rtt_us = sample->rtt_us;\n",
            "	int x; if (acked_much) x = 3; ca->rtt_us = x;\n",
            "warning: variable 'x' is used",
        ),
        ("gentle_decrease = 819;", "gentle_decrease = 870.5;", "changes value from 870.5 to 870"),
        (
            "	ca->rtt_us = sample->rtt_us;\n",
            '	ca->rtt_us = sample->rtt_us; bpf_printk("%5u: %.1f ms", 1, ca->rtt_us);\n',
            "bpf_printk does not print '%.1f'; the kernel has no floating point",
        ),
    ],
)
def test_a_warning_fails_with_its_line(cli, tmp_path, two_networks, old, new, reason):
    path, line = broken(tmp_path, old, new.replace("acked_much", "sample->in_flight > 100000"))
    status, verdicts = checked(cli, path)
    assert status == 1
    detail = verdicts["compiles for the kernel"]["detail"]
    assert detail.startswith(f"{path}:{line}: ")
    assert reason in detail
    assert verdicts["fills a link alone"]["outcome"] == "passes"


def test_a_warning_of_the_native_compiler_fails_but_not_one_about_an_unused_name(cli, tmp_path, two_networks):
    old = "	ca->rtt_us = sample->rtt_us;\n"
    path, line = broken(tmp_path, old, f"	int x; ca->rtt_us = x;\n{old}	ca->rtt_us += x;\n")
    _, verdicts = checked(cli, path)
    simulator = verdicts["compiles for the simulator"]
    assert simulator["outcome"] == "fails"
    assert re.match(rf"{path}:({line}|{line + 2}): warning: .x. (is|may be) used uninitialized", simulator["detail"])
    assert verdicts["fills a link alone"]["outcome"] != "not tried"
    path, _ = broken(tmp_path, old, f"	int unused;\n{old}")
    assert checked(cli, path)[0] == 0


def test_formats_that_the_kernel_does_not_print():
    text = 'f("%f");\nbpf_printk("%u%% %5d %05x %llu %p %c %s");\nbpf_trace_printk("%-5d"\n  " %lf %hd", 3);\n'
    found = unprintable(text, Path("a.c"))
    assert [line.split(";")[0] for line in found] == [
        "a.c:3: bpf_printk does not print '%-5d'",
        "a.c:4: bpf_printk does not print '%lf'",
        "a.c:4: bpf_printk does not print '%hd'",
    ]
    assert not unprintable(TEMPLATE.read_text(), TEMPLATE)


def test_lines_that_may_have_caused_a_fault(tmp_path):
    path = tmp_path / "a.c"
    path.write_text(
        "static void help(struct tcp_sock *tp) { tp->snd_cwnd++; }\n"
        "void BPF_PROG(a_cong, struct sock *sk)\n{\n	/* tp->snd_cwnd = 0; */\n	if (tp->snd_cwnd == 4)\n"
        "		tp->snd_cwnd = x / 2;\n	tp->snd_cwnd -= y / z;\n}\n"
        "void BPF_PROG(a_acked, struct sock *sk) { help(tp); }\n"
        "struct tcp_congestion_ops a = { .cong_avoid = (void *)a_cong, .pkts_acked = (void *)a_acked };\n"
    )
    for fault, shown in (
        ("set cwnd to 0 in callback cong_avoid", f"{{}}; look at lines 6 and 7 of {path}"),
        ("divided by zero in callback cong_avoid", f"{path}:7: {{}}"),
        ("set cwnd to 0 in callback pkts_acked", f"{{}}; look at lines 1, 6 and 7 of {path}"),
        ("touched memory in callback pkts_acked", "{}"),
        ("the process died", "{}"),
    ):
        assert c_text.with_lines(fault, path) == shown.format(fault)
    assert c_text.with_lines("returned 1 in callback init", tmp_path / "none.c") == "returned 1 in callback init"


def test_the_command_that_replays_a_failed_network_does(cli, tmp_path, two_networks, monkeypatch):
    monkeypatch.chdir(tmp_path)
    broken(tmp_path, "	if (tcp_in_slow_start(tp)) {\n", "	return;\n	if (tcp_in_slow_start(tp)) {\n")
    outcome = cli("algorithm", "check", "./broken.c", "--set", "increase=2")
    [value] = re.findall(r"^fills a link alone +fails +([\d.]+) % used", outcome.out, re.MULTILINE)
    [first] = re.findall(r"^    replay: (.*)$", outcome.out, re.MULTILINE)
    name = "fills-a-link-alone"
    written = f"fairlane algorithm check ./broken.c --set increase=2 --network {name} > {name}.toml"
    assert first == f"{written} && fairlane run {name}.toml"
    (tmp_path / f"{name}.toml").write_text(cli(*written.split(" > ")[0].split()[1:]).out)
    assert cli("run", f"{name}.toml").status == 0
    [throughput] = Results(f"results/{name}").flows["throughput_mbps"]
    assert throughput / 20 * 100 == pytest.approx(float(value), rel=0.01)


def test_every_network_can_be_written():
    names = [network.short_name for network in networks("reno", {})]
    assert len(set(names)) == len(names) == 11
    assert all(re.fullmatch(r"[a-z0-9-]+", name) for name in names)


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
        (["cubic", "--set", "betta=1"], "--set: unknown parameter of cubic 'betta'; did you mean beta?"),
        (["cubic", "--set", "beta=0.7"], "--set: 'cubic': beta=0.7 is not an integer"),
        (["cubic", "--set", "beta"], "name=value"),
        (["cubic", "--set", "beta=-1"], "--set: cubic: parameter beta cannot be -1; it must be from 0 to 4294967295"),
        (["cubic:beta=-1"], "ALGORITHM: cubic: parameter beta cannot be -1"),
        (["cubicc", "--set", "beta=1"], "ALGORITHM: unknown algorithm 'cubicc'"),
        (["cubic", "--network", "rtt"], "--network: unknown network 'rtt'"),
    ):
        outcome = cli("algorithm", "check", *settings)
        assert (outcome.status, outcome.out) == (2, "")
        assert message in outcome.err
