"""`--on`: runs computed by a Dask cluster of two workers, which share nothing with the command but a connection."""

import importlib
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from importlib import metadata
from pathlib import Path
from types import SimpleNamespace

import cloudpickle
import fairlane
import pytest
from fairlane.runs.executors import cluster, cluster_answers
from fairlane.scenario.requests import Request, scenario

pytest.importorskip("distributed")
ALGORITHM = Path(__file__).parents[2] / "algorithms" / "reno.c"
OWN = ("cpu_s", "wall_s", "peak_rss_mb", "finished", "command")
"""Columns in which two computations of one run differ."""


def wait_for(what):
    for _ in range(6000):
        if found := what():
            return found
        time.sleep(0.01)
    raise AssertionError("it did not happen within a minute")


@pytest.fixture(scope="module")
def dask(tmp_path_factory):
    """The address of a scheduler, and a client of it."""
    with running(tmp_path_factory.mktemp("cluster")) as (address, client, _):
        yield address, client


@contextmanager
def running(folder):
    """The address of a scheduler with two workers, which run in a folder of their own; a client; and its process."""
    file = folder / "scheduler.json"
    options = ["--scheduler-file", str(file), "--no-dashboard"]
    commands = [["scheduler", "--host", "127.0.0.1", "--port", "0", *options]]
    commands += [["worker", "--nthreads", "1", "--memory-limit", "0", *options]] * 2
    with ExitStack() as stack:
        log = stack.enter_context((folder / "log").open("w"))
        started = []
        for command in commands:
            line = [sys.executable, "-m", "dask", *command]
            started.append(stack.enter_context(subprocess.Popen(line, cwd=folder, stdout=log, stderr=log)))
            stack.callback(started[-1].terminate)
            wait_for(file.exists)
        address = json.loads(wait_for(file.read_text))["address"].replace("tcp://", "dask://")
        from distributed import Client

        client = stack.enter_context(Client(address.replace("dask://", "tcp://")))
        client.wait_for_workers(2, timeout=60)
        yield address, client, started[0]


def same(one, other):
    left, right = fairlane.open(one), fairlane.open(other)
    assert left.runs.drop(OWN).sort("run").equals(right.runs.drop(OWN).sort("run"))
    assert left.flows.sort("run", "flow").equals(right.flows.sort("run", "flow"))
    assert left.series().sort("run", "flow", "t_s").equals(right.series().sort("run", "flow", "t_s"))


def test_results_are_those_of_this_machine_and_both_mix(dask, experiment, start, tmp_path):
    path = experiment(repeats=2)
    assert start("run", path, "--results", "here", "--repeats", 3).wait(100) == 0
    assert start("run", path, "--results", "mixed").wait(100) == 0
    process = start("run", path, "--results", "mixed", "--repeats", 3, "--on", dask[0])
    out, err = process.communicate(timeout=100)
    assert (process.returncode, err) == (0, "computing on 2 workers (1 machine)\n")
    assert "18 runs (6 computed, 12 already stored)" in out
    same(tmp_path / "here", tmp_path / "mixed")


def test_a_c_file_travels_as_it_was_compiled_here(dask, experiment, start, tmp_path):
    (tmp_path / "mine.c").write_text(ALGORITHM.read_text())
    path = experiment(repeats=1)
    path.write_text(path.read_text().replace('"bbr"', '"./mine.c"'))
    assert start("run", path, "--results", "here").wait(100) == 0
    process = start("run", path, "--results", "there", "--on", dask[0])
    assert process.communicate(timeout=100)[0].startswith("small: 6 runs (6 computed)")
    same(tmp_path / "here", tmp_path / "there")


def test_a_worker_that_is_killed_loses_nothing(dask, experiment, start, tmp_path):
    address, client = dask
    process = start("run", experiment(repeats=5, duration="20s"), "--on", address)
    journals = tmp_path / "results" / "small" / "journals"
    wait_for(lambda: any(path.stat().st_size for path in journals.glob("*.journal")))
    for pid in client.run(os.getpid).values():
        os.kill(pid, signal.SIGKILL)  # their nannies start others
    out, err = process.communicate(timeout=100)
    assert process.returncode == 0, err
    assert "30 runs (30 computed)" in out


def test_ctrl_c_cancels_queued_runs(dask, experiment, start, tmp_path):
    address, client = dask
    process = start("run", experiment(repeats=50, duration="60s"), "--on", address)
    journals = tmp_path / "results" / "small" / "journals"
    wait_for(lambda: any(path.stat().st_size for path in journals.glob("*.journal")))
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=100)
    assert "same command" in err
    wait_for(lambda: not any(client.processing().values()))


