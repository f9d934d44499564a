"""A table whose columns are read when they are asked for: of hundreds of thousands of flows, 74 columns take 470 MB."""

from collections.abc import Sequence
from functools import cached_property

from fairlane.engine.libraries import pl
from fairlane.results import view
from fairlane.results.store.layout import StoreError
from fairlane.results.store.store import Store
from fairlane.scenario.plan import Plan

_IDENTITY = ("run", "flow", "group", "name", "algorithm")
"""Of each flow; these columns are read at once, since the plan changes some of them."""
_OFTEN = ("start_s", "duration_s", "goodput_mbps", "throughput_mbps", "retransmits")
"""Most metrics need several of these: they are read with the first other column."""
_PLACE = "_place"


class FlowsOnDemand:
    """The flows of some plans, as `view.build` gives them: the part of a data frame that metrics use."""

    def __init__(self, store: Store, plans: list[Plan]) -> None:
        """Reads who the flows are."""
        self._stored = view.Stored(store, "flows", {run.run for plan in plans for run in plan.runs})
        rows = self._stored.read(_IDENTITY).with_row_index(_PLACE)
        frame = view.joined(rows, plans, "flows")
        self._rows, self.height = rows.height, frame.height
        self._places = frame[_PLACE]
        own = [name for name in frame.columns if name in _IDENTITY and name != "run"]
        head = frame.drop(_PLACE, *own)
        # Text, and what all flows of a run have in common, is kept once.
        self._run_of = head.select(pl.struct(pl.all()).rle_id()).to_series()
        self._head = head.filter(self._run_of.diff().fill_null(1) != 0)
        self._common = frozenset(self._head.columns)
        self._own = {name: _compact(frame[name]) for name in own}

    @cached_property
    def columns(self) -> list[str]:
        """All columns."""
        return list(dict.fromkeys([*self._head.columns, *self._own, *self._stored.columns]))

    def get_column(self, name: str) -> "pl.Series":
        """A column."""
        return self.rows_of(name, 0, self.height)

    def rows_of(self, name: str, begin: int, rows: int) -> "pl.Series":
        """Some rows of a column. Raises StoreError."""
        self._need([name])
        if name in self._common:
            return self._head[name][self._run_of.slice(begin, rows)]
        column = self._own[name].slice(begin, rows)
        return column.cast(pl.String) if column.dtype == pl.Categorical else column

    def select(self, names: Sequence[str]) -> "pl.DataFrame":
        """Some columns; those that are missing are read together, and kept. Raises StoreError."""
        self._need(names)
        return pl.DataFrame([self.get_column(name) for name in names])

    def _need(self, names: Sequence[str]) -> None:
        missing = [name for name in names if name not in self._own and name not in self._common]
        if missing:
            self._read(list(dict.fromkeys([*missing, *(name for name in _OFTEN if name not in self._own)])))

    def _read(self, names: list[str]) -> None:
        there = [name for name in names if name in self.columns]
        read = self._stored.read(["flow", *there])
        if read.height != self._rows or not read["flow"][self._places].equals(self._own["flow"]):
            raise StoreError("the results changed while they were read; try again")
        self._own |= {name: _compact(read[name][self._places]) for name in there}


def _compact(column: "pl.Series") -> "pl.Series":
    """The same values in less memory."""
    if column.null_count() == len(column):
        return column.cast(pl.Null)
    return column.cast(pl.Categorical) if column.dtype == pl.String else column
