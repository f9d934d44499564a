"""A process that runs scenarios for another: one JSON request a line in, one JSON answer a line out.

A process of its own keeps a crash of one run away from the others, and makes its CPU time and memory its own. Without a
recorder the answer holds the result itself, or those parts of it that the request's `keep` names. Started by
`fairlane.runs.executors.processes`.
"""

import json
import os
import signal
import sys
from importlib import import_module
from typing import Any, TextIO

from fairlane.engine import contain, use_threads
from fairlane.engine.result_bytes import LONG_TABLES, as_dictionary, unpack
from fairlane.runs.backends import backend
from fairlane.runs.executors import Answer, Recorder, RecorderError, Request, answer, fatal


def main() -> None:
    """Answers requests until the input ends.

    Arguments: settings (JSON) with the name of the backend, how to open the recorder, the programs of algorithms how
    C files are contained, and the number of threads of a run; and the number of the pipe for answers.
    """
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C ends a worker without a traceback
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])
    settings = json.loads(sys.argv[1])
    contain(**settings["containment"])
    use_threads(settings["threads"])
    runner = backend(settings["backend"])
    if settings["programs"]:
        from fairlane.algorithm import program_files  # takes 2 MB, which most workers do without

        program_files.use(settings["programs"])
    recorder = _recorder(settings["recorder"])
    try:
        with open(int(sys.argv[2]), "w", encoding="utf-8") as answers:
            for line in sys.stdin.buffer:
                request = json.loads(line)
                try:
                    found = answer(request, lambda request: runner.run(request["scenario"]), recorder)
                    shown = _shown(request, found)
                except (OSError, MemoryError) as error:  # of this run alone; the next one may have more
                    shown = {"error": type(error).__name__, "message": _words(error)}
                _say(answers, shown)
            try:
                if recorder is not None:
                    recorder.close()
            except RecorderError as error:
                _say(answers, fatal(error))
            except (OSError, MemoryError) as error:
                message = f"{_words(error)}; what is finished is kept: run it again"
                _say(answers, fatal(RecorderError(message)))
    except BrokenPipeError:  # the process that started this one is gone; what it recorded is kept
        os._exit(1)


def _words(error: OSError | MemoryError) -> str:
    """The refusal of the system."""
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return "there is not enough memory for the process that ran it"


def _recorder(settings: tuple[str, list[Any]] | None) -> Recorder | None:
    """`settings` are a module and the arguments of its `open_recorder`."""
    if settings is None:
        return None
    module, arguments = settings
    opened: Recorder = import_module(module).open_recorder(*arguments)
    return opened


def _shown(request: Request, found: Answer) -> Answer:
    """The answer as JSON can carry it."""
    if "pieces" not in found:
        return found
    packed, keep = b"".join(found.pop("pieces")), request.get("keep")
    in_tables = {part for part, _ in LONG_TABLES.values()}
    result = as_dictionary(packed) if keep is None or in_tables & set(keep) else unpack(packed).metrics
    return {**found, "result": result if keep is None else {part: result.get(part) for part in keep}}


def _say(answers: TextIO, found: Answer) -> None:
    answers.write(json.dumps(found) + "\n")
    answers.flush()


if __name__ == "__main__":
    main()
