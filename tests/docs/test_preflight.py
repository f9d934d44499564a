"""tools/preflight names what is missing or too old, and how to install it."""

import os
import pty
import subprocess
import sys
import tomllib

import pytest

from .conftest import ROOT

NEEDED = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]["rust-version"]
PREFLIGHT = str(ROOT / "tools" / "preflight")


def preflight(folder, **programs):
    """Runs it with these programs before those of the machine: name and what each prints."""
    for name, printed in programs.items():
        (folder / name).write_text(f"#!/bin/sh\n{printed}\n")
        (folder / name).chmod(0o755)
    environment = {
        **os.environ,
        "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}",
        "PYTHON": sys.executable,
        "CC": "sh",
    }
    return subprocess.run([PREFLIGHT], env=environment, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("version", [f"{NEEDED}.0", f"{NEEDED}.1 (abc 2025-01-01)", "1.100.0", "2.0.0"])
def test_a_new_enough_rust_is_accepted(tmp_path, version):
    done = preflight(tmp_path, cargo=f"echo 'cargo {version}'")
    assert (done.returncode, done.stdout, done.stderr) == (0, f"{sys.executable}\n", "")


@pytest.mark.parametrize("version", ["1.66.0", "1.9.0", "0.66.0"])
def test_an_old_rust_is_named_with_the_remedy(tmp_path, version):
    done = preflight(tmp_path, cargo=f"echo 'cargo {version}'", rustup="exit 0")
    assert (done.returncode, done.stdout) == (1, "")
    short = version.removesuffix(".0")
    assert f"Rust {NEEDED} or later (cargo is {short}); install with: rustup update stable" in done.stderr


def test_no_rust_is_named(tmp_path):
    done = preflight(tmp_path, cargo="exit 127", rustup="exit 0")
    assert done.returncode == 1
    assert f"Fairlane needs Rust {NEEDED} or later (cargo); install with: " in done.stderr


def test_a_terminal_is_told_that_all_is_there(tmp_path):
    ours, theirs = pty.openpty()
    (tmp_path / "cargo").write_text(f"#!/bin/sh\necho 'cargo {NEEDED}.0'\n")
    (tmp_path / "cargo").chmod(0o755)
    environment = {**os.environ, "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}", "CC": "sh"}
    done = subprocess.run([PREFLIGHT], env=environment, stdout=theirs, stderr=subprocess.PIPE, text=True, check=True)
    os.close(theirs)
    os.close(ours)
    assert done.stderr == f"ready: Rust {NEEDED}, a C compiler (sh), and this Python\n"
