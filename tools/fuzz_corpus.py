"""Inputs that libFuzzer found and that `make test` replays, in one file for each target: fuzz/corpus/TARGET.json.

python -m tools.fuzz_corpus pack TARGET FOLDER    keeps the short ones of a folder, as `-set_cover_merge=1` makes it
python -m tools.fuzz_corpus unpack TARGET FOLDER  writes each into a file, as libFuzzer wants them
"""

import json
import sys
from pathlib import Path

from fairlane.engine import checksum

CORPUS = Path(__file__).parent.parent / "fuzz" / "corpus"
MOST_BYTES = 1_000
"""Of an input: longer ones reach little more."""


def pack(target: str, folder: Path) -> None:
    """Targets refuse other bytes than UTF-8 unread."""
    texts = [one.read_bytes().decode(errors="ignore") for one in folder.iterdir() if one.stat().st_size <= MOST_BYTES]
    lines = ",\n".join(json.dumps(text) for text in sorted(set(texts)))
    (CORPUS / f"{target}.json").write_text(f"[\n{lines}\n]\n", encoding="ascii")


def unpack(target: str, folder: Path) -> None:
    """Writes the inputs beside those that are there."""
    folder.mkdir(parents=True, exist_ok=True)
    for text in json.loads((CORPUS / f"{target}.json").read_text()):
        (folder / checksum(text.encode())).write_text(text)


if __name__ == "__main__":
    {"pack": pack, "unpack": unpack}[sys.argv[1]](sys.argv[2], Path(sys.argv[3]))
