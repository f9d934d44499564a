"""A user's yes to running Python files of others, remembered with a checksum of their content."""

from collections.abc import Callable
from pathlib import Path

from fairlane.algorithm.program_files import files
from fairlane.engine import checksum
from fairlane.files import state_folder


def has_consent(path: Path, ask: Callable[[], bool]) -> bool:
    """Whether the user agreed to run this file, or those of this folder, as they are now; else what `ask` answers.

    A yes is for the content, so that other content is asked about.
    """
    known = state_folder() / "trusted"
    sources = [one for file in (sorted(path.rglob("*.py")) if path.is_dir() else [path]) for one in files(str(file))]
    contents = "".join(f"{checksum(source.read_bytes())} {source}\n" for source in sources)
    line = f"{checksum(contents.encode(errors='surrogateescape'))} {path.resolve()}"
    if known.is_file() and line in known.read_text(encoding="utf-8", errors="replace").splitlines():
        return True
    if not ask():
        return False
    known.parent.mkdir(parents=True, exist_ok=True)
    with known.open("a", encoding="utf-8") as file:
        file.write(f"{line}\n")
    return True
