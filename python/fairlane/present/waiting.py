"""The experiments of a paper that Fairlane cannot run yet, as a list."""

from typing import TYPE_CHECKING

from fairlane.present.table import LEFT, text_table

if TYPE_CHECKING:
    from fairlane.study.study import Study


def waiting_text(study: "Study") -> str:
    """What is missing of the paper, where it stands there, and what it needs."""
    columns = [("not yet runnable", LEFT), ("needs", LEFT), ("in the paper", LEFT), ("", LEFT)]
    waiting = study.file.waiting.items()
    return text_table(columns, [[name, one.needs, one.place, one.title] for name, one in waiting])
