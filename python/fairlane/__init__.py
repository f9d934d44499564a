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
    from fairlane.store.layout import StoreError
    from fairlane.store.plan import Axis
    from fairlane.store.results import Results, open

__all__ = [
    "AlgorithmError",
    "Axis",
    "Results",
    "ScenarioError",
    "StoreError",
    "__version__",
    "algorithms",
    "open",
    "run",
]

_HOMES = {
    **dict.fromkeys(["AlgorithmError", "ScenarioError", "__version__", "algorithms", "run"], "fairlane.engine"),
    "Axis": "fairlane.store.plan",
    "Results": "fairlane.store.results",
    "StoreError": "fairlane.store.layout",
    "open": "fairlane.store.results",
}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'fairlane' has no attribute {name!r}")
