"""Python classes in duels, experiments with a store, explain and check."""

import fairlane
import pytest
from fairlane.algorithm import program_files
from fairlane.search.check_networks import networks

from .conftest import SOUND


def test_a_class_of_this_process_takes_part_in_a_duel():
    class Fixed:
        window = 20

        def init(self, sock):
            sock.snd_cwnd = self.window

        def ssthresh(self, sock):
            return self.window

        def undo_cwnd(self, sock):
            return self.window

        def cong_avoid(self, sock, ack, acked):
            sock.snd_cwnd = self.window

    results = fairlane.duel(Fixed, "cubic", rate="10mbit", duration="3s")
    assert results.flows["algorithm"].to_list() == ["Fixed", "cubic"]
    windows = results.series(columns=["cwnd_packets"], flow=0)["cwnd_packets"].to_list()[5:]
    assert set(windows) <= {19, 20}, "proportional rate reduction may hold back a packet (RFC 6937)"
    assert windows.count(20) >= 20


def test_repeats_in_threads_do_not_disturb_each_other(vegas):
    def goodputs(algorithm):
        duel = fairlane.duel(algorithm, "cubic", rate="10mbit", duration="3s", loss="0.1%", repeats=4)
        return duel.flows["goodput_mbps"].to_list()

    assert goodputs(vegas) == goodputs("vegas")


def test_other_objects_are_refused():
    with pytest.raises(TypeError, match="not 3"):
        fairlane.duel(3, duration="1s")
    with pytest.raises(fairlane.ExperimentError, match="class int lacks ssthresh, undo_cwnd"):
        fairlane.duel(int, duration="1s")


def test_parameters_of_one_flow_are_not_those_of_another(write):
    write(SOUND.replace("class Mine:", "class Mine:\n    step = 1  # packets, per ACK").replace("+= 1", "+= self.step"))

    def largest_window(step):
        results = fairlane.duel(f"mine.py:step={step}", rate="100mbit", buffer="4bdp", duration="1s")
        return results.series(columns=["cwnd_packets"])["cwnd_packets"].max()

    assert largest_window(step=4) > largest_window(step=1)


def test_a_run_is_keyed_by_the_text_and_its_imports(write):
    write("GAIN = 1\n", "constants.py")
    write("from constants import GAIN\n" + SOUND)
    program_files.forget()
    first = program_files.version("mine.py")
    program_files.forget()
    assert program_files.version("mine.py") == first
    assert program_files.version("mine.py:Mine") != first
    write("GAIN = 2\n", "constants.py")
    program_files.forget()
    assert program_files.version("mine.py") != first


def test_an_experiment_finds_the_file_beside_it(cli, write, tmp_path):
    folder = tmp_path / "experiment"
    folder.mkdir()
    (folder / "mine.py").write_text(SOUND)
    (folder / "one.toml").write_text(
        'name = "one"\nduration = "1s"\n[network]\nrate = "10mbit"\nrtt = "20ms"\n'
        'buffer = "1bdp"\n[[flows]]\nalgorithm = "mine.py:Mine"\n'
    )
    outcome = cli("run", folder / "one.toml", "--results", tmp_path / "results")
    assert (outcome.status, outcome.err) == (0, "")
    assert fairlane.open(tmp_path / "results").flows["algorithm"].to_list() == ["Mine"]


def test_explain_prints_the_docstring(cli, vegas):
    outcome = cli("algorithm", "explain", vegas)
    assert outcome.out.startswith("Keeps two to four packets")
    assert "  alpha = 2 packets\n      grow while fewer are queued\n" in outcome.out
    assert "for the simulator only" in outcome.out


def test_check_runs_the_networks(cli, vegas, monkeypatch):
    monkeypatch.setattr(
        "fairlane.search.check.networks", lambda *asked: networks(*asked)[:2]
    )  # the guide's test has all
    outcome = cli("algorithm", "check", vegas)
    assert outcome.status == 0
    assert "compiles for the kernel    not tried" in outcome.out
    assert "fills a link alone         passes" in outcome.out
