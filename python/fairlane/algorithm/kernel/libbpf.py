"""The functions of the system's libbpf that we call, through ctypes, so that no build is needed.

Signatures, errors as exceptions, and the lines that libbpf prints, the verifier's log among them. `loading` and
`registry` explain the calls.
"""

import contextlib
import ctypes
import errno
import os
import threading
from collections.abc import Iterator
from ctypes import c_bool, c_char, c_char_p, c_int, c_size_t, c_uint32, c_void_p
from functools import cache

from fairlane.algorithm.kernel import Lacking
from fairlane.algorithm.kernel.machine import install_command

STRUCT_OPS = 26
"""The kind of map that holds a table of callbacks (BPF_MAP_TYPE_STRUCT_OPS)."""


class MapInfo(ctypes.Structure):
    """The kernel's description of a map: the first members of struct bpf_map_info."""

    _fields_ = (
        ("type", c_uint32),
        ("id", c_uint32),
        ("key_size", c_uint32),
        ("value_size", c_uint32),
        ("max_entries", c_uint32),
        ("flags", c_uint32),
        ("name", c_char * 16),
    )


class _OpenOptions(ctypes.Structure):
    """struct bpf_object_open_opts, up to what we set."""

    _fields_ = (
        ("size", c_size_t),
        ("object_name", c_char_p),
        ("relaxed_maps", c_bool),
        ("pin_root_path", c_char_p),
        ("unused", c_uint32),
        ("kconfig", c_char_p),
    )


# The third argument is a va_list, which all of Linux's 64-bit machines hand over as one pointer-sized word.
_PRINT = ctypes.CFUNCTYPE(c_int, c_int, c_char_p, c_void_p)

_SIGNATURES: dict[str, tuple[object, list[object]]] = {
    "libbpf_set_print": (c_void_p, [c_void_p]),
    "bpf_object__open_mem": (c_void_p, [c_char_p, c_size_t, ctypes.POINTER(_OpenOptions)]),
    "bpf_object__load": (c_int, [c_void_p]),
    "bpf_object__close": (None, [c_void_p]),
    "bpf_object__next_program": (c_void_p, [c_void_p, c_void_p]),
    "bpf_program__name": (c_char_p, [c_void_p]),
    "bpf_program__set_autoload": (c_int, [c_void_p, c_bool]),
    "bpf_object__next_map": (c_void_p, [c_void_p, c_void_p]),
    "bpf_map__name": (c_char_p, [c_void_p]),
    "bpf_map__type": (c_int, [c_void_p]),
    "bpf_map__set_autocreate": (c_int, [c_void_p, c_bool]),
    "bpf_object__find_map_by_name": (c_void_p, [c_void_p, c_char_p]),
    "bpf_map__attach_struct_ops": (c_void_p, [c_void_p]),
    "bpf_link__disconnect": (None, [c_void_p]),
    "bpf_link__destroy": (c_int, [c_void_p]),
    "bpf_map_get_next_id": (c_int, [c_uint32, ctypes.POINTER(c_uint32)]),
    "bpf_map_get_fd_by_id": (c_int, [c_uint32]),
    "bpf_obj_get_info_by_fd": (c_int, [c_int, c_void_p, ctypes.POINTER(c_uint32)]),
    "bpf_map_lookup_elem": (c_int, [c_int, c_void_p, c_void_p]),
    "bpf_map_delete_elem": (c_int, [c_int, c_void_p]),
}

_lock = threading.Lock()


@cache
def library() -> ctypes.CDLL:
    """libbpf, version 1 or later; raises Lacking without it."""
    try:
        found = ctypes.CDLL("libbpf.so.1", use_errno=True)
    except OSError:
        command = install_command("libbpf1")
        raise Lacking(f"the library libbpf (version 1.0 or later) is missing; install it: {command}") from None
    for name, (result, arguments) in _SIGNATURES.items():
        function = getattr(found, name)
        function.restype, function.argtypes = result, arguments
    return found


