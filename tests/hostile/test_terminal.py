"""No control character of a file, a name or a result reaches the terminal."""

import re
import subprocess
import sys

import pytest
from fairlane.results.store.checksummed_json import seal, unseal
from fairlane.show.text.terminal import in_one_line, printable

from .test_reading import EXPERIMENT

CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
ESCAPE = "\x1b]0;title\x07\x1b[2J\u202e\x9b31m"


def harmless(outcome):
    assert CONTROL.search(outcome.out + outcome.err) is None
    assert "\\x1b" in outcome.out + outcome.err  # it was there, as a code
    return outcome


def test_every_control_character_is_a_code():
    for number in [*range(0x20), *range(0x7F, 0xA0), 0x200E, 0x2028, 0x202E, 0x2066, 0xD800, 0xDCFF]:
        if chr(number) not in "\n\t":
            assert re.fullmatch(r"a\\[xu][0-9a-f]+b", printable(f"a{chr(number)}b"))
    assert printable("a\tb\r\nc – ü 漢\n") == "a\tb\r\nc – ü 漢\n"
    assert in_one_line("a\tb\r\nc") == r"a\tb\r\nc"


@pytest.mark.parametrize(
    "text",
    [
        '"k\\u001b[31m" = 1\n' + EXPERIMENT,
        EXPERIMENT.replace("10mbit", "10mbit\\u001b[31m"),
        EXPERIMENT.replace("cubic", "\\u001b[31mcubic"),
        EXPERIMENT + '[sweep]\n"network.\\u001b[31m" = [1]\n',
        EXPERIMENT
        + '[sweep]\n"network.rate" = { values = ["10mbit", "20mbit"], labels = ["\\u001b[2J", "\\u009b2\\nJ"] }\n',
        'inherits = "\\u001b[31m.toml"\n',
    ],
    ids=["key", "value", "algorithm", "swept", "label", "inherits"],
)
def test_experiment_files(text, tmp_path, cli):
    (tmp_path / "file.toml").write_text(text)
    harmless(cli("show", tmp_path / "file.toml"))


def test_messages_of_packetdrill_scripts(tmp_path, cli):
    (tmp_path / "file.pkt").write_text(f"0 `true`\n%{{ print('{ESCAPE}')\nassert 0, '{ESCAPE}' }}%\n")
    harmless(cli("packetdrill", "--verbose", tmp_path / "file.pkt"))


def test_file_names(tmp_path, cli):
    harmless(cli("show", tmp_path / f"{ESCAPE}.toml"))
    name = b"\xff\x1b.toml".decode("utf-8", "surrogateescape")
    harmless(cli("show", tmp_path / name))


def test_options_and_their_values(cli):
    harmless(cli("duel", ESCAPE))
    harmless(cli("duel", "cubic", "--rate", ESCAPE))
    harmless(cli(ESCAPE))


def test_comments_and_messages_of_a_c_file(tmp_path, cli):
    (tmp_path / "file.c").write_text(f"/* {ESCAPE} */\n#error {ESCAPE}\n")
    outcome = cli("algorithm", "explain", tmp_path / "file.c")
    assert CONTROL.search(outcome.out + outcome.err) is None
    assert outcome.status in (1, 2)


def test_results_of_others(pairs, tmp_path, cli):
    """The words in a plan come from the experiment file of another person."""
    store = tmp_path / "store"
    subprocess.run(["cp", "-r", str(pairs.path), store], check=True)
    plan = store / "plans" / "pairs.json"
    content = unseal(plan.read_bytes())
    content["axes"][0]["labels"] = [f"{label}{ESCAPE}\n" for label in content["axes"][0]["labels"]]
    content["axes"][0]["name"] = f"against{ESCAPE}"
    plan.write_bytes(seal(content))
    harmless(cli("table", store))


def test_a_terminal_without_unicode(tmp_path):
    """Characters that the encoding lacks are printed as codes."""
    (tmp_path / "file.toml").write_text("title = 1\n")
    done = subprocess.run(
        [sys.executable, "-m", "fairlane", "show", "漢.toml"], cwd=tmp_path, capture_output=True, text=True,
        env={"PYTHONIOENCODING": "latin-1", "PYTHONUTF8": "1"},
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "fairlane: \\u6f22.toml: there is no such file; name an experiment file\n"


def test_messages_do_not_grow_with_what_they_quote(tmp_path, cli):
    (tmp_path / "file.toml").write_text(EXPERIMENT + '[sweep]\n"network.rtt" = ["10ms", "20ms"]\n')
    results = tmp_path / "results"
    assert cli("run", tmp_path / "file.toml", "--results", results).status == 0
    plan = next(results.glob("plans/*.json"))
    forged = unseal(plan.read_bytes())
    forged["axes"][0]["labels"] = [letter * 200_000 for letter in "ab"]
    plan.write_bytes(seal(forged))
    for words in (
        ["table", results, "--where", "rtt=30ms"],
        ["plot", results, "goodput", "--where", "rtt=30ms", "-o", tmp_path / "plot.png"],
        ["plot", results, "goodput", "-o", tmp_path / "plot.png"],
        ["table", results, "--metrics", "x" * 200_000],
        ["show", "x" * 200_000],
        ["duel", "y" * 200_000],
    ):
        ended = cli(*words)
        assert ended.status in (1, 2), words
        assert 10 < len(ended.err) < 10_000, words
