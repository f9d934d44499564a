"""Worker processes: order, failure of one run, death of a process."""

import json
import os
import signal
import subprocess
import sys
import tracemalloc

from fairlane.algorithm import trust
from fairlane.runs.executors import processes
from fairlane.scenario import requests as single


def scenario(duration_ns: int = 10**9) -> dict:
    flow = {"algorithm": "reno", "rtt": "10ms"}
    return single.scenario(single.dumbbell([flow], rate="10mbit", duration=f"{duration_ns}ns"))


def test_answers_come_in_the_order_of_the_questions():
    durations_s = [5, 1, 3, 2]
    outcomes = processes.run_all([scenario(duration_s * 10**9) for duration_s in durations_s], jobs=2, keep=["flows"])
    delivered = [outcome.result["flows"][0]["bytes_delivered"] for outcome in outcomes]
    assert sorted(delivered) == [delivered[i] for i in (1, 3, 2, 0)]
    assert all(set(outcome.result) == {"flows"} for outcome in outcomes)
    assert all(outcome.usage["cpu_s"] >= 0 and outcome.usage["peak_rss_mb"] > 1 for outcome in outcomes)


def test_a_worker_loads_no_more_than_runs_need():
    code = "import sys, fairlane.runs.executors.worker, fairlane.runs.backends.simulator; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"pydantic", "numpy", "polars", "matplotlib", "hashlib", "tempfile"} & set(loaded)


def test_one_impossible_run_does_not_hurt_the_others():
    broken = scenario()
    broken["links"][0]["rate_bps"] = -1
    outcomes = processes.run_all([scenario(), broken, scenario()], jobs=1)
    assert outcomes[0].result == outcomes[2].result is not None
    assert outcomes[1].result is None
    assert outcomes[1].error


def test_the_death_of_a_worker_costs_one_run(monkeypatch):
    started = []

    class KilledFirst(processes.Process):
        def __init__(self, *arguments, **settings):
            super().__init__(*arguments, **settings)
            started.append(self)
            if len(started) == 1:
                self.kill()

    monkeypatch.setattr(processes, "Process", KilledFirst)
    outcomes = processes.run_all([scenario(), scenario(), scenario()], jobs=1)
    assert [outcome.result is None for outcome in outcomes] == [True, False, False]
    assert "SIGKILL" in outcomes[0].error
    assert len(started) == 2


def test_ctrl_c_ends_a_worker_that_starts_in_silence(tmp_path, capfd):
    """A terminal sends SIGINT to all processes of a command."""
    (tmp_path / "sitecustomize.py").write_text("import os; os.kill(os.getpid(), 2)")
    path = {"PYTHONPATH": f"{tmp_path}:{os.environ.get('PYTHONPATH', '')}"}
    assert processes.ProcessExecutor(1, environment=path).spawn()._close() == -signal.SIGINT
    assert capfd.readouterr() == ("", "")


def test_an_answer_that_cannot_be_read_costs_one_run(monkeypatch, tmp_path):
    script = tmp_path / "garbler.py"
    script.write_text("import os, sys\nsys.stdin.readline()\nos.write(int(sys.argv[2]), b'no answer\\n')\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=":")
    worker = processes.ProcessExecutor(1, module="garbler").spawn()
    assert worker.ask({"run": "", "scenario": "{}"}) is None
    assert "cannot be read" in worker.reap()


def test_an_answer_without_end_costs_one_run_and_little_memory(monkeypatch, tmp_path):
    script = tmp_path / "babbler.py"
    script.write_text(
        "import os, sys\nsys.stdin.readline()\nblock = b'x' * 100_000\n"
        "while True:\n    os.write(int(sys.argv[2]), block)\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=":")
    monkeypatch.setattr(processes, "ANSWER_BYTES", 2_000_000)
    worker = processes.ProcessExecutor(1, module="babbler").spawn()
    tracemalloc.start()
    try:
        assert worker.ask({"run": "", "scenario": "{}"}) is None
        assert tracemalloc.get_traced_memory()[1] < 6_000_000
    finally:
        tracemalloc.stop()
    assert "an answer of more than 2 MB, the most that is read" in worker.reap()


def test_output_of_an_algorithm_is_not_a_result(tmp_path):
    printer = tmp_path / "printer.py"
    printer.write_text(
        "class Printer:\n"
        "    def ssthresh(self, sk):\n        return 2\n"
        "    def undo_cwnd(self, sk):\n        return sk.snd_cwnd\n"
        "    def cong_avoid(self, sk, ack, acked):\n        print('a line that is no answer')\n"
    )
    trust.allow(printer)
    flow = {"algorithm": str(printer), "rtt": "10ms"}
    asked = single.scenario(single.dumbbell([flow], rate="10mbit", duration="1s"))
    (outcome,) = processes.run_all([asked], jobs=1, keep=["flows"])
    assert outcome.error == ""
    assert outcome.result["flows"][0]["bytes_delivered"] > 0


RECORDER = """
class Recorder:
    def claim(self, run):
        if run == "memory":
            raise MemoryError
        return True

    def record(self, request, outcome):
        if request["run"] == "disk":
            raise OSError(5, "Input/output error", "/there/file")
        return {"journal": "none"}

    def close(self):
        raise OSError(28, "No space left on device", "/there/claims")


def open_recorder():
    return Recorder()
"""


def test_a_refusal_of_the_system_costs_one_run_and_no_traceback(tmp_path, capfd):
    (tmp_path / "refusing.py").write_text(RECORDER)
    path = os.pathsep.join([str(tmp_path), *sys.path])
    executor = processes.ProcessExecutor(1, recorder=("refusing", []), environment={"PYTHONPATH": path})
    worker = executor.spawn()
    text = json.dumps(scenario())
    answers = {run: worker.ask({"run": run, "scenario": text}) for run in ("memory", "disk", "none")}
    assert answers["memory"]["message"] == "there is not enough memory for the process that ran it"
    assert answers["disk"]["message"] == "/there/file: Input/output error"
    assert "error" not in answers["none"]
    last = worker.finish()
    assert last["fatal"]
    assert last["message"] == "/there/claims: No space left on device; what is finished is kept: run it again"
    assert "Traceback" not in capfd.readouterr().err
