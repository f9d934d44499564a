"""`make docs` fails on a broken link, a broken anchor, and a page that no menu has."""

import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from .conftest import ROOT

pytest.importorskip("mkdocs", reason="`make docs` installs mkdocs")

SOUND = {"index.md": "# Home\n\n[here](second.md#there)\n", "second.md": "# Second\n\n## There\n"}
BROKEN = {
    "a page that does not exist": ("index.md", "[x](none.md)", "'none.md'"),
    "an anchor that does not exist": ("index.md", "[x](second.md#none)", "#none'"),
    "a page in no menu": ("third.md", "# Third", "third.md"),
}


def build(folder, pages):
    """Runs the command of `make docs` on these pages, with the checks that the documentation has."""
    [line] = [line for line in (ROOT / "Makefile").read_text().splitlines() if "mkdocs build" in line]
    command = line.strip().removeprefix("@").partition(" && ")[0].split()
    assert command[0] == "$(RUN)/mkdocs"
    config = (ROOT / "mkdocs.yml").read_text()
    start = config.index("\nvalidation:")
    validation = config[start : config.index("\n\n", start)]
    menu = "nav: [{ Home: index.md }, { Second: second.md }]"
    (folder / "mkdocs.yml").write_text(f"site_name: x\ntheme: null\nplugins: []\n{menu}{validation}\n")
    (folder / "docs").mkdir()
    for name, text in pages.items():
        (folder / "docs" / name).write_text(text)
    mkdocs = [sys.executable, "-m", "mkdocs", *command[1:]]
    return subprocess.run(mkdocs, cwd=folder, capture_output=True, text=True, check=False), shlex.join(mkdocs)


def test_sound_pages_pass(tmp_path):
    done, command = build(tmp_path, SOUND)
    assert done.returncode == 0, f"{command}: {done.stderr}"
    assert Path(tmp_path, "site", "index.html").exists()


@pytest.mark.parametrize(("page", "text", "shown"), BROKEN.values(), ids=BROKEN)
def test_a_mistake_fails(tmp_path, page, text, shown):
    done, command = build(tmp_path, {**SOUND, page: f"{SOUND.get(page, '')}\n{text}\n"})
    assert done.returncode != 0, f"{command} passes"
    assert shown in done.stderr
