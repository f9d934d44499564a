"""Every kind of algorithm in every world: a right result, or a refusal in one line before anything runs.

Kinds are a bundled Reno, copies of its C file, contained and trusted, and a Python class with the same decisions.
Worlds are TCP, QUIC and Wi-Fi in the simulator, on a Dask cluster, in a guest and on this machine's kernel. Where a
simulation decides, the copies' results are those of the bundled algorithm, bit for bit.
"""

import json
import shutil
from itertools import product
from pathlib import Path
from typing import get_args, get_type_hints

import fairlane
import pytest
from fairlane.algorithm.kernel import KernelError
from fairlane.cli import commands
from fairlane.cli.backends import CLUSTERS
from fairlane.engine.types import MediumConfig, TransportProtocol
from fairlane.results.store.store import Store
from fairlane.runs.backends import BACKENDS, backend
from fairlane.runs.backends.linux import building, programs
from fairlane.scenario.requests import dumbbell, point

from tests.hostile.subjects import searches
from tests.hostile.test_consent import walk

ROOT = Path(__file__).parents[2]
RENO_C = ROOT / "algorithms" / "reno.c"
RENO_PY = """
from fairlane.algorithm import prototype as tcp

class Reno:
    ssthresh = staticmethod(tcp.tcp_reno_ssthresh)
    undo_cwnd = staticmethod(tcp.tcp_reno_undo_cwnd)
    cong_avoid = staticmethod(tcp.tcp_reno_cong_avoid)
"""
KINDS = {
    "contained C": ("./mine.c",),
    "trusted C": ("./mine.c", "--trust", "./mine.c"),
    "Python": ("./mine.py",),
}
WIRED = ("--rate", "10mbit", "--time", "1s")
WIFI = ("--wifi", "n", "--time", "300ms")
WORLDS = {
    ("tcp", "links"): WIRED,
    ("quic", "links"): (*WIRED, "--transport", "quic"),
    ("tcp", "wifi"): WIFI,
    ("quic", "wifi"): (*WIFI, "--transport", "quic"),
    ("tcp", "half_duplex"): "channel.toml",
    ("quic", "half_duplex"): "channel.toml",
}
"""Transports and media, with the options of `duel` or a file of `run` below."""
OF_ITS_OWN = {"rtp"}
"""Transports whose flows have one algorithm."""
GUEST_RATE_MBPS = 5
PAYLOAD = 1448 / 1514
"""Of a full frame."""


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """The current folder, with the files of algorithms."""
    monkeypatch.chdir(tmp_path)
    shutil.copy(RENO_C, "mine.c")
    Path("other.c").write_text(with_parameter("parts", 2, "snd_cwnd / 2, 2U", "snd_cwnd / (__u32)parts, 2U"))
    Path("mine.py").write_text(RENO_PY)
    return tmp_path


def with_parameter(name, default, before, after):
    """Reno's C file with a parameter, whose default leaves the decisions as they are."""
    text = RENO_C.read_text().replace(before, after)
    assert after in text
    first = 'SEC("struct_ops/ssthresh'
    return text.replace(first, f"const volatile int {name} = {default};\n\n{first}", 1)


def outcome_of(done):
    """The results of a command that prints JSON, without names of algorithms."""
    found = printed(done)
    for flow in found["flows"]:
        del flow["algorithm"]
    return found["flows"], found["links"]


def refusal(done):
    """The line of a request that is refused before anything runs."""
    assert (done.status, done.out) == (2, "")
    [line] = done.err.splitlines()
    return line


@pytest.mark.parametrize("options", [one for one in WORLDS.values() if isinstance(one, tuple)])
def test_the_simulator_has_the_same_result_for_each_kind(cli, options):
    bundled = outcome_of(cli("duel", "reno", "cubic", *options, "--json"))
    assert all(flow["goodput_mbps"] > 1 for flow in bundled[0])
    for kind, words in KINDS.items():
        assert outcome_of(cli("duel", words[0], "cubic", *words[1:], *options, "--json")) == bundled, kind


