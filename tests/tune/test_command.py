"""`fairlane tune`: from a file to the Pareto-optimal parameters."""

import builtins
import json
from pathlib import Path

import fairlane
import pytest

pytest.importorskip("optuna", reason="Optuna is not installed: pip install -r requirements/test.txt")


def test_a_search_ends_with_a_table_and_goes_on_where_it_stopped(cli, write):
    path = write()
    first = cli("tune", path, "--json")
    assert (first.status, first.err) == (0, "")
    found = json.loads(first.out)["trials"]
    assert [trial["trial"] for trial in found] == [0, 1, 2, 3]
    assert found[0]["parameters"] == {"beta": 717, "fast_convergence": 1}
    assert any(trial["best"] for trial in found)

    again = cli("tune", path, "--trials", "5")
    assert again.status == 0
    assert "search: 5 trials, 1 run computed, in results/search" in again.out
    assert "goodput, Mbps (highest)" in again.out
    assert "defaults" in again.out

    flows = fairlane.open("results/search").flows
    assert flows.height == 2 * 5
    assert set(flows["beta"].to_list()) == {*(trial["parameters"]["beta"] for trial in found), *flows["beta"][-1:]}
    alone = fairlane.duel("cubic", "reno", rate="10mbit", duration="2s", buffer="1bdp")
    defaults = flows.filter((flows["beta"] == 717) & (flows["group"] == 0))
    assert defaults["goodput_mbps"][0] == alone.flows["goodput_mbps"][0] == found[0]["values"][0]


def test_objectives_of_the_others_and_pictures(cli, write):
    path = write(
        ("trials = 4", "trials = 3"),
        (
            'metric = "mean_queue_delay_ms"\ngoal = "lowest"',
            'metric = "goodput_mbps"\nflows = "others"\ngoal = "highest"',
        ),
        ("beta = {", "# beta is what matters\nbeta = {"),
    )
    outcome = cli("tune", path, "--plot", "front.svg")
    assert outcome.status == 0
    assert "goodput, Mbps of others (highest)" in outcome.out
    assert Path("front.svg").read_text().startswith("<?xml")

    text = Path(path).read_text()
    Path("single.toml").write_text(text[: text.rindex("[[objectives]]")] + text[text.index("[experiment]") :])
    assert cli("tune", "single.toml", "--plot", "single.png", "--results", "results/search").status == 0


def test_a_python_class_that_fails_for_some_values(cli, write, tmp_path):
    (tmp_path / "mine.py").write_text(
        "class Mine:\n"
        "    divisor = 1  # packets, what the window is divided by\n"
        "    def ssthresh(self, sock):\n        return 2\n"
        "    def undo_cwnd(self, sock):\n        return sock.snd_cwnd\n"
        "    def cong_avoid(self, sock, ack, acked):\n        sock.snd_cwnd = 10 + 10 // self.divisor\n"
    )
    path = write(
        ("beta = { low = 500, high = 1000 }\nfast_convergence", "divisor"),
        ('"cubic"', '"./mine.py"'),
    )
    outcome = cli("tune", path, "--trials", "8", "--trust", tmp_path / "mine.py")
    assert outcome.status == 0
    assert "./mine.py raised ZeroDivisionError" in outcome.out


BAD = {
    "no such parameter": (("beta =", "betta ="), "parameters.betta: unknown parameter of cubic 'betta'; did you mean"),
    "no such metric": (
        ('"goodput_mbps"', '"goodputt"'),
        "objectives[0].metric: unknown metric 'goodputt'; did you mean",
    ),
    "no goal": (('goal = "highest"\n', ""), "objectives[0].goal: "),
    "an impossible goal": (('"highest"', '"high"'), "objectives[0].goal: there is no 'high'; did you mean highest"),
    "an empty range": (("low = 500, high = 1000", "low = 9, high = 9"), "parameters.beta: "),
    "no flow to tune": (('algorithm = "cubic"\ntrials', 'algorithm = "bic"\ntrials'), "no flow"),
    "an unknown key": (("seed = 3", "sed = 3"), "did you mean seed?"),
    "a mistake in the networks": (('"10mbit"', '"10"'), "experiment.network.rate: "),
    "a metric of no flow": (
        ('metric = "mean_queue_delay_ms"', 'metric = "mean_queue_delay_ms"\nflows = "all"'),
        "objectives[1].flows: ",
    ),
}


@pytest.mark.parametrize(("change", "message"), BAD.values(), ids=BAD)
def test_a_mistake_is_named_with_file_and_key(cli, write, change, message):
    outcome = cli("tune", write(change))
    assert (outcome.status, outcome.out) == (2, "")
    assert "search.toml: " in outcome.err
    assert message in outcome.err


@pytest.mark.parametrize(
    ("changes", "path", "message"),
    [
        ((), "missing.toml", "fairlane: missing.toml: there is no such file; name a tuning file\n"),
        (
            (
                ('[experiment]\nduration = "2s"\n', ""),
                ("[parameters]\n", 'experiment = "missing.toml"\n\n[parameters]\n'),
                ('network = { rate = "10mbit", rtt = "20ms", buffer = "1bdp" }\n', ""),
                ('flows = [{ algorithm = "cubic" }, { algorithm = "reno" }]\n', ""),
            ),
            "search.toml",
            "fairlane: missing.toml: there is no such file; search.toml names it as its experiment\n",
        ),
    ],
)
def test_a_file_that_does_not_exist_is_named_in_one_line(cli, write, changes, path, message):
    write(*changes)
    outcome = cli("tune", path)
    assert (outcome.status, outcome.out, outcome.err) == (2, "", message)


def test_a_file_of_the_other_command_is_one_error(cli, write, tmp_path):
    """It had ten, one for each key, and none of them said so."""
    tuning, experiment = write(), tmp_path / "networks.toml"
    experiment.write_text(
        'duration = "1s"\nnetwork = { rate = "5mbit", rtt = "20ms" }\nflows = [{ algorithm = "reno" }]'
    )
    assert cli("run", tuning).err == f"fairlane: {tuning}: is a tuning file; write fairlane tune {tuning}\n"
    assert cli("tune", experiment).err.count("\n") == 1


def test_without_optuna_it_says_how_to_get_it(cli, write, monkeypatch):
    real = builtins.__import__

    def without(name, *arguments, **keywords):
        if name == "optuna":
            raise ImportError(name)
        return real(name, *arguments, **keywords)

    monkeypatch.setattr(builtins, "__import__", without)
    outcome = cli("tune", write())
    assert outcome.status == 1
    assert "pip install" in outcome.err