def test_a_scheduler_that_is_lost_costs_no_finished_run(experiment, start, tmp_path):
    (tmp_path / "cluster").mkdir()
    with running(tmp_path / "cluster") as (address, client, scheduler):
        process = start("run", experiment(repeats=50, duration="60s"), "--on", address)
        journals = tmp_path / "results" / "small" / "journals"
        wait_for(lambda: any(path.stat().st_size for path in journals.glob("*.journal")))
        client.close()
        scheduler.kill()
        _, err = process.communicate(timeout=100)
    assert process.returncode == 1
    assert address in err
    assert "Traceback" not in err
    assert "Failed to reconnect" not in err
    assert fairlane.open(tmp_path / "results" / "small").runs.height > 0


def test_a_cluster_of_this_machine_needs_no_particular_port(experiment, start):
    """Dask's server for metrics wanted 8787, and warned where another program had it."""
    with ExitStack() as stack:
        with suppress(OSError):  # else another program has it already
            stack.enter_context(socket.create_server(("0.0.0.0", 8787)))
        out, err = start("run", experiment(repeats=1), "--on", "dask", "--jobs", 1).communicate(timeout=100)
    assert err == "computing on 1 workers (1 machine)\n"
    assert "6 runs (6 computed)" in out


# The script is read before sbatch ends, because its file is deleted then.
SBATCH = """#!/bin/sh
script=$(cat "$1")
bash -c "$script" > job.log 2>&1 &
echo "Submitted batch job $!"
"""
SCANCEL = """#!/bin/sh
kill "$@"
"""


