"""Calls of a study's own code, which may fail: that leaves one claim without a verdict, and not all of them."""

import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from fairlane.study.claims.evidence import Evidence
from fairlane.study.claims.judgement import Judgement
from fairlane.study.claims.measurement import NotMeasured

_Kind = TypeVar("_Kind", Judgement, str)
PACKAGE = Path(__file__).parents[2]
MOST_CHARACTERS = 200
"""Of an error's own message."""


class NotJudged(NotMeasured):
    """A predicate or an explanation failed; the message has the error and its place in the study."""


def judged(predicate: Callable[[Evidence], Judgement], evidence: Evidence) -> Judgement:
    """The judgement of a predicate. Raises NotMeasured if a value is missing, NotJudged if the predicate fails."""
    return _called(predicate, evidence, Judgement, "the predicate")


def explained(explanation: Callable[[Evidence], str], evidence: Evidence) -> str:
    """The text of an explanation. Raises as `judged` does."""
    return _called(explanation, evidence, str, "the explanation")


def _called(function: Callable[[Evidence], Any], evidence: Evidence, kind: type[_Kind], role: str) -> _Kind:
    try:
        found = function(evidence)
    except NotMeasured:
        raise
    except Exception as error:
        words = " ".join(str(error).split())[:MOST_CHARACTERS]
        message = f"{role} fails: {type(error).__name__}{f': {words}' if words else ''}"
        raise NotJudged(f"{message} ({_place(error)})") from None
    if not isinstance(found, kind):
        code = getattr(function, "__code__", None)
        place = "" if code is None else f" ({code.co_filename}:{code.co_firstlineno})"
        raise NotJudged(f"{role} returns {type(found).__name__} instead of {kind.__name__}{place}")
    return found


def _place(error: Exception) -> str:
    """File and line of the innermost call outside of Fairlane and of libraries that the study calls."""
    frames = traceback.extract_tb(error.__traceback__)[1:]
    own = [one for one in frames if PACKAGE not in Path(one.filename).parents and "site-packages" not in one.filename]
    frame = (own or frames or traceback.extract_tb(error.__traceback__))[-1]
    return f"{frame.filename}:{frame.lineno}"