@pytest.mark.parametrize("kind", KINDS)
def test_rtp_has_an_algorithm_of_its_own(cli, kind):
    name, *trusted = KINDS[kind]
    Path("call.toml").write_text(
        'duration = "1s"\nnetwork = { rate = "10mbit", rtt = "20ms", buffer = "1bdp" }\n'
        f'flows = [{{ algorithm = "{name}", transport = "rtp", workload = "call" }}]\n'
    )
    done = cli("run", "call.toml", *trusted, *(["--trust", name] if kind == "Python" else []))
    assert "flows[0].algorithm: RTP flows have scream" in refusal(done)


@pytest.mark.parametrize("trusted", [(), ("--trust", "./mine.c"), ("--trust", "./mine.c", "--trust", "./other.c")])
def test_files_mix_with_bundled_ones_over_both_transports(cli, trusted):
    """Containment decides where a scenario runs, not with which result."""
    network = (*WIRED, "--transport", "quic,quic,tcp,quic,tcp", "--json")
    ours = outcome_of(cli("duel", "./mine.c", "bbr", "./other.c", "reno", "./mine.c", *trusted, *network))
    assert ours == outcome_of(cli("duel", "reno", "bbr", "reno", "reno", "reno", *network))


def test_python_beside_c_needs_trust(cli):
    line = refusal(cli("duel", "./mine.c", "./mine.py", *WIRED))
    assert "./mine.py" in line
    assert "--trust" in line
    ours = outcome_of(cli("duel", "./mine.c", "./mine.py", *WIRED, "--trust", "./mine.c", "--json"))
    assert ours == outcome_of(cli("duel", "reno", "reno", *WIRED, "--json"))


SWEEP = """
name = "sweep"
duration = "{duration}"
start_jitter = "50ms"
network = {network}
flows = [{{ {path} name = "mine", algorithm = "reno" }}, {{ {path} algorithm = "cubic" }}]

[sweep]
"flows.mine.algorithm" = ["reno", "./mine.c", "./other.c", "./mine.py"]
"flows.mine.transport" = ["tcp", "quic"]
"""


@pytest.fixture
def sweep(folder):
    """Experiments of each kind over each transport, on a wire, in a Wi-Fi cell and on a half-duplex channel."""
    wire = '{ rate = "10mbit", rtt = "20ms", buffer = "1bdp" }'
    stations = '[{ name = "sender", buffer = "50p" }, { name = "receiver", buffer = "50p" }]'
    air = f'{{ kind = "half_duplex", name = "air", rate = "20mbit", delay = "5ms", stations = {stations} }}'
    path = 'forward = ["sender"], reverse = ["receiver"],'
    Path("wire.toml").write_text(SWEEP.format(duration="1s", network=wire, path=""))
    Path("cell.toml").write_text(SWEEP.format(duration="300ms", network='{ kind = "wifi", standard = "n" }', path=""))
    Path("channel.toml").write_text(SWEEP.format(duration="300ms", network=f"{{ media = [{air}] }}", path=path))


def test_a_sweep_has_the_same_results_here_and_on_a_cluster(cli, sweep):
    pytest.importorskip("distributed")
    for file in ("wire.toml", "cell.toml", "channel.toml"):
        assert "--trust mine.py" in cli("run", file, "--results", "refused").err
        assert not Store.at(Path("refused")).keys
        found = {}
        places = {"here": (), "dask": ("--on", "dask")}
        for place, words in [*places.items()][: 1 if file == "channel.toml" else 2]:  # a cluster starts for seconds
            done = cli("run", file, "--jobs", "2", "--trust", "./mine.py", "--results", f"{file}-{place}", *words)
            assert (done.status, done.err.replace("computing on 2 workers (1 machine)\n", "")) == (0, "")
            assert done.out.startswith("sweep: 8 runs (8 computed)")
            found[place] = flows_by_kind(f"{file}-{place}")
        assert found["here"] == found.get("dask", found["here"])
        for transport in ("tcp", "quic"):
            reno = found["here"]["reno", transport]
            assert all(flow["goodput_mbps"] > 1 for flow in reno)
            for kind in ("./mine.c", "./other.c", "./mine.py"):
                assert found["here"][kind, transport] == reno, (kind, transport)


