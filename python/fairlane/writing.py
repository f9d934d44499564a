"""Writes output files: completely or not at all, and only at the path that the user gave.

A symbolic link at that path may come from another user of a shared folder, or from an archive with results, and would
redirect the output to a different file. It is refused.
"""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def replacing(path: Path, *, inside: Path | None = None) -> Iterator[Path]:
    """A temporary file with the same suffix, which replaces `path` at the end unless an error occurred.

    Folders between `inside` and the file may not be symbolic links either. Raises OSError.
    """
    refuse_links(path, inside)
    temporary = path.with_name(f".{path.stem[:100]}.{os.getpid()}-{os.urandom(4).hex()}{path.suffix}")
    os.close(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o666))
    try:
        yield temporary
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def write_text(path: Path, text: str, *, inside: Path | None = None) -> None:
    """Writes a file in UTF-8. Raises OSError."""
    with replacing(path, inside=inside) as temporary:
        temporary.write_text(text, encoding="utf-8")


def write_bytes(path: Path, content: bytes) -> None:
    """Writes a file that outlives a power failure: readers see the old content or the new, never a part.

    Raises OSError.
    """
    with replacing(path) as temporary, temporary.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Makes renames in this folder outlive a power failure."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def refuse_links(path: Path, inside: Path | None = None) -> None:
    """Raises OSError if `path` is a symbolic link or not a regular file, or a folder below `inside` is a link."""
    folders = [one for one in path.parents if inside is not None and one != inside and one.is_relative_to(inside)]
    for place in (path, *folders):
        try:
            mode = place.lstat().st_mode
        except FileNotFoundError:
            continue
        if stat.S_ISLNK(mode):
            raise OSError(errno.ELOOP, "it is a symbolic link: remove it", str(place))
        if place is path and not stat.S_ISREG(mode):
            raise OSError(errno.EEXIST, "it is not a regular file", str(place))
