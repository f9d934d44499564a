"""Namespaces of Linux for this process: new ones, and those of others."""

import ctypes
import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from fairlane.algorithm.kernel import Lacking

_CLONE_NEWNS = 0x00020000
_CLONE_NEWUSER = 0x10000000
_CLONE_NEWPID = 0x20000000
_CLONE_NEWNET = 0x40000000
"""linux/sched.h"""
_MS_BIND, _MS_REC, _MS_PRIVATE = 0x1000, 0x4000, 0x40000
"""linux/mount.h"""
_PR_SET_PDEATHSIG = 1
"""linux/prctl.h"""
_OWN = "/proc/thread-self/ns/net"

# os.setns and os.unshare came with Python 3.12.
_libc = ctypes.CDLL(None, use_errno=True)


def become_root_of_own() -> None:
    """From here on this process may create networks and mounts, which only it and its children see.

    Without root's rights it becomes root of a user namespace. Raises Lacking where that is not allowed.
    """
    user, group = os.geteuid(), os.getegid()
    if user != 0 or not _may_return():
        # With a network of its own, because it could not return to the present one.
        _unshare(_CLONE_NEWUSER | _CLONE_NEWNET)
        Path("/proc/self/setgroups").write_text("deny", encoding="ascii")
        Path("/proc/self/uid_map").write_text(f"0 {user} 1", encoding="ascii")
        Path("/proc/self/gid_map").write_text(f"0 {group} 1", encoding="ascii")
    _unshare(_CLONE_NEWNS)
    _checked(_libc.mount(b"none", b"/", None, _MS_REC | _MS_PRIVATE, None), "mount namespace")


def _may_return() -> bool:
    """Whether this process may come back to its network namespace; root of a container often may not."""
    network = current_network()
    try:
        return int(_libc.setns(network, _CLONE_NEWNET)) == 0
    finally:
        os.close(network)


def become_user(user: int, group: int) -> None:
    """Undoes what `become_root_of_own` did to the user's number; the rights over the network go, too."""
    if os.geteuid() == user:
        return
    _unshare(_CLONE_NEWUSER)
    Path("/proc/self/uid_map").write_text(f"{user} 0 1", encoding="ascii")
    Path("/proc/self/gid_map").write_text(f"{group} 0 1", encoding="ascii")


def children_end_with_first() -> None:
    """The next process that this one starts is the first of a group (a PID namespace); all others end with it.

    That holds for those that this process starts later and for their children, in any case. The first one ends
    only when this process has waited for the others. This process can start no threads any more.
    """
    _unshare(_CLONE_NEWPID)


def see_own_processes() -> None:
    """This process, one of such a group, finds the group in /proc, if the mounts of this machine allow that."""
    _unshare(_CLONE_NEWNS)
    _libc.mount(b"proc", b"/proc", b"proc", 0, None)


def new_network() -> int:
    """A network namespace with nothing in it; this process stays where it is."""
    before = current_network()
    _unshare(_CLONE_NEWNET)
    made = current_network()
    _set(before)
    os.close(before)
    return made


def current_network() -> int:
    """The network namespace of this process, as an open file."""
    return os.open(_OWN, os.O_RDONLY | os.O_CLOEXEC)


@contextmanager
def inside(network: int) -> Iterator[None]:
    """This process is in that network namespace meanwhile."""
    before = current_network()
    _set(network)
    try:
        yield
    finally:
        _set(before)
        os.close(before)


def enter(network: int) -> None:
    """This process moves into that network namespace."""
    _set(network)


def die_with_parent() -> None:
    """The kernel kills this process when its parent ends."""
    _libc.prctl(_PR_SET_PDEATHSIG, 9, 0, 0, 0)


def replace_file(path: str, by: Path) -> None:
    """All processes of this mount namespace find another file there."""
    _checked(_libc.mount(os.fsencode(by), os.fsencode(path), None, _MS_BIND, None), f"mount at {path}")


def remedy() -> str:
    """The end of a message that rights are missing."""
    if os.geteuid() != 0:
        return "run it as root"
    return "root has no such right in this container or namespace; allow it there (CAP_SYS_ADMIN), or run it outside"


def _set(network: int) -> None:
    _checked(_libc.setns(network, _CLONE_NEWNET), "network namespace")


def _unshare(kind: int) -> None:
    _checked(_libc.unshare(kind), "namespace")


def _checked(status: int, what: str) -> None:
    if status < 0:
        number = ctypes.get_errno()
        more = "raise the limits in /proc/sys/user" if number in (errno.ENOSPC, errno.EUSERS) else remedy()
        raise Lacking(f"a {what} may not be used here ({os.strerror(number)}); {more}")
