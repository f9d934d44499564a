"""`verify` and the readers agree on which stores can be read: each kind of file is deleted, cut, or replaced."""

import os
import shutil

import pytest
from click.testing import CliRunner
from fairlane.cli import commands
from fairlane.results.store.layout import StoreError
from fairlane.results.verify import verify

from .damage import build, read

SPOIL = {
    "deleted": lambda path: path.unlink(),
    "empty": lambda path: path.write_bytes(b""),
    "cut": lambda path: path.write_bytes(path.read_bytes()[: path.stat().st_size // 2]),
    "a folder": lambda path: (path.unlink(), path.mkdir()),
    "a pipe": lambda path: (path.unlink(), os.mkfifo(path)),
}


@pytest.fixture(scope="module", params=["tables", "journal"])
def whole(tmp_path_factory, request):
    folder = tmp_path_factory.mktemp("whole") / "store"
    build(folder, request.param == "journal")
    (folder / "programs").mkdir()
    return folder


def readers_say(folder, before):
    """The line with which a reader refuses the store or names what is missing; empty if it reads everything."""
    try:
        rows, notice = read(folder)
    except StoreError as error:
        return str(error)
    return notice or ("" if rows == before else "other values, in silence")


@pytest.mark.parametrize("spoil", SPOIL)
def test_verify_and_readers_agree_about_each_file(whole, tmp_path, spoil):
    before, _ = read(whole)
    disagreements, said_by_readers = [], 0
    for path in sorted(path for path in whole.rglob("*") if path.is_file()):
        folder = tmp_path / "store"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(whole, folder)
        SPOIL[spoil](folder / path.relative_to(whole))
        found = verify(folder)
        said = readers_say(folder, before)
        said_by_readers += bool(said)
        # A journal that is gone leaves no trace but fewer runs, which both count.
        counted = any(f"{present} of {planned} runs" in said for present, planned in found.runs.values())
        if said and not (found.damage or found.obstacle or counted):
            disagreements.append((str(path.relative_to(whole)), said))
        if "in silence" in said:
            disagreements.append((str(path.relative_to(whole)), said))
    assert not disagreements
    assert said_by_readers > 3


def test_the_commands_agree_about_a_deleted_plan(whole, tmp_path):
    folder = tmp_path / "store"
    shutil.copytree(whole, folder)
    for path in folder.glob("plans/*"):
        path.unlink()
    lines = []
    for arguments in (["table", str(folder)], ["verify", str(folder)], ["verify", str(folder), "--repair"]):
        found = CliRunner().invoke(commands, arguments)
        assert found.exit_code != 0
        lines.append(found.stderr)
    for line in lines:
        assert f"no experiment is planned in '{folder}'; run the experiment again" in line
