"""`fairlane bench algorithms`: time per ACK in the callbacks of each algorithm."""

import json
from collections.abc import Sequence

from fairlane.cli.algorithm.argument import algorithm_argument
from fairlane.cli.errors import RunFailed, algorithm_failed, bad_value
from fairlane.show.text.terminal import echo


def bench_algorithms(words: Sequence[str], as_json: bool) -> None:
    """Prints a table, the most expensive algorithm first."""
    from fairlane.algorithm.name import Kind
    from fairlane.engine import AlgorithmError, algorithms
    from fairlane.runs.benchmark.algorithms import NETWORK, NotRepeatable, measure
    from fairlane.show.text.aligned import LEFT, RIGHT, number, text_table

    measured = []
    for word in words or [algorithm["name"] for algorithm in algorithms()]:
        algorithm = algorithm_argument(word)
        if algorithm.kind is Kind.PYTHON:
            raise bad_value("NAME", f"'{word}' is a Python class; only C programs can be timed")
        try:
            measured.append(measure(algorithm))
        except AlgorithmError as error:
            raise algorithm_failed(error) from None
        except NotRepeatable as error:
            raise RunFailed(str(error)) from None
    measured.sort(key=lambda cost: -cost.ns_per_ack)
    if as_json:
        echo(json.dumps([cost.as_json() for cost in measured]))
        return
    columns = [("algorithm", LEFT), ("ns per ACK", RIGHT), ("median", RIGHT), ("calls per ACK", RIGHT), ("ACKs", RIGHT)]
    rows = [
        [
            cost.algorithm,
            number(cost.ns_per_ack, 1),
            number(cost.median_ns_per_ack, 1),
            number(cost.calls / cost.acks, 2),
            number(cost.acks, 0),
        ]
        for cost in measured
    ]
    echo(text_table(columns, rows))
    echo(f"{NETWORK}: time in the callbacks of the first one")