def flows_by_kind(results):
    """The flows' metrics by algorithm and transport of the first flow."""
    opened = fairlane.open(results)
    own = ["run", "algorithm", *(axis.column for axis in opened.axes)]
    names = [axis.column for axis in opened.axes]
    found = {}
    for row in opened.flows.sort("run", "flow").iter_rows(named=True):
        key = tuple(row[name] for name in names)
        found.setdefault(key, []).append({name: value for name, value in row.items() if name not in own})
    return found


SCRIPT = """
   0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3
  +0 bind(3, ..., ...) = 0
  +0 listen(3, 1) = 0
  +0 < S 0:0(0) win 65535 <mss 1000>
  +0 > S. 0:0(0) ack 1 <mss 1460>
 +.1 < . 1:1(0) ack 1 win 65535
  +0 accept(3, ..., ...) = 4
  +0 write(4, ..., 1000) = 1000
  +0 > P. 1:1001(1000) ack 1
 +.1 < . 1:1(0) ack 1001 win 65535
  +0 %{ assert tcpi_snd_cwnd == 10, tcpi_snd_cwnd }%
"""


def test_scripts_are_played_with_each_kind_of_c(cli):
    Path("it.pkt").write_text(SCRIPT)
    for words in (("reno",), KINDS["contained C"], KINDS["trusted C"]):
        done = cli("packetdrill", "--algorithm", *words, "it.pkt")
        assert (done.status, done.err) == (0, "")
        assert "1 passed" in done.out
    assert "Python class" in refusal(cli("packetdrill", "--algorithm", "./mine.py", "it.pkt"))


@pytest.mark.parametrize("kind", KINDS)
def test_checks_and_traces_take_each_kind(cli, kind):
    name, *trusted = KINDS[kind]
    words = ("--rate", "10mbit", "--time", "300ms", "--json")
    for transport in ("tcp", "quic"):
        ours, reno = (
            [
                (call["flow"], call["t_ns"])
                for line in cli("algorithm", "trace", *chosen, *words, "--transport", transport).out.splitlines()
                if (call := json.loads(line))["call"] == "cong_avoid"
            ]
            for chosen in ((name, *trusted), ("reno",))
        )
        assert ours == reno
        assert len(reno) > 10
    if kind != "trusted C":  # it runs apart from the others' state in the same way
        done = cli("algorithm", "check", name, *trusted)
        assert done.status == 0, done.out
        assert "fills a link alone         passes" in done.out


def test_an_export_has_the_packets_of_the_run(cli):
    """Packets are not stored: the run is computed again with the file, which the command names."""
    sizes = {}
    for algorithm in ("reno", "./mine.c", "./mine.py"):
        Path("it.toml").write_text(
            'duration = "300ms"\nnetwork = { rate = "10mbit", rtt = "20ms", buffer = "1bdp" }\n'
            f'flows = [{{ algorithm = "{algorithm}", transport = "quic" }}, {{ algorithm = "cubic" }}]\n'
        )
        results = f"of-{algorithm.strip('./')}"
        assert cli("run", "it.toml", "--trust", "./mine.py", "--results", results).status == 0
        if algorithm != "reno":
            done = cli("export", results, "pcapng", "-o", "refused.pcapng")
            assert (done.status, len(done.err.splitlines())) == (1, 1)
            assert f"--algorithm {algorithm}" in done.err
        named = () if algorithm == "reno" else ("--algorithm", algorithm)
        done = cli("export", results, "pcapng", *named, "-o", f"{results}.pcapng")
        assert (done.status, done.err) == (0, "")
        sizes[algorithm] = Path(f"{results}.pcapng").stat().st_size
    assert sizes["reno"] > 10_000
    assert len(set(sizes.values())) == 1, sizes


TUNING = """
algorithm = "./tuned.c"
trials = 1
objectives = [{ metric = "goodput_mbps", goal = "highest" }]
parameters = { least = { low = 2, high = 40 } }

[experiment]
duration = "1s"
network = { rate = "10mbit", rtt = "10ms", buffer = "1bdp" }
flows = [{ algorithm = "./tuned.c", transport = "quic" }]
"""


