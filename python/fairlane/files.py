"""Files: reads those of users within limits, writes output completely or not at all, and locates data and caches.

A file that users give may come from anywhere, so all of them are read here, with the same checks: regular files only
(reading a pipe can block, a device can be unbounded), up to a size limit, UTF-8 with or without a byte order mark, and
limits on depth, number of values and integers. Code that walks through the contents can rely on these limits.

A symbolic link at the path of an output file may come from another user of a shared folder, or from an archive with
results, and would redirect the output to a different file. It is refused.
"""

import atexit
import csv
import errno
import fcntl
import io
import json
import os
import re
import shutil
import stat
import tempfile
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NoReturn

_PACKAGE = Path(__file__).resolve().parent
_SOURCE_TREE = _PACKAGE.parent.parent

MAX_BYTES = 64 << 20
"""Of any file."""
MAX_TOML_BYTES = 4 << 20
"""Of a file that is written by hand."""
MAX_DEPTH = 50
"""Tables and lists inside each other."""
MAX_VALUES = 5_000_000
MAX_TOML_VALUES = 200_000
INTEGERS = range(-(2**63), 2**64)
"""The range of integers in the engine and in TOML."""

_PART = r"""(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')"""
_LONG_KEY = re.compile(rf"(?<![\w\"'-])(?:{_PART}[ \t]*+\.[ \t]*+){{{MAX_DEPTH}}}")
_KINDS = (
    (stat.S_ISDIR, "is a folder"),
    (stat.S_ISFIFO, "is a pipe, not a regular file"),
    (stat.S_ISSOCK, "is a socket, not a regular file"),
    (stat.S_ISCHR, "is a device, not a regular file"),
    (stat.S_ISBLK, "is a device, not a regular file"),
)
MAX_CHARACTERS = 2_000
"""Of a line of an error."""


class FileError(ValueError):
    """A file that cannot be used; one line with its path, what is wrong, and the remedy."""

    def __init__(self, path: Path, reason: str, remedy: str) -> None:
        super().__init__(f"{path}: {reason}; {remedy}")
        self.path, self.reason, self.remedy = path, reason, remedy


class LimitError(ValueError):
    """Data beyond the limits of depth, number of values or size of integers; the message names no file."""


def content(path: Path, remedy: str, *, at_most: int = MAX_BYTES) -> bytes:
    """The bytes of a regular file of `at_most` bytes. Raises FileError; `remedy` ends its line."""
    try:
        # Opening a pipe that has no writer would block.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)
        try:
            mode = os.fstat(descriptor).st_mode
            for is_one, reason in _KINDS:
                if is_one(mode):
                    raise FileError(path, reason, remedy)
            found = b"".join(_blocks(descriptor, at_most))
        finally:
            os.close(descriptor)
    except FileNotFoundError:
        raise FileError(path, "there is no such file", remedy) from None
    except (OSError, ValueError) as error:
        if isinstance(error, FileError):
            raise
        why = error.strerror if isinstance(error, OSError) else error
        raise FileError(path, f"cannot be read ({why})", remedy) from None
    if len(found) > at_most:
        raise FileError(path, f"is larger than {at_most >> 20} MiB, the most that is read", remedy)
    return found


def _blocks(descriptor: int, at_most: int) -> Iterator[bytes]:
    """The content of a file, or a little more than `at_most` bytes of it."""
    while at_most >= 0 and (block := os.read(descriptor, 1 << 20)):
        at_most -= len(block)
        yield block


def text(path: Path, remedy: str, *, at_most: int = MAX_BYTES) -> str:
    """The text of a file in UTF-8. Raises FileError."""
    try:
        return content(path, remedy, at_most=at_most).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise FileError(path, "is not valid UTF-8", remedy) from None


def lines(path: Path, remedy: str) -> list[str]:
    """The lines of a text file, at most MAX_VALUES. Raises FileError."""
    written = text(path, remedy)
    if written.count("\n") + written.count("\r") > MAX_VALUES:  # each line takes 50 bytes and more in memory
        raise FileError(path, f"holds more than {MAX_VALUES:,} lines", "split it")
    return written.splitlines()


