"""Files that are not regular, too large, too deep or in another encoding: each command reports them in one line."""

import os
import shutil

import pytest
from fairlane import files
from fairlane.files import FileError, data_folder
from fairlane.scenario.diagnostics import ExperimentError
from fairlane.scenario.document import read

EXPERIMENT = """duration = "1s"
[network]
rate = "10mbit"
rtt = "20ms"
buffer = "1bdp"
[[flows]]
algorithm = "cubic"
"""
READERS = [
    ("show", "FILE"),
    ("run", "FILE", "--results", "out"),
    ("tune", "FILE"),
    ("packetdrill", "FILE"),
    ("packetdrill", "--init-scripts", "FILE", "ok.pkt"),
]
"""Commands that read a file, which stands in place of FILE."""


def pipe(path):
    os.mkfifo(path)


def device(path):
    path.symlink_to("/dev/zero")


def folder(path):
    path.mkdir()


def loop(path):
    path.symlink_to(path)


def huge(path):
    with path.open("wb") as file:
        file.truncate(100 << 30)  # takes no space on the disk


def latin(path):
    path.write_bytes('title = "Größe"\n'.encode("latin-1"))


MADE = {
    pipe: "pipe",
    device: "device",
    folder: "is a folder",
    loop: "symbolic links",
    huge: "MiB",
    latin: "UTF-8",
}


