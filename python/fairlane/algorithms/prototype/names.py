"""Words that mean a Python class: `mine.py`, `folder/mine.py:Class`, `python:Class`, each with parameters or not."""

from pathlib import Path

IN_PROCESS = "python:"
"""The prefix of the name of a class that was registered in this process."""


def means_python(word: str) -> bool:
    """Whether a word means a class.

    >>> [means_python(word) for word in ("a/mine.py", "mine.py:Mine", "python:Mine", "cubic", "mine.py/x.c")]
    [True, True, True, False, False]
    """
    return word.startswith(IN_PROCESS) or word.rpartition("/")[2].partition(":")[0].endswith(".py")


def means_c(word: str) -> bool:
    """Whether a word is the path of a C file, or at least of a file that is none of Python.

    >>> [means_c(word) for word in ("a/mine.c", "mine.c:table:beta=1", "mine.py", "cubic", "cubic:beta=1")]
    [True, True, False, False, False]
    """
    return not means_python(word) and ("/" in word or word.partition(":")[0].endswith(".c"))


def split(word: str) -> tuple[str, str]:
    """The algorithm, and its settings as they were written.

    >>> split("a/mine.py:Mine:alpha=3"), split("mine.py:alpha=3"), split("python:Mine:beta=4")
    (('a/mine.py:Mine', 'alpha=3'), ('mine.py', 'alpha=3'), ('python:Mine', 'beta=4'))
    >>> split("./mine.c:table"), split("./mine.c:table:beta=4"), split("./mine.c:beta=4")
    (('./mine.c:table', ''), ('./mine.c:table', 'beta=4'), ('./mine.c', 'beta=4'))
    """
    folder, slash, rest = word.rpartition("/")
    head, colon, last = rest.rpartition(":")
    if colon and ("=" in last or "," in last):
        return folder + slash + head, last
    return word, ""


def file_and_class(word: str) -> tuple[Path | None, str]:
    """The file, None for a class of this process, and the class or table in it, empty if the word names none."""
    if word.startswith(IN_PROCESS):
        return None, word.removeprefix(IN_PROCESS)
    folder, slash, rest = word.rpartition("/")
    name, _, cls = rest.partition(":")
    return Path(folder + slash + name), cls
