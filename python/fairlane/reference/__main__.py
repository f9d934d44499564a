"""Writes the generated pages again: python -m fairlane.reference [FOLDER, default docs/reference]."""

import sys
from pathlib import Path

from fairlane.reference import pages


def main(folder: Path) -> None:
    """Writes the pages that differ and names them."""
    if not folder.is_dir():
        sys.exit(f"there is no folder '{folder}'; call this from the root of the repository, or name the folder")
    for name, text in pages().items():
        path, new = folder / name, text()
        if not path.exists() or path.read_text(encoding="utf-8") != new:
            path.write_text(new, encoding="utf-8")
            print(f"written: {path}")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "docs/reference"))