@pytest.mark.parametrize("make", MADE, ids=lambda make: make.__name__)
def test_every_command_reports_files_that_are_not_text(make, tmp_path, cli, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ok.pkt").write_text("0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3\n")
    # Packetdrill plays the scripts of a folder.
    for arguments in [one for one in READERS if make is not folder or one[0] != "packetdrill"]:
        place = tmp_path / "given"
        make(place)
        given = cli(*[word.replace("FILE", "given") for word in arguments])
        assert (given.status, given.out, given.err.count("\n")) == (2, "", 1), arguments
        assert "given: " in given.err
        assert MADE[make] in given.err
        place.rmdir() if make is folder else place.unlink()


@pytest.mark.parametrize("name", ["scenarios.json", "linux.csv"])
@pytest.mark.parametrize("make", [pipe, device, huge, latin], ids=lambda make: make.__name__)
def test_fidelity_reports_it_of_a_truth_folder(name, make, tmp_path, cli, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shutil.copytree(data_folder("calibration") / "linux-6.12", tmp_path / "truth", ignore=lambda *_: ["series"])
    (tmp_path / "truth" / name).unlink()
    make(tmp_path / "truth" / name)
    given = cli("fidelity", "--truth", "truth", "--out", "out.csv")
    assert (given.status, given.out, given.err.count("\n")) == (2, "", 1)
    assert f"truth/{name}: " in given.err
    assert MADE[make] in given.err


TOO_MUCH = {
    "long-integer": "seed = " + "9" * 5000,
    "integer": "seed = " + "9" * 25,
    "dotted": ".".join("a" * 3000) + " = 1",
    "dotted-table": "[" + " . ".join("a" * 3000) + "]",
    "quoted": ".".join(['"a"'] * 3000) + " = 1",
    "dotted-inside": "x = { " + ".".join("a" * 3000) + " = 1 }",
    "lists": "x = " + "[" * 200 + "]" * 200,
    "many-lists": "x = " + "[" * 5000 + "]" * 5000,
    "tables": "x = " + "{ y = " * 200 + "1" + " }" * 200,
    "many-values": "x = [" + "1," * 300_000 + "]",
    "many-keys": "".join(f"k{number} = 1\n" for number in range(250_000)),
}


@pytest.mark.parametrize("name", TOO_MUCH)
def test_toml_has_limits(name, tmp_path, cli):
    file = tmp_path / "file.toml"
    file.write_text(f"{TOO_MUCH[name]}\n")
    given = cli("show", file)
    assert (given.status, given.out, given.err.count("\n")) == (2, "", 1)
    assert given.err.startswith(f"fairlane: {file}: ")
    assert len(given.err) < 300
    assert ";" in given.err  # what to do


def test_exclusions_of_a_sweep_are_limited(tmp_path, cli):
    """Each point is compared with each of them: 66,000 tables for a million points would take hours."""
    file = tmp_path / "file.toml"
    values = ", ".join(f'"{number}ms"' for number in range(20, 1020))
    excluded = '[[sweep.exclude]]\n"network.rtt" = "20ms"\n' * 20_001
    file.write_text(f'{EXPERIMENT}[sweep]\n"network.rtt" = [{values}]\n{excluded}')
    given = cli("show", file)
    assert (given.status, given.err.count("\n")) == (2, 1)
    assert "sweep.exclude: has 20,001 tables for 1,000 points; the most is 20,000,000 in all: name" in given.err


def test_keys_may_have_many_parts_in_many_lines(tmp_path):
    (tmp_path / "file.toml").write_text("\n".join(f"a.b{number}.c.d.e.f.g = [1.0, 2.0]" for number in range(1000)))
    assert len(files.toml(tmp_path / "file.toml", "")["a"]) == 1000


def test_dictionaries_have_the_same_limits():
    deep: dict = {}
    for _ in range(3000):
        deep = {"a": deep}
    with pytest.raises(ExperimentError, match=r"experiment: .* 50 "):
        read(deep)


@pytest.mark.parametrize("text", ["[" * 100_000, "9" * 5000, "9" * 30, "[NaN]", "[-Infinity]", "[1,", '"\ud800"', ""])
def test_json_has_limits(text, tmp_path):
    file = tmp_path / "file.json"
    file.write_bytes(text.encode("utf-8", "surrogatepass"))
    with pytest.raises(FileError) as error:
        files.json_value(file, "name another")
    assert str(error.value).startswith(f"{file}: ")
    assert "\n" not in str(error.value)


def test_csv_has_limits(tmp_path):
    file = tmp_path / "file.csv"
    for text, said in [
        ("a,b\n1,2,3\n", "row 2"),
        ("a\n" + "x" * 200_000, "field larger"),
        ("", None),
        ("a,b\n1\n", None),
    ]:
        file.write_text(text)
        if said is None:
            assert files.csv_rows(file, "")[1] == ([{"a": "1", "b": ""}] if text else [])
        else:
            with pytest.raises(FileError, match=said):
                files.csv_rows(file, "fix it")


def test_a_byte_order_mark_is_not_part_of_a_file(tmp_path, cli):
    """Editors on other systems write it."""
    (tmp_path / "file.toml").write_text(EXPERIMENT, encoding="utf-8-sig")
    assert cli("show", tmp_path / "file.toml").status == 0
    (tmp_path / "file.pkt").write_text("0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3\n", encoding="utf-8-sig")
    assert cli("packetdrill", tmp_path / "file.pkt").status == 0


def test_files_that_inherit_each_other_twice_are_read_once(tmp_path, cli):
    """Eighteen generations of two parents each would be 262,144 files."""
    for number in range(18):
        parents = [f"{number + 1}.toml", f"./{number + 1}.toml"]
        (tmp_path / f"{number}.toml").write_text(f"inherits = {parents}\n")
    (tmp_path / "18.toml").write_text(EXPERIMENT)
    assert cli("show", tmp_path / "0.toml").status == 0


def test_generations_and_files_of_an_experiment_are_limited(tmp_path, cli):
    for number in range(30):
        (tmp_path / f"{number}.toml").write_text(f'inherits = "{number + 1}.toml"\n')
        (tmp_path / f"wide{number}.toml").write_text("")
    assert "20 " in cli("show", tmp_path / "0.toml").err
    for number in range(250):
        (tmp_path / f"wide{number}.toml").write_text("")
    (tmp_path / "all.toml").write_text(f"inherits = {[f'wide{number}.toml' for number in range(250)]}\n")
    assert "200 files" in cli("show", tmp_path / "all.toml").err


def test_two_parents_may_share_one(tmp_path, cli):
    for name, text in [("base", EXPERIMENT), ("left", "seed = 3"), ("right", 'title = "both"')]:
        parent = "" if name == "base" else 'inherits = "base.toml"\n'
        (tmp_path / f"{name}.toml").write_text(parent + text)
    (tmp_path / "top.toml").write_text('inherits = ["left.toml", "right.toml"]\n')
    assert cli("show", tmp_path / "top.toml").status == 0
    found = read(tmp_path / "top.toml").data
    assert (found["seed"], found["title"]) == (3, "both")


def test_lines_and_values_of_text_are_limited(tmp_path):
    """Each takes 50 bytes and more in memory, of one or two in the file."""
    path = tmp_path / "file.txt"
    path.write_bytes(b"1\n" * (files.MAX_VALUES + 1))
    with pytest.raises(FileError, match="holds more than 5,000,000 lines; split it"):
        files.lines(path, "")
    path.write_bytes(b"a,b\n" + b",\n" * (files.MAX_VALUES // 2 + 1))
    with pytest.raises(FileError, match="holds more than 5,000,000 values; split it"):
        files.csv_rows(path, "")