def toml(path: Path, remedy: str) -> dict[str, Any]:
    """The table that a TOML file holds. Raises FileError."""
    written = text(path, remedy, at_most=MAX_TOML_BYTES)
    if _LONG_KEY.search(written):  # reading it would take time that grows with the square of its length
        raise FileError(path, f"has a key of more than {MAX_DEPTH} parts", "write it flat")
    try:
        found = tomllib.loads(written)
        check_limits(found, MAX_TOML_VALUES)
    except tomllib.TOMLDecodeError as error:
        raise FileError(path, f"is not valid TOML: {error}", _toml_hint(written, str(error))) from None
    except (LimitError, RecursionError, ValueError) as error:
        _refuse(path, error, "TOML")
    return found


def json_value(path: Path, remedy: str) -> Any:
    """The value in a JSON file. Raises FileError."""
    written = text(path, remedy)
    try:
        found = json.loads(written, parse_constant=_no_constant)
        check_limits(found)
    except json.JSONDecodeError as error:
        raise FileError(path, f"is not valid JSON: {error}", remedy) from None
    except (LimitError, RecursionError, ValueError) as error:
        _refuse(path, error, "JSON")
    return found


def csv_rows(path: Path, remedy: str) -> tuple[list[str], list[dict[str, str]]]:
    """The columns and rows of a CSV file with a line of headings. Raises FileError."""
    reader = csv.DictReader(io.StringIO(text(path, remedy), newline=""), restval="")
    rows: list[dict[str, str]] = []
    try:
        columns = list(reader.fieldnames or [])
        for row in reader:
            rows.append(row)
            if len(rows) * len(columns) > MAX_VALUES:
                raise FileError(path, f"holds more than {MAX_VALUES:,} values", "split it")
    except csv.Error as error:
        raise FileError(path, f"is not valid CSV: line {reader.line_num}: {error}", remedy) from None
    for number, row in enumerate(rows, 2):
        if None in row:
            raise FileError(path, f"has more values than headings in row {number}", "remove the extra values")
    return columns, rows


def csv_text(rows: Iterable[Iterable[Any]]) -> str:
    """Rows as CSV, the first one of which has the headings."""
    made = io.StringIO()
    csv.writer(made, lineterminator="\n").writerows(rows)
    return made.getvalue()


def check_limits(data: Any, at_most: int = MAX_VALUES) -> None:
    """Raises LimitError if data exceeds MAX_DEPTH, `at_most` values, or INTEGERS."""
    for count, (depth, value, key) in enumerate(_walk(data), 1):
        if depth > MAX_DEPTH:
            raise LimitError(f"is nested more than {MAX_DEPTH} deep; write it flat")
        if count > at_most:
            raise LimitError(f"holds more than {at_most:,} values; split it")
        if isinstance(value, int) and value not in INTEGERS:
            raise LimitError(f"{key}: is an integer of more than 64 bits; write a smaller one")


def _walk(data: Any) -> Iterator[tuple[int, Any, str]]:
    """All values, each with its depth and the key that it is under; without recursion, which Python limits."""
    waiting = [(0, data, "the value")]
    while waiting:
        depth, value, key = waiting.pop()
        yield depth, value, key
        if isinstance(value, Mapping):
            waiting += [(depth + 1, inner, str(name)) for name, inner in value.items()]
        elif isinstance(value, (list, tuple)):
            waiting += [(depth + 1, inner, key) for inner in value]


def shortened(line: str) -> str:
    """A line without its middle: one that quotes a file or a label may be as long as these.

    >>> shortened("short"), len(shortened("x" * 200_000))
    ('short', 2005)
    """
    return line if len(line) <= MAX_CHARACTERS else f"{line[: MAX_CHARACTERS // 2]} ... {line[-MAX_CHARACTERS // 2 :]}"


def _refuse(path: Path, error: Exception, form: str) -> NoReturn:
    if isinstance(error, RecursionError):
        raise FileError(path, f"is not valid {form}: it is nested too deeply", "write it flat") from None
    if isinstance(error, LimitError):
        reason, _, remedy = str(error).partition("; ")
        raise FileError(path, reason, remedy) from None
    if "digits" in str(error):  # Python converts no text of more than 4,300 of them
        raise FileError(path, "holds an integer of more than 64 bits", "write a smaller one") from None
    raise FileError(path, f"is not valid {form}: {error}", "fix the file") from None


def _no_constant(word: str) -> NoReturn:
    raise ValueError(f"{word} is not a number in JSON")