def test_slurm_jobs_are_submitted_and_cancelled(experiment, start, tmp_path, monkeypatch):
    """SLURM's commands, where a job is a process of this machine."""
    pytest.importorskip("dask_jobqueue")
    commands = tmp_path / "bin"
    commands.mkdir()
    for name, text in (("sbatch", SBATCH), ("scancel", SCANCEL)):
        (commands / name).write_text(text)
        (commands / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{commands}:{os.environ['PATH']}")
    monkeypatch.setenv("DASK_JOBQUEUE__SLURM__MEMORY", "1GB")
    path = experiment(repeats=1)
    assert start("run", path, "--results", "here").wait(100) == 0
    process = start("run", path, "--results", "there", "--on", "slurm", "--jobs", 1)
    out, err = process.communicate(timeout=100)
    assert (process.returncode, err) == (0, "computing on 1 workers (1 machine)\n")
    assert "6 runs (6 computed)" in out
    same(tmp_path / "here", tmp_path / "there")


class Workers:
    """A client of two workers with these versions."""

    _run = None

    def __init__(self, *versions):
        self.versions = versions

    def sync(self, *_arguments, **_options):
        return {f"tcp://10.0.0.{number}:1": version for number, version in enumerate(self.versions, 1)}


@pytest.mark.parametrize(
    ("versions", "said"),
    [
        ((), "dask worker HOST:PORT --nthreads 1"),
        ((metadata.version("fairlane"), "0.0.0"), "worker tcp://10.0.0.2:1 has Fairlane 0.0.0, "),
        ((metadata.PackageNotFoundError("fairlane"),), "worker tcp://10.0.0.1:1: "),
    ],
)
def test_workers_with_another_version_are_refused_by_name(versions, said):
    with pytest.raises(cluster.ClusterError, match=re.escape(said)):
        cluster._check_versions(Workers(*versions), "dask://there")


def test_a_worker_that_dies_while_it_is_asked_is_left_out():
    cluster._check_versions(Workers(metadata.version("fairlane"), OSError("connection closed")), "dask://there")
    with pytest.raises(cluster.ClusterError, match="workers"):
        cluster._check_versions(Workers(OSError("connection closed")), "dask://there")


def test_another_build_is_refused_by_name():
    other = {**cluster._here(), "simulator": "another"}
    (answer,) = cluster._answers([{"run": "", "scenario": "{}"}], {}, other)
    assert answer["fatal"]
    assert "another build" in answer["message"]


def test_a_place_that_is_none(cli, experiment):
    path = experiment()
    assert "'moon'" in cli("run", path, "--on", "moon").err
    assert "dask://127.0.0.1:1" in cli("run", path, "--on", "dask://127.0.0.1:1").err
    assert "--jobs 32" in cli("run", path, "--on", "slurm").err


@pytest.mark.parametrize(
    ("place", "words"),
    [
        ("dask://h:99999", "99999 is not a port, a number from 1 to 65535"),
        ("dask://h:0", "0 is not a port"),
        ("dask://h", "is not dask://HOST:PORT"),
        ("dask://-h:1", "is not dask://HOST:PORT"),
        ("dask://h h:1", "is not dask://HOST:PORT"),
        ("dask://[::1:8786", "is not dask://HOST:PORT"),
    ],
)
def test_an_address_that_is_none_is_refused_at_once(cli, experiment, place, words):
    done = cli("run", experiment(), "--on", place)
    assert done.err == f"fairlane: --on {place}: {done.err.partition(f'{place}: ')[2]}"
    assert words in done.err
    assert done.err.count("\n") == 1


class Acts(Exception):
    """Leaves a file with the number of the process that unpickles it."""

    def __init__(self, folder):
        self.folder = folder

    def __reduce__(self):
        return os.system, (f"touch {self.folder}/$PPID",)


HOSTILE = {
    "acts": "the cluster sent a posix.system, which is not run",
    "raises": "a worker failed: ",
    "timeout": "a worker failed: said by a worker",
    "floods": "a worker sent more than 0.0 GB",
    "compressed": "a worker sent compressed data",
    "list": "a worker's answer is not a result",
    "cut": "a worker's answer is not a result",
    "flow": "a flow of the scenario is missing",
    "build": "has another build of Fairlane (another, not ",
}
"""Answers of workers, and the words about them."""


def _act_as(kind, folder):
    """In a worker: has it answer so from now on; honestly if there is no kind."""
    honest = vars(cluster).setdefault("_honest", (cluster._compute, cluster.metadata, cluster.provenance))
    cluster._compute, cluster.metadata, cluster.provenance = honest

    def compute(requests, used, there):
        if kind == "raises":
            raise Acts(folder)
        if kind == "timeout":
            raise TimeoutError("said by a worker")
        if kind in ("acts", "floods", "compressed", "list"):
            return {"acts": Acts(folder), "floods": bytes(20_000_000), "compressed": bytes(5_000_000), "list": [1]}[
                kind
            ]
        scenario = json.loads(requests[0]["scenario"])
        if kind == "flow":
            del scenario["flows"][1]
        return honest[0]([{**requests[0], "scenario": json.dumps(scenario)}], used, there)[
            : -9 if kind == "cut" else None
        ]

    if kind == "build":
        cluster.provenance = SimpleNamespace(simulator=lambda: "another")
    elif kind:
        cluster._compute = compute
    protocol = importlib.import_module("distributed.protocol.core")
    plain = vars(protocol).setdefault("_honest", protocol.maybe_compress)
    protocol.maybe_compress = partial(_compress, plain) if kind == "compressed" else plain


def _compress(plain, frame, **_):
    return plain(frame, compression="zlib")


def test_answers_of_hostile_workers_are_an_error_of_the_run(dask, tmp_path, monkeypatch):
    address, client = dask
    cloudpickle.register_pickle_by_value(sys.modules[__name__])
    monkeypatch.setattr(cluster_answers, "_MAX_MESSAGE", 10_000_000)
    settings = {"rate": "10mbit", "rtt": "20ms", "duration": "1s"}
    request = {"run": "one", "scenario": json.dumps(scenario(Request(["cubic", "bbr"], settings).experiment()))}
    answers = {}
    with cluster.opened(address, 1) as executor:
        for kind in [*HOSTILE, None]:
            client.run(_act_as, kind, tmp_path)
            answers[kind] = executor.ask(request)
    assert "pieces" in answers.pop(None)
    assert {kind: answer["message"] for kind, answer in answers.items() if HOSTILE[kind] not in answer["message"]} == {}
    assert not any("\n" in answer["message"] for answer in answers.values())
    assert str(os.getpid()) not in os.listdir(tmp_path)


def test_an_answer_whose_unpickling_acts_does_not_act(dask, tmp_path):
    from distributed import Client
    from fairlane.runs.executors.cluster_answers import plain_messages

    canary = tmp_path / "canary"
    acts = f"type('Acts', (), {{'__reduce__': lambda self: (__import__('os').system, ('touch {canary}',))}})()"
    with plain_messages(), Client(dask[0].replace("dask://", "tcp://")) as client:
        answer = client.submit(eval, acts)
        with pytest.raises(Exception, match=r"posix\.system, which is not run"):
            answer.result(timeout=30)
    assert not canary.exists()
