"""The process of a command: its descriptors, its memory limit, and its last line after an unexpected error."""

import os
import re
import resource
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType

LEAST_ADDRESS_SPACE = 2_000_000_000
"""In bytes: enough for each command on two CPUs. With less, libraries abort the process."""
_LEAST = (
    (resource.RLIMIT_AS, "address space", "v", LEAST_ADDRESS_SPACE),
    (resource.RLIMIT_STACK, "the stack", "s", 1_000_000),  # the second run of a C file begins elsewhere in it
)
TRACEBACK = "FAIRLANE_TRACEBACK"
"""With this variable unexpected errors keep their traceback."""
FAULT = 3
"""The exit status after an unexpected error."""
_PACKAGE = Path(__file__).parents[1]


def fill_descriptors() -> None:
    """Opens closed standard streams on /dev/null, or files and sockets would take their numbers."""
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_WRONLY if number else os.O_RDONLY)  # gets the lowest free number, this one
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115 (open until the process ends)


def obstacle(arguments: Sequence[str]) -> str | None:
    """The reason why no command can do its work in this process; None if there is none."""
    if sys.stdout is None:
        return "standard output is closed; redirect it, for example with >/dev/null"
    for number, what, letter, least in _LEAST:
        limit = resource.getrlimit(number)[0]
        if limit != resource.RLIM_INFINITY and limit < least:
            shown = f"the limit on {what} is {limit / 1e9:.2g} GB; allow at least {least / 1e9:g} GB"
            return f"{shown} (ulimit -{letter})"
    for argument in arguments:
        try:
            argument.encode()
        except UnicodeEncodeError:
            return f"{argument!r} is not UTF-8; rename the file"
    return None


class Ended(KeyboardInterrupt):
    """SIGTERM or SIGHUP: ends a command as Ctrl-C does, so that it ends its workers."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.status = 128 + number


@contextmanager
def signals_end_it() -> Iterator[None]:
    """SIGTERM and SIGHUP raise Ended in the main thread, and SIGINT KeyboardInterrupt, unless they are ignored."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    ending = [one for one in (signal.SIGTERM, signal.SIGHUP) if signal.getsignal(one) == signal.SIG_DFL]
    of_command = os.getpid()

    def end(number: int, _frame: FrameType | None) -> None:
        for one in ending:
            signal.signal(one, signal.SIG_IGN)
        if os.getpid() == of_command:
            raise Ended(number)
        signal.signal(number, signal.SIG_DFL)  # a process that the command has forked just ends
        os.kill(os.getpid(), number)

    for number in ending:
        signal.signal(number, end)
    if starting := signal.getsignal(signal.SIGINT) == signal.SIG_DFL:  # see fairlane.__main__
        signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        for number in (*ending, signal.SIGINT) if starting else ending:
            signal.signal(number, signal.SIG_DFL)


def typed() -> str:
    """The command as it was typed."""
    import shlex  # for commands that write a page

    return shlex.join([Path(sys.argv[0]).name, *sys.argv[1:]])


def drop_output() -> None:
    """Discards what cannot be printed, so that the end of the process does not fail over it."""
    with suppress(OSError):
        sys.stdout.flush()
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def last_line(error: BaseException) -> str:
    """One line about an unexpected error, with its place."""
    text = " ".join(_message(error).split())
    if isinstance(error, OSError) and error.strerror:
        of = f"{error.filename}" if error.filename is not None else "the output cannot be written"
        return f"{of}: {error.strerror}"
    if lacks_memory(error):
        return "there is not enough memory; use fewer --jobs, or raise the limit"
    import traceback  # no other command needs it

    frames = traceback.extract_tb(error.__traceback__)
    place = f" at {Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
    remedy = f"please report it, with the output under {TRACEBACK}=1"
    return f"a fault of Fairlane's: {type(error).__name__}{': ' * bool(text)}{text}{place}; {remedy}"


def _message(error: BaseException) -> str:
    """The text of an error; empty if there is not enough memory even for that, as in one of NumPy's."""
    try:
        return str(error)
    except Exception:
        return ""


def lacks_memory(error: BaseException) -> bool:
    """Whether an error comes of an allocation that failed.

    Libraries raise others from a MemoryError, and the interpreter has some of its own: a RuntimeError if it cannot
    allocate a lock, a SystemError if it lost the cause, and a SyntaxError if it cannot parse a file of this package.
    Other errors of these kinds are faults.
    """
    seen: BaseException | None = error
    while seen is not None:
        if isinstance(seen, MemoryError) or _message(seen).startswith("can't allocate"):
            return True
        if isinstance(seen, SystemError) and _LOST_CAUSE.search(_message(seen)):
            return True
        if isinstance(seen, SyntaxError) and _is_sound(str(seen.filename)):
            return True
        seen = seen.__cause__ or seen.__context__
    return False


_LOST_CAUSE = re.compile("without (setting an )?exception( set)?|NULL result without error")
"""The texts of CPython where a call failed and no exception was set."""


def _is_sound(file: str) -> bool:
    """Whether a file is of this package, or generated by the standard library, and so has no errors of syntax."""
    return file == "<string>" or Path(file).is_relative_to(_PACKAGE)