@contextlib.contextmanager
def listening() -> Iterator[list[str]]:
    """Collects libbpf's messages, line by line, instead of printing them."""
    lines: list[str] = []
    c_library = ctypes.CDLL(None)
    c_library.vasprintf.argtypes = [ctypes.POINTER(c_void_p), c_char_p, c_void_p]
    c_library.free.argtypes = [c_void_p]

    def note(level: int, form: bytes, arguments: int) -> int:
        text = c_void_p()
        if level < 2 and c_library.vasprintf(ctypes.byref(text), form, arguments) >= 0:
            said = ctypes.cast(text, c_char_p).value or b""
            lines.extend(said.decode(errors="replace").splitlines())
            c_library.free(text)
        return 0

    callback = _PRINT(note)
    with _lock:  # the callback is one for the whole process
        earlier = library().libbpf_set_print(ctypes.cast(callback, c_void_p))
        try:
            yield lines
        finally:
            library().libbpf_set_print(earlier)


@contextlib.contextmanager
def opened(data: bytes, kconfig: str) -> Iterator[int]:
    """An object file as libbpf's object, closed at the end. `kconfig`: lines that the kernel's configuration lacks."""
    options = _OpenOptions(object_name=b"fairlane", kconfig=kconfig.encode())
    options.size = ctypes.sizeof(options)
    pointer = library().bpf_object__open_mem(data, len(data), ctypes.byref(options))
    if not pointer:
        raise failure()
    try:
        yield pointer
    finally:
        library().bpf_object__close(pointer)


def keep_only(pointer: int, table: str, programs: set[str]) -> None:
    """Leaves out other tables of callbacks, and programs that are in none."""
    bpf = library()
    program = bpf.bpf_object__next_program(pointer, None)
    while program:
        if bpf.bpf_program__name(program).decode() not in programs:
            _check(bpf.bpf_program__set_autoload(program, False))
        program = bpf.bpf_object__next_program(pointer, program)
    entry = bpf.bpf_object__next_map(pointer, None)
    while entry:
        if bpf.bpf_map__type(entry) == STRUCT_OPS and bpf.bpf_map__name(entry).decode() != table:
            _check(bpf.bpf_map__set_autocreate(entry, False))
        entry = bpf.bpf_object__next_map(pointer, entry)


def load(pointer: int) -> None:
    """Has the kernel verify and keep all programs of an object; raises OSError."""
    _check(library().bpf_object__load(pointer))


def register(pointer: int, table: str) -> None:
    """Registers the callbacks of `table` for good: they outlive this process. Raises OSError."""
    entry = library().bpf_object__find_map_by_name(pointer, table.encode())
    if not entry:
        raise failure()
    link = library().bpf_map__attach_struct_ops(entry)
    if not link:
        raise failure()
    library().bpf_link__disconnect(link)  # otherwise the next line would unregister them
    library().bpf_link__destroy(link)


def map_ids() -> Iterator[int]:
    """The numbers of all maps in the kernel; raises OSError."""
    number = c_uint32(0)
    while library().bpf_map_get_next_id(number, ctypes.byref(number)) == 0:
        yield number.value
    if ctypes.get_errno() != errno.ENOENT:
        raise failure()


@contextlib.contextmanager
def map_by_id(number: int) -> Iterator[tuple[int, MapInfo]]:
    """A map's descriptor, and what the kernel says about it; raises OSError if it is gone."""
    descriptor = library().bpf_map_get_fd_by_id(number)
    _check(descriptor)
    try:
        info, size = MapInfo(), c_uint32(ctypes.sizeof(MapInfo))
        _check(library().bpf_obj_get_info_by_fd(descriptor, ctypes.byref(info), ctypes.byref(size)))
        yield descriptor, info
    finally:
        os.close(descriptor)


def read_entry(descriptor: int, size: int) -> bytes:
    """The only entry of a table of callbacks."""
    value = ctypes.create_string_buffer(size)
    _check(library().bpf_map_lookup_elem(descriptor, ctypes.byref(c_uint32(0)), value))
    return value.raw


def delete_entry(descriptor: int) -> None:
    """Unregisters a table of callbacks."""
    _check(library().bpf_map_delete_elem(descriptor, ctypes.byref(c_uint32(0))))


def failure() -> OSError:
    """The error that the last call left."""
    number = ctypes.get_errno()
    return OSError(number, os.strerror(number))


def _check(status: int) -> None:
    if status < 0:
        raise failure()
