"""Completion in a shell, asked as the printed scripts ask."""

import subprocess

import pytest
from fairlane.cli import main


@pytest.fixture
def complete(capsys, monkeypatch):
    """What is offered for the last of these words."""

    def ask(*words):
        monkeypatch.setenv("_FAIRLANE_COMPLETE", "bash_complete")
        monkeypatch.setenv("COMP_WORDS", " ".join(["fairlane", *words]))
        monkeypatch.setenv("COMP_CWORD", str(len(words)))
        with pytest.raises(SystemExit):  # click ends the process
            main([])
        return [line.partition(",")[2] or line for line in capsys.readouterr().out.splitlines()]

    return ask


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (["packetd"], ["packetdrill"]),
        (["duel", "highs"], ["highspeed"]),
        (["duel", "cubic", "newr"], ["newreno"]),
        (["duel", "cubic", "--link", "star"], ["starlink"]),
        (["algorithm", "explain", "modest"], ["modest_bbr"]),
        (["reproduce", "modest"], ["modestbbr"]),
        (["claims", "lin"], ["lin2019"]),
        (["new", "park"], ["parking-lot"]),
        (["table", "results", "--metrics", "goodput_mbps,jain_index_1"], ["goodput_mbps,jain_index_1s"]),
        (["duel", "./mine"], ["file,"]),
    ],
)
def test_names_are_completed(complete, words, offered):
    assert complete(*words) == offered


@pytest.mark.parametrize(("shell", "word"), [("bash", "complete "), ("zsh", "compdef "), ("fish", "complete ")])
def test_each_shell_has_its_script(cli, shell, word):
    outcome = cli("completion", shell)
    assert outcome.status == 0
    assert word in outcome.out
    assert "_FAIRLANE_COMPLETE" in outcome.out


def test_bash_understands_the_script(cli):
    script = cli("completion", "bash").out
    checked = subprocess.run(["bash", "-n"], input=script, text=True, capture_output=True, check=False)
    assert (checked.returncode, checked.stderr) == (0, "")
