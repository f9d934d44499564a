"""CSV that a spreadsheet can open: no text of others in it is a formula.

Spreadsheets compute cells that begin as formulas do, and some formulas start programs or fetch addresses. Labels of an
experiment, titles of a study and words in results may be anything; an apostrophe before such a text keeps it text.
"""

import re
from collections.abc import Iterable
from typing import Any

from fairlane import files
from fairlane.engine.libraries import pl

FORMULA = r"^(?:[=@\t\r]|[+-].*(?:[|!]|[A-Za-z]\())"
"""Numbers with a sign, such as `-0.07 (-0.08 to -0.06)` or `+10 dB`, are none."""
_FORMULA = re.compile(FORMULA, re.DOTALL)


def as_text(cell: Any) -> Any:
    """A cell that no spreadsheet computes.

    >>> as_text("=1+1"), as_text("-1+cmd|' /C calc'!A0"), as_text("-0.07 (-0.08 to -0.06)"), as_text(-1)
    ("'=1+1", "'-1+cmd|' /C calc'!A0", '-0.07 (-0.08 to -0.06)', -1)
    """
    return f"'{cell}" if isinstance(cell, str) and _FORMULA.match(cell) else cell


def columns_as_text(frame: "pl.DataFrame") -> "pl.DataFrame":
    """The same for all columns of text, and for their names."""
    texts = [pl.col(name).cast(pl.String) for name, dtype in frame.schema.items() if not dtype.is_numeric()]
    made = frame.with_columns(
        pl.when(one.str.contains(f"(?s){FORMULA}")).then("'" + one).otherwise(one).name.keep() for one in texts
    )
    return made.rename({name: as_text(name) for name in made.columns})


def csv_text(rows: Iterable[Iterable[Any]]) -> str:
    """Rows as CSV, the first one of which has the headings."""
    return files.csv_text(map(as_text, row) for row in rows)
