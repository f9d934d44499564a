"""Answers of a cluster are data: nothing of them runs here, and nothing that does not fit its scenario is stored."""

import asyncio
import json
import os
import pickle
import signal
from contextlib import suppress
from types import SimpleNamespace
from unittest.mock import Mock

import pytest
from fairlane.engine import run_pieces
from fairlane.engine.result_bytes import pack, unpack
from fairlane.runs.executors import cluster
from fairlane.runs.executors.cluster_answers import decode, encode, plain_messages
from fairlane.scenario.requests import Request, scenario

USAGE = {"cpu_s": 0.1, "wall_s": 0.1, "peak_rss_mb": 30.0}


@pytest.fixture(scope="module")
def asked() -> str:
    """A scenario, as JSON."""
    settings = {"rate": "10mbit", "rtt": "20ms", "duration": "1s"}
    return json.dumps(scenario(Request(["cubic*2", "bbr"], settings).experiment()))


@pytest.fixture(scope="module")
def computed(asked: str) -> bytes:
    """Its packed result."""
    return b"".join(run_pieces(asked))


def _decoded(packed: bytes, asked: str, usage: object = USAGE) -> dict:
    [found] = decode(encode([{"usage": usage, "pieces": [packed]}]), [asked])
    return found


def test_a_result_crosses_unchanged(asked: str, computed: bytes) -> None:
    assert _decoded(computed, asked) == {"usage": USAGE, "pieces": [computed]}


def test_an_error_crosses(asked: str) -> None:
    error = {"error": "VersionError", "message": "another build", "fatal": True}
    assert decode(encode([error]), [asked]) == [error]


def _changed(computed: bytes, change) -> bytes:
    found = unpack(computed)
    change(found.metrics)
    return pack(found.metrics, {name: found.table(name) for name in found.streams})


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda metrics: metrics["flows"].pop(), "a flow of the scenario is missing"),
        (lambda metrics: metrics["flows"][0].update(group=7), "group 7"),
        (lambda metrics: metrics["flows"][0].update(goodput_mbps="1e9"), "flows.goodput_mbps is '1e9'"),
        (lambda metrics: metrics["flows"][0].update(goodput_mbps=float("nan")), "is not finite"),
        (lambda metrics: metrics["flows"][0].pop("retransmits"), "missing columns retransmits"),
        (lambda metrics: metrics["links"].pop(), "links of the scenario are missing: return"),
        (lambda metrics: metrics.update(jain_index=[]), "runs.jain_index is []"),
        (lambda metrics: metrics.pop("flows"), "flows"),
    ],
)
def test_a_result_of_another_scenario_is_an_error_of_its_run(asked: str, computed: bytes, change, said: str) -> None:
    found = _decoded(_changed(computed, change), asked)
    assert found["error"] == "BadAnswer"
    assert said in found["message"]


@pytest.mark.parametrize("content", [b"", b"no line", b"[]\n", b"{}\n", b'[{"usage": {}}]\n', None, ["list"], b"[1]\n"])
def test_what_is_no_answer_is_an_error(asked: str, content: object) -> None:
    [found] = decode(content, [asked])
    assert found["error"] == "BadAnswer"


