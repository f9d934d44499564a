"""Tests follow every page in order: they write its files, run its commands and execute its Python.

commands.toml lists replaced and skipped commands with the reason. A command that is neither run nor listed fails the
test of its page.
"""

import ast
import fnmatch
import os
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import click
import pytest
from fairlane.cli import commands
from fairlane.results.metrics import catalogue
from fairlane.results.metrics.metric import REGISTRY

from .conftest import HOW, PAGES, ROOT, walk

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
INSTALLED = {"fairlane", *(re.split(r"[^\w-]", line)[0] for line in PROJECT["dependencies"])}
"""Modules that come with Fairlane; the packages are called as their modules."""
WALKED = {page: found for page, text in PAGES.items() if (found := list(walk.steps(text)))}


def entries(kind, page, text):
    """The entries of commands.toml for this step of this page."""
    return [
        entry
        for entry in HOW[kind]
        if fnmatch.fnmatch(page, entry.get("page", "*")) and text in (entry.get("commands") or [entry.get("command")])
    ]


class Reader:
    """Follows a page in an empty folder."""

    def __init__(self, page, cli, folder):
        self.page, self.cli, self.folder = page, cli, folder
        self.names = {"__name__": "__main__"}
        self.done, self.installed = set(), set()
        self.printed = None

    def prepare(self):
        for entry in HOW["before"]:
            if not fnmatch.fnmatch(self.page, entry["page"]):
                continue
            for name in entry.get("links", []):
                Path(name).symlink_to(ROOT / name)
            for name, text in entry.get("files", {}).items():
                Path(name).parent.mkdir(exist_ok=True)
                Path(name).write_text(text)
            for command in entry.get("commands", []):
                self.run(command)

    def do(self, step):
        if step.kind == "file":
            text = step.text
            for entry in HOW["shorter"]:
                if fnmatch.fnmatch(self.page, entry["page"]) and entry["file"] == step.name:
                    assert entry["words"] in text, f"commands.toml shortens {step.name}, which does not say so"
                    text = text.replace(entry["words"], entry["instead"])
            Path(step.name).write_text(text)
            if step.name.endswith(".py"):
                self.check_imports(step)
        elif step.kind == "python":
            self.check_imports(step)
            exec(compile(step.text, self.page, "exec"), self.names)
        elif step.kind == "shown":
            assert self.printed is not None, f"commands.toml runs another command than the one that shows {step.text}"
            assert walk.is_shown(step.text, self.printed), f"shown:\n{step.text}\nprinted:\n{self.printed}"
        else:
            self.command(step.text)

    def check_imports(self, step):
        """Python of a page imports what Fairlane installs, or what the page has installed before."""
        for node in ast.walk(ast.parse(step.text)):
            names = [one.name for one in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and node.module:
                names = [node.module]
            for name in (name.partition(".")[0] for name in names):
                own = name in INSTALLED or name in sys.stdlib_module_names or Path(f"{name}.py").exists()
                assert own or name in self.installed, f"{self.page} imports {name}; tell how to install it before"

    def command(self, text):
        self.printed = None
        if text.startswith("pip install "):
            self.installed |= set(text.split()[2:])
        if entries("elsewhere", self.page, text):
            return
        instead = entries("instead", self.page, text)
        assert len(instead) <= 1, f"{text}: several entries of commands.toml"
        if instead:
            other = instead[0].get("run", text)
            if other == text or other not in self.done:  # one that stands for several need not run again
                printed = self.run(other, instead[0].get("status", 0))
                self.printed = printed if other == text else None
            self.done.add(other)
        else:
            assert text.startswith(("fairlane ", "python ")), f"{text}: not tested; add it to tests/docs/commands.toml"
            self.printed = self.run(text)

    def run(self, text, status=0):
        if not text.startswith("fairlane "):
            done = subprocess.run(text, shell=True, capture_output=True, text=True, check=False)
            assert done.returncode == status, f"{text}: {done.stdout}{done.stderr}"
            return done.stdout
        words, _, target = text.partition(" > ")
        outcome = self.cli(*shlex.split(words)[1:])
        said = re.sub(r"^.*: \d+ runs in .*\n", "", outcome.err, flags=re.MULTILINE)  # progress of long commands
        assert (outcome.status, said) == (status, ""), text
        assert outcome.out or " -o " in text, text
        assert "anything (bpf_printk)" not in outcome.out, f"{text}: shows an empty log"
        if target:
            Path(target).write_text(outcome.out)
        return outcome.out


@pytest.mark.parametrize("page", WALKED)
def test_page(page, cli, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("ROOT", str(ROOT))
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    metrics, modules = {one.name for one in catalogue()}, set(sys.modules)
    reader = Reader(page, cli, tmp_path)
    try:
        reader.prepare()
        for step in WALKED[page]:
            reader.do(step)
    finally:
        for name in set(REGISTRY) - metrics:
            del REGISTRY[name]
        for name in set(sys.modules) - modules:
            if getattr(sys.modules[name], "__file__", None) and str(tmp_path) in str(sys.modules[name].__file__):
                del sys.modules[name]


GUIDES = [page for page in WALKED if page.startswith(("README", "docs/guides/", "docs/getting-started"))]


@pytest.mark.parametrize("page", GUIDES)
def test_a_guide_can_be_followed_as_it_is(page):
    """From an empty folder, or that of the sources: nothing is made for the reader, and every file has a name."""
    for entry in [entry for entry in HOW["before"] if fnmatch.fnmatch(page, entry["page"])]:
        assert not entry.keys() & {"files", "commands"}, "made for the reader"
    unnamed = [step.text for step in WALKED[page] if step.kind == "python"]
    assert not unnamed, "Python without a file name: begin it with # NAME.py, and show the command that runs it"


def test_no_entry_is_left_over():
    told = {(page, step.text) for page, found in WALKED.items() for step in found if step.kind == "command"}
    for kind in ("elsewhere", "instead"):
        for entry in HOW[kind]:
            assert entry["why"]
            for command in entry.get("commands") or [entry["command"]]:
                pages = [page for page, text in told if text == command]
                assert fnmatch.filter(pages, entry.get("page", "*")), f"{command}: no page has it"
    for entry in HOW["elsewhere"]:
        assert (ROOT / entry["checked_by"]).exists(), entry["checked_by"]
    for entry in [*HOW["before"], *HOW["shorter"]]:
        assert fnmatch.filter(WALKED, entry["page"]), entry["page"]


@pytest.mark.parametrize("page", [page for page, text in PAGES.items() if walk.inline_commands(text)])
def test_mentioned_commands_exist(page):
    """Commands inside of sentences: the command and each option are there."""
    for text in walk.inline_commands(PAGES[page]):
        command, context = commands, click.Context(commands, info_name="fairlane")
        for word in re.sub(r"\.\.\.|\s*&&.*", "", text).split()[1:]:
            if word == "--":  # arguments of another program follow
                break
            if word.startswith("--") or re.fullmatch(r"-[a-z]", word):
                options = [name for one in command.get_params(context) for name in [*one.opts, *one.secondary_opts]]
                assert word.partition("=")[0] in options, text
            elif isinstance(command, click.Group) and word != "COMMAND":
                command = command.get_command(context, word)
                assert command is not None, text
                context = click.Context(command, info_name=word, parent=context)
