"""Writes the hashes of the pinned packages into requirements/*.txt: `make pins`, after a manual change of a version.

Each package has the hashes of all its files, for every platform and Python version, so that pip rejects any other
file. Needs uv, which resolves packages for all platforms at once, and the package index.
"""

import re
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent.parent / "requirements"
OLDEST_PYTHON = "3.11.5"
"""The first version that all packages of the documentation support; Fairlane itself needs 3.11."""


def pinned(path: Path) -> str:
    """The updated file: its opening comment, and its packages with their hashes."""
    text = path.read_text(encoding="utf-8")
    comment = "".join(re.findall(r"^#.*\n", text, re.MULTILINE))
    packages = re.findall(r"^[A-Za-z0-9].*?==[^\s\\]+(?: ; [^\\\n]+)?", text, re.MULTILINE)
    command = ["uv", "pip", "compile", "--quiet", "--universal", "--python-version", OLDEST_PYTHON, "--generate-hashes",
               "--no-deps", "--no-header", "--no-annotate", "--no-emit-index-url", "-"]  # fmt: skip
    done = subprocess.run(command, input="\n".join(packages), capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{path.name}: {done.stderr.strip()}")
    return comment + done.stdout


def main() -> None:
    """Writes all files."""
    for path in sorted(FOLDER.glob("*.txt")):
        path.write_text(pinned(path), encoding="utf-8")


if __name__ == "__main__":
    main()
