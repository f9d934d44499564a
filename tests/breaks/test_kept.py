"""The worst cases that are kept with the sources still are ones, and get no worse."""

from pathlib import Path

import pytest
from fairlane.search.breaks.witness import replay, witnesses_in

KEPT = Path(__file__).parents[2] / "studies" / "worst-cases"


@pytest.mark.parametrize(("family", "least"), [("path", 6), ("step", 3)])
def test_each_kept_network_still_fails(family, least):
    found = replay(witnesses_in(KEPT / family))
    assert len(found) >= least
    for one in found:
        assert not one.is_worse, f"{one.witness.name}: {one.text}; accept it with a sentence on the reason"
        assert one.score >= one.witness.objective.fails, f"{one.witness.name} does not fail any more: search again"
