"""Fairlane: a laboratory for congestion control.

What belongs in this package: everything that people touch. Units, experiments, studies, tables,
plots, and the command line. What does not: work per packet; that is done by the simulator, a Rust
extension in `fairlane._engine`, which `fairlane.engine` wraps. Nothing else imports `_engine`.

The import of `fairlane` is kept cheap, because every command pays for it: the names below are
loaded when they are first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fairlane.engine import AlgorithmError, ScenarioError, __version__, algorithms, run

__all__ = ["AlgorithmError", "ScenarioError", "__version__", "algorithms", "run"]


def __getattr__(name: str) -> Any:
    if name in __all__:
        return getattr(import_module("fairlane.engine"), name)
    raise AttributeError(f"module 'fairlane' has no attribute {name!r}")
