"""Shell completion, with the requests of the printed scripts."""

import os
import pty
import shutil
import subprocess
import sys
from pathlib import Path

import fairlane
import pytest
from fairlane.cli import main


@pytest.fixture
def complete(capsys, monkeypatch):
    """Completions of the last word."""

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
        (["duel", "cubic", "--link", "star"], ["starlink", "starlink-constant"]),
        (["algorithm", "explain", "modest"], ["modest_bbr"]),
        (["reproduce", "modest"], ["modestbbr"]),
        (["claims", "lin"], ["lin2019"]),
        (["new", "park"], ["parking-lot"]),
        (["table", "results", "--metrics", "goodput_mbps,jain_index_1"], ["goodput_mbps,jain_index_1s"]),
        (["duel", "./mine"], ["file,"]),
        (["duel", "cubic", "--queue", "fq_c"], ["fq_codel"]),
        (["duel", "cubic", "--queue", "codel:tar"], ["codel:target="]),
        (["duel", "cubic", "--queue", "codel:ecn=true,tar"], ["codel:ecn=true,target="]),
        (["duel", "cubic:fast"], ["cubic:fast_convergence="]),
        (["duel", "cubic:beta=700,fast"], ["cubic:beta=700,fast_convergence="]),
        (["duel", "nothing:be"], [""]),
        (["algorithm", "check", "cubic", "--set", "fast"], ["fast_convergence="]),
        (["reproduce", "modestbbr", "--only", "figure-4"], ["figure-4"]),
        (["reproduce", "elephants2023", "--where", "rat"], ["rate="]),
        (["reproduce", "elephants2023", "--where", "rate=100m"], ["rate=100mbit"]),
        (["reproduce", "nothing", "--only", "fig"], [""]),
        (["table", "nowhere", "--where", "buf"], [""]),
    ],
)
def test_names_are_completed(complete, words, offered):
    assert complete(*words) == offered


def test_axes_of_results_are_completed(complete, tmp_path):
    file = {"duration": "100ms", "network": {"rate": "1mbit", "rtt": "20ms"}, "flows": [{"algorithm": "reno"}]}
    fairlane.run({**file, "sweep": {"network.buffer": ["1bdp", "2bdp"]}}, tmp_path / "r", progress=False)
    assert complete("table", str(tmp_path / "r"), "--where", "buf") == ["buffer="]
    assert complete("table", str(tmp_path / "r"), "--where", "buffer=1bdp,2") == ["buffer=1bdp,2bdp"]


@pytest.mark.parametrize(("shell", "word"), [("bash", "complete "), ("zsh", "compdef "), ("fish", "complete ")])
def test_each_shell_has_its_script(cli, shell, word):
    outcome = cli("completion", shell)
    assert outcome.status == 0
    assert word in outcome.out
    assert "_FAIRLANE_COMPLETE" in outcome.out


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_shell_understands_its_script(cli, shell, tmp_path):
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed: apt-get install {shell}")
    script = tmp_path / "script"
    script.write_text(cli("completion", shell).out)
    checked = subprocess.run([shell, "-n", script], text=True, capture_output=True, check=False)
    assert (checked.returncode, checked.stderr) == (0, "")


@pytest.mark.skipif(shutil.which("fish") is None, reason="fish is not installed: apt-get install fish")
def test_fish_completes(cli, tmp_path):
    """Only fish can print its completions without a terminal."""
    folder = tmp_path / "fish" / "completions"
    folder.mkdir(parents=True)
    (folder / "fairlane.fish").write_text(cli("completion", "fish").out)
    command = Path(sys.executable).parent
    found = subprocess.run(
        ["fish", "-c", "complete -C 'fairlane duel highs'"],
        text=True,
        capture_output=True,
        check=True,
        env={**os.environ, "XDG_CONFIG_HOME": str(tmp_path), "PATH": f"{command}:{os.environ['PATH']}"},
    )
    assert found.stdout.split("\t")[0] == "highspeed"


@pytest.mark.skipif(shutil.which("zsh") is None, reason="zsh is not installed: apt-get install zsh")
def test_zsh_completes_in_a_terminal(cli, tmp_path):
    """The script alone is a ~/.zshrc, and the value of a parameter follows its name without a blank."""
    (tmp_path / ".zshrc").write_text(cli("completion", "zsh").out + "PS1='ready> '\n")
    environment = {**os.environ, "ZDOTDIR": str(tmp_path), "TERM": "dumb"}
    environment["PATH"] = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    ours, its = pty.openpty()
    shell = subprocess.Popen(["zsh", "-i"], stdin=its, stdout=its, stderr=its, env=environment, start_new_session=True)
    os.close(its)

    def expect(text):
        read = b""
        while text not in read:
            read += os.read(ours, 4096)  # raises at the end of the shell; else the test's timeout ends it
        return read

    try:
        assert b"not found" not in expect(b"ready> ")
        os.write(ours, b"fairlane duel cubic --queue codel:tar\t")
        assert expect(b"codel:target=").endswith(b"=")
        os.write(ours, b"3ms")
        assert expect(b"3ms") == b"3ms"
    finally:
        shell.kill()
        shell.wait()
        os.close(ours)
