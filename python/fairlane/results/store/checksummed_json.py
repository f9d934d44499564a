"""JSON files that carry their own checksum, so that damage is found when they are read."""

import json
import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from fairlane.engine import checksum
from fairlane.files import FORGED

MOST_BYTES = 128 << 20
"""Of a file that is no table: the plan of 100,000 runs takes 7 MB."""
_HEAD = b'{"blake3":"'
_DIGITS = 32


@dataclass(frozen=True)
class Damage:
    """A file that is not what was written."""

    path: Path
    what: str
    """Goes on after the path: "does not match its checksum"."""
    loses_runs: bool = True
    """False if everything in the file can be made again from the rest of the store."""

    def __str__(self) -> str:
        return f"{self.path} {self.what}"


class DamagedError(Exception):
    """Content that is not what was written; the message goes on after the path of the file."""


BROKEN = (DamagedError, OSError, *FORGED)
"""Of a file that is damaged, or that has a valid checksum and another form: Fairlane did not write it."""


def damage_of(path: Path, error: Exception, form: str = "its form", *, loses_runs: bool = True) -> Damage:
    """The damage of a file that raised one of `BROKEN` when it was read; `form` is that of such files."""
    if isinstance(error, OSError):
        return Damage(path, f"cannot be read ({error.strerror})", loses_runs)
    return Damage(path, str(error) if isinstance(error, DamagedError) else f"does not have {form}", loses_runs)


def opened(path: Path) -> BinaryIO:
    """A regular file of the store, open for reading. Raises DamagedError for others, which may block; or OSError."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise DamagedError("is not a regular file")
    return os.fdopen(descriptor, "rb")


def content_of(path: Path) -> bytes:
    """The content of a file that is no table. Raises DamagedError, or OSError."""
    with opened(path) as file:
        if os.fstat(file.fileno()).st_size > MOST_BYTES:
            raise DamagedError(f"is larger than {MOST_BYTES >> 20} MiB, the most that is read")
        return file.read(MOST_BYTES)


def holds(path: Path, content: bytes) -> bool:
    """Whether a file of the store has this content. Raises OSError."""
    try:
        with opened(path) as file:
            return file.read(len(content) + 1) == content
    except (DamagedError, FileNotFoundError):
        return False


def seal(data: Mapping[str, Any]) -> bytes:
    """The data as JSON, whose first member is the checksum of the rest."""
    text = json.dumps(data, separators=(",", ":")).encode()
    return _HEAD + checksum(text).encode() + b'",' + text[1:]


def unseal(content: bytes) -> dict[str, Any]:
    """The data of such a file. Raises DamagedError."""
    begin, end = len(_HEAD), len(_HEAD) + _DIGITS
    if content[:begin] != _HEAD or content[end : end + 2] != b'",':
        raise DamagedError("does not begin with its checksum")
    text = b"{" + content[end + 2 :]
    if checksum(text).encode() != content[begin:end]:
        raise DamagedError("does not match its checksum")
    found: dict[str, Any] = json.loads(text)
    return found


def digest(content: bytes) -> str:
    """The checksum that a sealed file carries."""
    return content[len(_HEAD) : len(_HEAD) + _DIGITS].decode()