def test_a_file_is_tuned_over_quic(cli):
    pytest.importorskip("optuna")
    Path("tuned.c").write_text(with_parameter("least", 2, "snd_cwnd / 2, 2U", "snd_cwnd / 2, (__u32)least"))
    Path("tune.toml").write_text(TUNING)
    contained = cli("tune", "tune.toml", "--results", "contained")
    trusted = cli("tune", "tune.toml", "--results", "trusted", "--trust", "./tuned.c")
    assert (contained.status, trusted.status) == (0, 0), contained.err + trusted.err
    assert "defaults" in contained.out
    assert contained.out.replace("contained", "trusted") == trusted.out


REFUSED = {
    "Python": (("./mine.py",), "flows[0].algorithm: ./mine.py is a Python class; a kernel needs C"),
    "QUIC": (("./mine.c", "--transport", "quic"), "flows[0].transport: a kernel has no quic; use tcp"),
}
IN_TC = {
    **REFUSED,
    "Wi-Fi": (("./mine.c", "--wifi", "n"), "media: a shared medium such as Wi-Fi exists in the simulator"),
}


def check_refusals(cli, place, refused):
    """Each is one line, from the command line and from a file; and a Python file is not even loaded."""
    for words, said in refused.values():
        done = cli("duel", *words, "--time", "1s", "--on", place)
        assert f"--on {place.partition(':')[0]}: {said}" in refusal(done)
        assert "--on simulator" in done.err
    loaded = Path("loaded")
    Path("mine.py").write_text(f"open({str(loaded)!r}, 'w')\n{RENO_PY}")
    Path("it.toml").write_text(
        'duration = "1s"\nnetwork = { rate = "10mbit", rtt = "20ms", buffer = "1bdp" }\n'
        'flows = [{ algorithm = "./mine.py" }]\n'
    )
    done = cli("run", "it.toml", "--on", place)
    assert "a kernel needs C" in refusal(done)
    assert not Store.at(Path("results/it")).keys
    assert not loaded.exists()


def compiles_for(one, runner, target):
    try:
        programs.algorithms(one, runner.abilities.algorithms, target)
    except KernelError as error:
        pytest.skip(str(error))


def test_a_guest(cli, stock_kernel):
    place = f"vm:{stock_kernel}"
    check_refusals(cli, place, IN_TC)
    flows = [{"algorithm": "./mine.c", "rtt": "20ms"}]
    kernel = backend(place).kernel
    compiles_for(point(dumbbell(flows, rate="5mbit", duration="1s")).repeat(0), kernel, kernel.target)
    words = ("--rate", f"{GUEST_RATE_MBPS}mbit", "--buffer", "1bdp", "--time", "2s", "--on", place, "--json")
    done = cli("duel", "./mine.c", "reno", *words)
    assert done.status == 0, done.err
    mine, reno = json.loads(done.out)["flows"]
    assert 0.85 < (mine["goodput_mbps"] + reno["goodput_mbps"]) / GUEST_RATE_MBPS / PAYLOAD <= 1
    assert min(mine["goodput_mbps"], reno["goodput_mbps"]) > 0.5


def test_this_machines_kernel(cli):
    try:
        building.agent()
        runner = backend("namespaces")
    except KernelError as error:
        pytest.skip(str(error))
    place = "namespaces:emulated"
    try:
        backend(place)
    except KernelError as error:
        pytest.skip(str(error))
    check_refusals(cli, place, REFUSED)
    if not runner.abilities.takes_programs:
        pytest.skip("this user cannot load programs into this kernel")
    for network, most_mbps in ((("--rate", "5mbit"), 5 * PAYLOAD), (("--wifi", "n"), 300)):
        done = cli("duel", "./mine.c", "reno", *network, "--time", "1s", "--on", place, "--json")
        assert done.status == 0, done.err
        flows = json.loads(done.out)["flows"]
        assert all(flow["bytes_delivered"] > 0 for flow in flows)
        assert sum(flow["goodput_mbps"] for flow in flows) <= most_mbps


