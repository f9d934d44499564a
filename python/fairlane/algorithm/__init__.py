"""Congestion controls: their names, Python prototypes, program files, and programs in the running kernel.

Loading is lazy, since every command imports this package.
"""

from collections.abc import Mapping

from fairlane.engine import Description


def describe(word: str, parameters: Mapping[str, int] | None = None) -> Description:
    """Describes a congestion control: a bundled name, or the path of a C or Python file.

    Raises AlgorithmError if the program or a parameter is not valid.
    """
    from fairlane.algorithm.name import Algorithm, Kind

    if Algorithm(word).kind is Kind.PYTHON:
        from fairlane.algorithm.prototype import loading

        return loading.describe(word, parameters or {})
    from fairlane import engine

    return engine.describe(word, parameters)
