"""`make wheels` gives the compiler a profile if it can make one."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
RUSTC = """#!/bin/sh
case $1 in
  -vV) printf 'host: x86_64-unknown-linux-gnu\\nLLVM version: 99.1.2\\n' ;;
  *) echo /nonexistent ;;
esac
"""


def test_without_a_matching_llvm_the_build_is_plain_and_says_so(tmp_path):
    (tmp_path / "rustc").write_text(RUSTC)
    (tmp_path / "llvm-profdata-99").write_text("#!/bin/sh\necho LLVM version 98.0.0\n")
    for program in tmp_path.iterdir():
        program.chmod(0o755)
    old = tmp_path / "fairlane.profdata"
    old.write_text("of another compiler")
    environment = {**os.environ, "PATH": f"{tmp_path}:/usr/bin:/bin"}
    command = [ROOT / "tools" / "profile" / "collect", sys.executable, old]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    assert "LLVM 99" in done.stderr
    assert "apt-get install llvm-99" in done.stderr
    assert not old.exists()