def test_a_cut_result_is_an_error(asked: str, computed: bytes) -> None:
    for end in (0, 10, len(computed) // 2, len(computed) - 9):
        assert _decoded(computed[:end], asked)["error"] == "BadAnswer"


def test_resource_usage_is_of_numbers(asked: str, computed: bytes) -> None:
    for usage in ({}, {"wall_s": -1}, {"wall_s": "x"}, {"wall_s": float("inf")}):
        assert _decoded(computed, asked, usage)["error"] == "BadAnswer"


class Acts:
    """Touches a file when it is unpickled."""

    def __init__(self, canary) -> None:
        self.canary = canary

    def __reduce__(self):
        return os.system, (f"touch {self.canary}",)


@pytest.mark.parametrize(
    ("kind", "content"),
    [
        ("warn", lambda acts: {"topic": "warn", "event": (0, {"message": acts})}),
        ("warn", lambda acts: {"topic": "warn", "event": (0, {"message": pickle.dumps("said"), "category": acts})}),
        ("print", lambda acts: {"topic": "print", "event": (0, "\x1b]0;said\x07")}),
        ("type", lambda acts: {"key": "one", "type": acts}),
    ],
)
@pytest.mark.filterwarnings("error")
def test_no_message_of_a_scheduler_acts(tmp_path, kind: str, content, capsys) -> None:
    """Workers may send these through any scheduler: events, and the type of an answer."""
    distributed = pytest.importorskip("distributed")
    canary = tmp_path / "canary"
    message = content(pickle.dumps(Acts(canary)))
    with plain_messages():
        client = SimpleNamespace(
            _event_handlers=dict(distributed.Client._default_event_handlers),
            unsubscribe_topic=lambda topic: None,
            futures={"one": SimpleNamespace(type=None, finish=lambda kind: None)},
        )
        if kind == "type":
            distributed.Client._handle_key_in_memory(client, **message)
        else:
            asyncio.run(distributed.Client._handle_event(client, **message))
        for module in (distributed.client, distributed.protocol.pickle, distributed.scheduler):
            for of_module in (module, getattr(module, "pickle", module)):
                with suppress(AttributeError), pytest.raises(pickle.UnpicklingError, match="which is not run"):
                    of_module.loads(pickle.dumps(Acts(canary)))
    assert not canary.exists()
    assert capsys.readouterr() == ("", "")
    assert distributed.client.pickle is pickle


def test_a_broken_connection_is_an_error_that_crosses() -> None:
    """A scheduler tells it of a worker that it cannot ask."""
    distributed = pytest.importorskip("distributed")
    with plain_messages():
        lost = distributed.protocol.pickle.loads(pickle.dumps(distributed.comm.CommClosedError("gone")))
    assert isinstance(lost, OSError)


@pytest.mark.parametrize("error", [TimeoutError(), pickle.UnpicklingError("not run"), ValueError([["laughs"]])])
def test_workers_that_cannot_be_asked_are_one_line(error: Exception) -> None:
    client = SimpleNamespace(sync=Mock(side_effect=error), _run=None)
    with pytest.raises(
        cluster.ClusterError, match=r"^dask: its workers cannot be asked for their version: \w+( run)?$"
    ):
        cluster._check_versions(client, "dask")


@pytest.mark.parametrize("error", [TimeoutError("told by a worker"), UnboundLocalError("told by Dask")])
def test_the_timeouts_of_workers_are_errors_and_those_of_dask_are_not(error: Exception) -> None:
    """The worker's was waited for without an end."""
    answers = iter([error, error, b"[]"])

    def result(timeout: float) -> bytes:
        if isinstance(found := next(answers), Exception):
            raise found
        return found

    executor = cluster.ClusterExecutor(SimpleNamespace(status="running"), "dask", 1)
    assert executor._wait(SimpleNamespace(result=result, status="pending")) == b"[]"
    answers = iter([error, b"[]"])
    with pytest.raises(type(error)):
        executor._wait(SimpleNamespace(result=result, status="error"))


def test_ctrl_c_does_not_reach_a_cluster_that_is_started_here() -> None:
    """A terminal sends SIGINT to all processes of a command, and Dask's would print tracebacks."""
    blocked = cluster._start(lambda: (signal.pthread_sigmask(signal.SIG_BLOCK, ()), 1))
    assert blocked == ({signal.SIGINT}, 1)
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, ())
    with pytest.raises(cluster.ClusterError, match="slurm: the number of workers"):
        cluster._start(lambda: cluster._on_slurm(None))


@pytest.mark.parametrize("kind", [bytes, bytearray, set, frozenset])
def test_no_message_names_the_size_of_an_object(kind: type) -> None:
    """A few bytes would fill the memory."""
    distributed = pytest.importorskip("distributed")
    with plain_messages():
        assert distributed.protocol.pickle.loads(pickle.dumps(kind([1, 2]), protocol=3)) == kind([1, 2])
        sized = pickle.dumps(range(10**10), protocol=3)[:-1]
        for number in (sized, b"\x80\x03J\xff\xff\xff\x7f"):
            large = b"\x80\x03cbuiltins\n%s\n" % kind.__name__.encode() + number[2:] + b"\x85R."
            with pytest.raises(pickle.UnpicklingError, match="the size of an object"):
                distributed.protocol.pickle.loads(large)


def test_the_scheduler_of_this_machine_serves_nobody_else() -> None:
    distributed = pytest.importorskip("distributed")
    from fairlane.runs.executors.cluster import opened

    with opened("dask", 1) as executor:
        address = executor.client.scheduler.address
        assert address.startswith("tls://127.0.0.1")
        with pytest.raises(OSError, match=r"[Cc]onnect|SSL|TLS"):
            distributed.Client(address.replace("tls", "tcp"), timeout=2)
        with pytest.raises(OSError, match=r"[Cc]onnect|SSL|TLS"):
            distributed.Client(address, security=distributed.Security.temporary(), timeout=2)
