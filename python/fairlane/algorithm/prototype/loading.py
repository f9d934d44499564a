"""Finds the class that a word means, and checks it before anything runs.

Words are `mine.py`, `folder/mine.py:Class`, and `python:Class` for a class that was registered in this process. A file
is read anew for each run, so that nothing of one run is left for the next.
"""

import ast
import sys
import threading
import traceback
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType, TracebackType

from fairlane._engine import AlgorithmError
from fairlane.algorithm import from_text, trust
from fairlane.algorithm.name import IN_PROCESS, Algorithm
from fairlane.algorithm.prototype import inspection, watchdog
from fairlane.algorithm.prototype.inspection import is_candidate, mistake
from fairlane.engine import Description
from fairlane.engine.messages import unknown
from fairlane.files import temporary_folder

EndlessLoop = watchdog.EndlessLoop

_registered: dict[str, type] = {}
_importing = threading.RLock()


@dataclass(frozen=True)
class Loaded:
    """A class with its parameters set: what the engine makes flows of."""

    cls: type
    name: str
    """Its name in messages."""
    needs_ecn: bool


def provide(path: Path, files: Mapping[str, str]) -> None:
    """From here on this process uses these texts instead of the files; their paths start from the folder of `path`."""
    folder = _folders.enter_context(temporary_folder("algorithm"))
    for name, text in files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    _provided[path.resolve()] = folder / path.resolve().name


_provided: dict[Path, Path] = {}
"""Copies of files as they were, by the files."""
_folders = ExitStack()
"""Never closed: they are removed when the process ends."""


def _source(path: Path) -> Path:
    """The file to read."""
    return _provided.get(path.resolve(), path.resolve())


def register(cls: type) -> str:
    """The word by which this process knows a class."""
    word, number = IN_PROCESS + cls.__name__, 1
    while _registered.setdefault(word, cls) is not cls:
        number += 1
        word = f"{IN_PROCESS}{cls.__name__}{number}"
    return word


def load(word: str, parameters: Mapping[str, int]) -> Loaded:
    """The class, checked, with these parameters instead of its own. Raises AlgorithmError."""
    found = find(word)
    name = word.removeprefix(IN_PROCESS)
    known = inspection.parameters(found)
    for parameter in parameters:
        if parameter not in known:
            raise AlgorithmError(unknown(f"parameter of {name}", parameter, known))
    cls = type(found.__name__, (found,), {**parameters, "__module__": found.__module__})
    watchdog.start()
    return Loaded(cls, name, bool(getattr(found, "needs_ecn", False)))


def describe(word: str, parameters: Mapping[str, int]) -> Description:
    """`fairlane.algorithm.describe` for a class."""
    load(word, parameters)
    cls = find(word)
    text = (cls.__doc__ or "").strip()
    path = Algorithm(word).path
    return {
        "name": word.removeprefix(IN_PROCESS),
        "aliases": [],
        "class": None,
        "summary": text.partition("\n")[0],
        "header": text,
        "parameters": inspection.described(cls),
        "source": path.read_text(encoding="utf-8") if path else "",
        "table": cls.__name__,
        "kernel_name": "",
    }


def find(word: str) -> type:
    """The class that `word` means. Raises AlgorithmError that names file, line and remedy."""
    path, wanted = Algorithm(word).path, Algorithm(word).part
    if path is None:
        cls = _registered.get(word)
        if cls is None:
            raise AlgorithmError(f"there is no class {wanted} in this process; write it into a file, such as mine.py")
        place = wanted
    else:
        cls = _choose(path, wanted)
        place = f"{path}:{_line_of(cls, path)}"
    if wrong := mistake(cls):
        raise AlgorithmError(f"{place}: class {cls.__name__} {wrong}")
    if path is not None and (read := inspection.not_kept(_class_node(cls, path))):
        line, name = read
        raise AlgorithmError(
            f"{path}:{line}: reads {name}, which the simulator does not keep;"
            " docs/reference/kernel-members.md lists what it keeps"
        )
    return cls


def describe_error(error: BaseException, trace: TracebackType | None) -> str:
    """`ZeroDivisionError: division by zero at mine.py:31`."""
    frames = [frame for frame in traceback.extract_tb(trace) if "/fairlane/algorithm/prototype/" not in frame.filename]
    place = f" at {_shown(frames[-1].filename)}:{frames[-1].lineno}" if frames else ""
    text = " ".join(str(error).split())
    return f"{type(error).__name__}{': ' if text else ''}{text}{place}"


def _shown(path: str) -> str:
    """The path as the user wrote it, if known."""
    for original, copy in _provided.items():
        if Path(path).is_relative_to(copy.parent):
            path = str(original.parent / Path(path).relative_to(copy.parent))
    folder = f"{Path.cwd()}/"
    return path.removeprefix(folder)


def _choose(path: Path, wanted: str) -> type:
    module = _module(path)
    own = {name: value for name, value in vars(module).items() if isinstance(value, type)}
    own = {name: cls for name, cls in own.items() if cls.__module__ == module.__name__}
    if wanted:
        if wanted not in own:
            raise AlgorithmError(f"{path}: {unknown('class', wanted, own)}")
        return own[wanted]
    candidates = {name: cls for name, cls in own.items() if not name.startswith("_") and is_candidate(cls)}
    if not candidates:
        raise AlgorithmError(
            f"{path}: no class has the callbacks of a congestion control; write ssthresh, undo_cwnd and cong_avoid"
        )
    if len(candidates) > 1:
        first = next(iter(candidates))
        raise AlgorithmError(
            f"{path}: has {len(candidates)} algorithms; say which, as in {path}:{first} ({', '.join(candidates)})"
        )
    return next(iter(candidates.values()))


def _module(path: Path) -> ModuleType:
    """The file as a module of its own, read anew. Modules in its folder can be imported."""
    if path.resolve() not in _provided and (reason := trust.refusal(path)):
        raise AlgorithmError(f"{path}: {reason}")
    name = f"fairlane_prototype_{path.stem}"
    try:
        module = from_text.module(name, _source(path))
        with _importing, from_text.importable(_source(path).parent):
            sys.modules[name] = module  # dataclasses look there
            from_text.execute(module)
    except FileNotFoundError as error:
        raise AlgorithmError(f"{path} cannot be read ({error.strerror}); give the path of a Python file") from None
    except SyntaxError as error:
        raise AlgorithmError(f"{_shown(error.filename or str(path))}:{error.lineno or 1}: {error.msg}") from None
    except Exception as error:
        frames = reversed(traceback.extract_tb(error.__traceback__))
        line = next((f":{frame.lineno}" for frame in frames if frame.filename == str(_source(path))), "")
        raise AlgorithmError(f"{path}{line}: cannot be imported: {type(error).__name__}: {error}") from None
    return module


def _line_of(cls: type, path: Path) -> int:
    node = _class_node(cls, path)
    return node.lineno if node else 1


def _class_node(cls: type, path: Path) -> ast.ClassDef | None:
    nodes = ast.walk(ast.parse(_source(path).read_text(encoding="utf-8")))
    return next((node for node in nodes if isinstance(node, ast.ClassDef) and node.name == cls.__name__), None)
