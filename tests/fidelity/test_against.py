"""The simulator compared with a kernel: reports of disturbed runs."""

import json

import polars as pl
from fairlane.study.linux import against


class Tables:
    """The table of runs, as ResultTables has it."""

    def __init__(self, *conditions):
        self.runs = pl.DataFrame({"conditions": [one and json.dumps(one) for one in conditions]})


def test_disturbed_runs_are_counted_by_kind():
    slow = {"disturbances": ["the rate was wrong"], "warnings": ["no processor was left", "late"]}
    fine = {"disturbances": [], "warnings": []}
    assert list(against._disturbances(Tables(fine, slow, None, {"warnings": ["late"]}))) == [
        "1 of 3 runs had disturbances, for example: the rate was wrong",
        "2 of 3 runs had warnings, for example: no processor was left",
    ]
    assert list(against._disturbances(Tables(fine))) == []


def test_runs_in_virtual_time_have_no_conditions():
    tables = Tables()
    tables.runs = pl.DataFrame({"run": ["a"]})
    assert list(against._disturbances(tables)) == []
