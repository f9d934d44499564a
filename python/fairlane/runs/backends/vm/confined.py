"""The folder and the user of QEMU: started by root it becomes a user without rights.

QEMU runs in the inner one of two folders. The outer one belongs to the caller alone, so that no other user reaches the
inner one by name; QEMU is in it already. Started by root, QEMU owns the inner folder and may put anything there, also a
link: the caller reads only regular files in it, and creates none after QEMU has started.
"""

import contextlib
import os
import secrets
import shutil
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from fairlane.files import temporary_folder

_DYNAMIC = range(61_184, 65_520)
"""The users that systemd keeps free for its dynamic ones: hardly any other process has one of them."""
_NOBODY = 65_534
MAX_BYTES = 256 << 20
"""Of a file that QEMU writes: 500 flows and 1,000 samples of each take 150 MB."""


@contextlib.contextmanager
def place(files: Mapping[str, Path], contents: Mapping[str, bytes]) -> Iterator[Path]:
    """The inner folder, with these files. Only its parent may take files that the caller makes later.

    Raises OSError.
    """
    with temporary_folder("vm") as outer:
        inner = outer / "qemu"
        inner.mkdir(mode=0o700)
        for name, content in contents.items():
            (inner / name).write_bytes(content)
        user = _user(inner)
        for name, path in files.items():
            if user is None:
                (inner / name).symlink_to(path.resolve())
            else:  # it may be where only root can go
                shutil.copyfile(path, inner / name)
        if user is not None:
            for name in (*files, *contents):
                (inner / name).chmod(0o644)
        yield inner


def process_options(folder: Path) -> dict[str, Any]:
    """The options of `subprocess.Popen` for a process in such a folder."""
    owner = folder.stat()
    if owner.st_uid == os.geteuid():
        return {"cwd": folder}
    return {"cwd": folder, "user": owner.st_uid, "group": owner.st_gid, "extra_groups": ()}


def content(path: Path) -> bytes:
    """The bytes of a file that QEMU wrote; none if there is no file or it is not a regular one of a single name."""
    with contextlib.suppress(OSError):
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with open(descriptor, "rb") as file:
            status = os.fstat(descriptor)
            if stat.S_ISREG(status.st_mode) and status.st_nlink == 1:
                return file.read(MAX_BYTES)
    return b""


def text(path: Path) -> str:
    """The text of such a file."""
    return content(path).decode(errors="replace")


def _user(folder: Path) -> int | None:
    """Gives the folder to a user, if root runs this and may; the user who called sudo owns the files there, anyway."""
    if os.geteuid() != 0:
        return None
    calling = os.environ.get("SUDO_UID", ""), os.environ.get("SUDO_GID", "")
    own = secrets.choice(_DYNAMIC)
    candidates = [(own, own), (_NOBODY, _NOBODY)]
    if all(one.isascii() and one.isdigit() and 0 < int(one) < 2**32 - 1 for one in calling):
        candidates.insert(0, (int(calling[0]), int(calling[1])))
    for user, group in candidates:  # a container may have few users
        with contextlib.suppress(OSError):
            os.chown(folder, user, group)
            return user
    return None
