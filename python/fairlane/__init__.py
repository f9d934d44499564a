"""Fairlane: a laboratory for congestion control.

Units, experiments, studies, tables, plots and the command line are written in Python. The work per packet is that of
the simulator, a Rust extension in `fairlane._engine`, which `fairlane.engine` wraps; nothing else imports `_engine`.

The import of `fairlane` is kept cheap, because every command pays for it: the names below are
loaded when they are first used.
"""

TYPE_CHECKING = False
"""Type checkers take it for true. Nothing is imported here: Ctrl-C would print a traceback meanwhile (__main__)."""
if TYPE_CHECKING:
    from typing import Any

    from fairlane.algorithm import prototype
    from fairlane.algorithm.trust import allow as trust
    from fairlane.api.analysis import compare, report
    from fairlane.api.results import Results, open
    from fairlane.api.run import duel, matrix, run, trace
    from fairlane.api.studies import reproduce
    from fairlane.engine import AlgorithmError, AlgorithmFault, ScenarioError, __version__, algorithms
    from fairlane.engine import run as simulate
    from fairlane.results.metrics.metric import MetricError
    from fairlane.results.store.layout import StoreError
    from fairlane.scenario.diagnostics import ExperimentError
    from fairlane.scenario.plan import Axis
    from fairlane.search.advise.answer import Advice, advise
    from fairlane.search.functions import check, tune

__all__ = [
    "Advice",
    "AlgorithmError",
    "AlgorithmFault",
    "Axis",
    "ExperimentError",
    "MetricError",
    "Results",
    "ScenarioError",
    "StoreError",
    "__version__",
    "advise",
    "algorithms",
    "check",
    "compare",
    "duel",
    "matrix",
    "open",
    "prototype",
    "report",
    "reproduce",
    "run",
    "simulate",
    "trace",
    "trust",
    "tune",
]

_HOMES = {
    "Advice": "fairlane.search.advise.answer",
    "advise": "fairlane.search.advise.answer",
    "AlgorithmError": "fairlane.engine",
    "AlgorithmFault": "fairlane.engine",
    "Axis": "fairlane.scenario.plan",
    "ExperimentError": "fairlane.scenario.diagnostics",
    "MetricError": "fairlane.results.metrics.metric",
    "Results": "fairlane.api.results",
    "ScenarioError": "fairlane.engine",
    "StoreError": "fairlane.results.store.layout",
    "__version__": "fairlane.engine",
    "algorithms": "fairlane.engine",
    "check": "fairlane.search.functions",
    "compare": "fairlane.api.analysis",
    "duel": "fairlane.api.run",
    "matrix": "fairlane.api.run",
    "open": "fairlane.api.results",
    "prototype": "fairlane.algorithm.prototype:",
    "report": "fairlane.api.analysis",
    "reproduce": "fairlane.api.studies",
    "run": "fairlane.api.run",
    "simulate": "fairlane.engine:run",
    "trace": "fairlane.api.run",
    "trust": "fairlane.algorithm.trust:allow",
    "tune": "fairlane.search.functions",
}


def __dir__() -> list[str]:
    return __all__


def __getattr__(name: str) -> "Any":
    if name in _HOMES:
        from importlib import import_module

        module, colon, inner = _HOMES[name].partition(":")
        found = import_module(module)
        return found if colon and not inner else getattr(found, inner or name)
    raise AttributeError(f"module 'fairlane' has no attribute {name!r}")
