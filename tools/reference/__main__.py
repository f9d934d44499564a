"""Writes the generated pages and modules again: python -m tools.reference [FOLDER, default docs/reference]."""

import sys
from pathlib import Path

from tools.reference import contract


def main(folder: Path) -> None:
    """Writes the pages that differ and names them."""
    if not folder.is_dir():
        sys.exit(f"'{folder}' does not exist; run this in the root of the repository, or name the folder")
    _write(contract.FILE, contract.text())
    from tools.reference import pages  # made of what has just been written

    for name, text in pages().items():
        _write(folder / name, text())


def _write(path: Path, text: str) -> None:
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")
        print(f"written: {path}")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "docs/reference"))