def test_searches_judge_each_kind_alike(cli):
    for file in ("family", "networks", "criteria", "ranking"):
        Path(f"{file}.toml").write_text(getattr(searches, file.upper()))
    every, quick = ("reno", "./mine.c", "./mine.py"), ("--jobs", "1", "--json", "--results")
    of_break = printed(cli("break", *every, "--family", "family.toml", "--evaluations", "2", *quick, "broken"))
    assert alike(of_break["searches"], 3)[0]["map"]["cells"]
    of_rank = printed(cli("rank", "reno", "./mine.c", "--file", "ranking.toml", *quick, "ranked"))
    assert alike(of_rank["uses"]["home"], 2)[0]["values"]["goodput"] > 0
    words = ("--against", "cubic", "--rate", "5mbit", "--rtt", "20ms", "--time", "300ms", "--repeats", "1")
    for metric in printed(cli("matrix", "reno", "./other.c", "./mine.py", *words, *quick, "matrix")):
        alike([one for one in metric["cells"] if (one["algorithm"] == "cubic") < (one["rival"] == "cubic")], 3)
    judged = [
        printed(
            cli("evidence", one, "--criteria", "criteria.toml", "--quick", "--only", "1.1", *quick, f"of-{one[-1]}")
        )
        for one in every
    ]
    assert alike([one["criteria"][0] for one in judged], 3)[0]["tests"][0]["groups"][0]["value"]["estimate"] > 0


def printed(done):
    """The JSON of a command that succeeds without a word beside."""
    assert (done.status, done.err) == (0, "")
    return json.loads(done.out)


def alike(found, count):
    """Results of algorithms, the same but for their names."""
    for one in found:
        one.pop("algorithm", None)
    assert found == [found[0]] * count
    return found


TESTS = {
    "algorithm check": test_checks_and_traces_take_each_kind,
    "algorithm trace": test_checks_and_traces_take_each_kind,
    "bench": "tests/cli/test_bench_algorithms.py::test_programs_that_cannot_be_timed_are_refused",
    "break": test_searches_judge_each_kind_alike,
    "duel": test_the_simulator_has_the_same_result_for_each_kind,
    "evidence": test_searches_judge_each_kind_alike,
    "export": test_an_export_has_the_packets_of_the_run,
    "lab grade": "tests/labs/test_labs.py::test_a_solution_passes_in_the_open_and_in_a_hidden_network",
    "matrix": test_searches_judge_each_kind_alike,
    "packetdrill": test_scripts_are_played_with_each_kind_of_c,
    "rank": test_searches_judge_each_kind_alike,
    "run": test_a_sweep_has_the_same_results_here_and_on_a_cluster,
    "tune": test_a_file_is_tuned_over_quic,
    "simulator": test_the_simulator_has_the_same_result_for_each_kind,
    "dask": test_a_sweep_has_the_same_results_here_and_on_a_cluster,
    "dask://HOST:PORT": "tests/sweep/test_cluster.py::test_a_c_file_travels_as_it_was_compiled_here",
    "slurm": "tests/sweep/test_cluster.py::test_slurm_jobs_are_submitted_and_cancelled",
    "vm": test_a_guest,
    "namespaces": test_this_machines_kernel,
    "hosts": "tests/backends/test_hosts.py::test_a_congestion_control_of_ours_is_there_for_its_run_only",
}
"""By command that runs C files, and by place."""


def test_every_command_place_and_world_is_tested():
    """A new one fails here until it has a row."""
    of_files = {
        " ".join(words) for words, one in walk(commands) if any("--run-timeout" in each.opts for each in one.params)
    }
    assert set(TESTS) == {*of_files, *BACKENDS, *CLUSTERS}
    for test in TESTS.values():
        if isinstance(test, str):
            file, _, name = test.partition("::")
            assert f"def {name}(" in (ROOT / file).read_text()
    media = [get_args(get_type_hints(one)["kind"])[0] for one in get_args(MediumConfig)]
    assert set(WORLDS) == set(product({*get_args(TransportProtocol)} - OF_ITS_OWN, ["links", *media]))