def _toml_hint(written: str, error: str) -> str:
    """The usual remedy."""
    found = error.rpartition("(at line ")[2].partition(",")[0]
    if found.isdigit():
        lines = written.splitlines()
        line = lines[int(found) - 1].strip() if int(found) <= len(lines) else ""
        # 5s and 1bdp begin as numbers do; cubic as nothing that TOML knows.
        if "Invalid value" in error or re.match(r"[\w.\"-]+\s*=\s*[-+.\d]\S*[A-Za-z%]", line):
            return f'text and values with units stand in quotes: {line.partition("=")[0].strip()} = "..."'
    return "fix that line"


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
    except BaseException as error:
        temporary.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.errno and error.filename in (None, str(temporary)):
            error.filename = str(path)  # a full disk is found by a call that has no name
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


FORGED = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)
"""The errors of reading what has another form than Fairlane writes."""


def make_folder(path: Path, *, inside: Path) -> None:
    """Makes a folder unless it exists. Raises OSError if it, or one between `inside` and it, is a symbolic link."""
    refuse_links(path / "any", inside)
    path.mkdir(parents=True, exist_ok=True)


def data_folder(name: str) -> Path:
    """The folder `studies` or `calibration`: the repository's if we run from there, else its copy in the wheel."""
    if (_SOURCE_TREE / "pyproject.toml").is_file() and (_SOURCE_TREE / name).is_dir():
        return _SOURCE_TREE / name
    return _PACKAGE / "data" / name


def cache_folder() -> Path:
    """The folder of large files that can be made again: `$XDG_CACHE_HOME/fairlane`, or ~/.cache/fairlane."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "fairlane"


def state_folder() -> Path:
    """The folder of answers that are kept: `$XDG_STATE_HOME/fairlane`, or ~/.local/state/fairlane."""
    return Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state") / "fairlane"


_LOCK = ".fairlane-lock"
"""The file by which a temporary folder is told from any other, and whose lock says that it is in use."""
_own: set[Path] = set()
"""Temporary folders of this process, which forked processes do not remove."""
os.register_at_fork(after_in_child=_own.clear)


@contextmanager
def temporary_folder(purpose: str, inside: Path | None = None) -> Iterator[Path]:
    """A folder that only this user can enter; it is removed at the end of the context, or of this process.

    The next call removes what a killed process left. A process holds the lock of its folder as long as it lives, so
    this is right where processes do not see each other: in other PID namespaces, or in containers that share /tmp.
    `inside` is another place than the system's. Raises OSError.
    """
    place = inside or Path(tempfile.gettempdir())
    for left in place.glob("fairlane-*"):
        with suppress(OSError):
            _remove_abandoned(left)
    folder, lock = _locked_folder(place, f"fairlane-{purpose}-")
    _own.add(folder)
    try:
        yield folder
    finally:
        if folder in _own:
            _remove(folder)  # if a signal interrupts it, the end of the process tries again
            _own.remove(folder)
            os.close(lock)


def _locked_folder(place: Path, prefix: str) -> tuple[Path, int]:
    """A new folder, and its open lock."""
    while True:
        folder = Path(tempfile.mkdtemp(prefix=prefix, dir=place))
        lock = os.open(folder / _LOCK, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with suppress(OSError):  # some network file systems have no locks; then nobody takes this one
            fcntl.flock(lock, fcntl.LOCK_EX)
        if (folder / _LOCK).exists():
            return folder, lock
        os.close(lock)  # another process took the lock first, and removed the folder


def _remove_abandoned(folder: Path) -> None:
    """Removes a temporary folder of this user whose lock is free. Raises OSError otherwise."""
    status = folder.lstat()
    if status.st_uid != os.geteuid() or not stat.S_ISDIR(status.st_mode):
        return
    lock = os.open(folder / _LOCK, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        _remove(folder)
    finally:
        os.close(lock)


def _remove(folder: Path) -> None:
    """Removes a temporary folder, its lock last, so that the next call finds what could not be removed."""
    with suppress(OSError):
        for one in folder.iterdir():
            if one.is_dir() and not one.is_symlink():
                shutil.rmtree(one, ignore_errors=True)
            elif one.name != _LOCK:
                one.unlink(missing_ok=True)
        if [one.name for one in folder.iterdir()] == [_LOCK]:
            shutil.rmtree(folder)


@atexit.register
def _remove_own() -> None:
    for folder in list(_own):
        _remove(folder)


def remove_all_temporary_folders() -> None:
    """Removes the temporary folders of this process and of its engine, before an end that does not wait for threads."""
    for descriptor in Path("/proc/self/fd").iterdir():
        with suppress(OSError):
            lock = Path(os.readlink(descriptor))
            if lock.name == _LOCK:
                _remove(lock.parent)
