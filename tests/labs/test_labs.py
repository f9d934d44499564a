"""The labs: a solution of each passes, the start of each fails, and grades do not depend on chance."""

import json
import shutil
from pathlib import Path

import pytest
from fairlane.search import labs

HERE = Path(__file__).parent
SOLUTIONS = json.loads((HERE / "solutions.json").read_text())
NAMES = [one.name for one in labs.labs()]


def handed_in(folder: Path, name: str, answers: dict) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "answers.json").write_text(json.dumps({"lab": name, "answers": answers}))
    return folder


@pytest.mark.parametrize("name", NAMES)
def test_a_solution_passes_in_the_open_and_in_a_hidden_network(name, tmp_path):
    if name == "design":
        shutil.copy(HERE / "mine.c", tmp_path)
    _, grades = labs.grade(handed_in(tmp_path, name, SOLUTIONS[name]), seed=7)
    assert [one for one in grades if not one.passed] == []


@pytest.mark.parametrize("name", NAMES)
def test_what_a_lab_starts_with_does_not_pass(name, tmp_path):
    chosen = labs.lab(name)
    labs.start(chosen, tmp_path / "lab")
    given = {one["id"]: one["start"] for one in chosen.questions if one["kind"] == "scene"}
    _, grades = labs.grade(handed_in(tmp_path / "lab", name, given))
    assert [one.question for one in grades if one.passed] == ["pair"] * (name == "design")  # Reno is fair to itself


def test_a_student_gets_no_solutions_and_no_questions_with_bounds(tmp_path):
    labs.start(labs.lab("design"), tmp_path / "lab")
    assert sorted(path.name for path in (tmp_path / "lab").iterdir()) == ["README.md", "answers.json", "mine.c"]


def test_a_scene_must_keep_what_the_question_gives(tmp_path):
    answer = {"one": "flows=reno&rate=1mbit&rtt=40ms&buffer=0.75bdp&time=60s"}
    _, (one, *_) = labs.grade(handed_in(tmp_path, "buffer", answer))
    assert (one.passed, one.detail) == (False, "rate must stay 10mbit")


def test_a_scene_may_be_typed_or_copied_from_the_page(tmp_path):
    typed = "flows=cubic&rate=10mbit&rtt=40ms&loss=1%&time=5s"
    copied = "http://127.0.0.1:8080/#flows=cubic&rate=10mbit&rtt=40ms&loss=1%25&time=5s"
    assert labs.figures(typed, tmp_path) == labs.figures(copied, tmp_path)


def test_a_scene_may_have_a_mobile_link_but_no_file_as_its_trace(tmp_path):
    found = labs.figures("flows=cubic&trace=lte&rtt=50ms&buffer=1bdp&time=2s", tmp_path)
    assert 0 < found["goodput_0_mbps"] < 26
    with pytest.raises(labs.LabError, match="no trace /etc/passwd; there are lte, 5g, starlink"):
        labs.figures("flows=cubic&trace=/etc/passwd&time=2s", tmp_path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("[]", "is no form of answers"),
        ('{"lab": "sawtoth", "answers": {}}', "did you mean sawtooth?"),
        ("{", "is not valid JSON"),
    ],
)
def test_an_unusable_form_is_one_line(cli, tmp_path, content, message):
    (tmp_path / "answers.json").write_text(content)
    done = cli("lab", "grade", tmp_path)
    assert done.status == 2
    assert message in done.err
    assert done.err.count("\n") == 1


def test_grades_for_scripts(cli, tmp_path):
    handed_in(tmp_path, "sawtooth", {**SOLUTIONS["sawtooth"], "rtt": 40})
    done = cli("lab", "grade", tmp_path, "--json")
    assert done.status == 1
    graded = json.loads(done.out)
    assert (graded["passed"], graded["questions"]) == (3, 4)
    assert [one["detail"] for one in graded["grades"] if not one["passed"]] == ["40 ms is more than 6 % off"]


@pytest.mark.parametrize(
    ("scene", "reason"),
    [
        ("flows=./theirs.py reno", "give a bundled algorithm, rules, or a C file of the folder"),
        ("flows={folder}/theirs.py reno", "give a bundled algorithm, rules, or a C file of the folder"),
        ("flows=./../theirs.c reno", "give a bundled algorithm, rules, or a C file of the folder"),
        ("flows=./linked.c reno", "linked.c: is a link; hand in the file itself"),
        ("flows=reno*1000000", "the most is 100 flows"),
        (f"flows={'reno ' * 3000}", "the most is 10,000 characters"),
        ("flows=reno*x", "reno*x"),
        ("flows=reno reno&interval=100us", "the shortest interval is 1 ms"),
        ("flows=reno reno", "the scene has no parameter_0_keep"),
    ],
)
def test_a_scene_of_a_student_runs_no_python_and_ends_soon(scene, reason, tmp_path):
    (tmp_path / "theirs.py").write_text("from pathlib import Path\n(Path(__file__).parent / 'canary').touch()\n")
    (tmp_path / "linked.c").symlink_to(labs.lab("design").folder / "mine.c")
    start = next(one["start"] for one in labs.lab("design").questions if one["id"] == "friendly")
    scene = f"{start}&{scene.format(folder=tmp_path)}"
    _, grades = labs.grade(handed_in(tmp_path, "design", {"friendly": scene}))
    assert reason in grades[0].detail
    assert not (tmp_path / "canary").exists()


def test_links_to_other_answers_and_programs_are_refused(cli, tmp_path):
    other = handed_in(tmp_path / "other", "design", {"friendly": None})
    copied = handed_in(tmp_path / "copied", "design", {})
    shutil.copy(labs.lab("design").folder / "mine.c", other)
    (copied / "mine.c").symlink_to(other / "mine.c")
    assert [one.detail for one in labs.grade(copied)[1][1:]] == [
        f"{copied}/mine.c: is a link; hand in the file itself"
    ] * 2
    (copied / "answers.json").unlink()
    (copied / "answers.json").symlink_to(other / "answers.json")
    assert cli("lab", "grade", copied).err == f"fairlane: {copied}/answers.json: is a link; hand in the file itself\n"


def test_a_scene_that_takes_too_long_is_refused(tmp_path):
    with pytest.raises(labs.LabError, match="takes too long"):
        labs.figures("flows=reno&rate=100gbit&rtt=20ms&buffer=1bdp&time=120s", tmp_path)
