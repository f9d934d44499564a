"""A process that computes runs and keeps them: one JSON request a line in, one JSON answer a line out.

Requests are `{"run": KEY, "scenario": "...",
"meta": {...}}`; an answer says what the run cost, or `{"busy": true}` when another process computes it, or
`{"error": ..., "message": ...}`; with `"fatal"` there is no point in going on. A run is in the journal before its
answer is given. When the input ends, or much has gathered, the journal becomes a batch. Because the workers keep
their runs themselves, results cross no pipe and storing them goes in parallel. Started by `fairlane.sweep.pool`.
"""

import json
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from fairlane import _engine
from fairlane.store.claims import Claims
from fairlane.store.journal import Journal, records
from fairlane.store.layout import Layout, StoreError
from fairlane.worker import cpu_s, die_quietly, peak_rss_mb

BATCH_BYTES = 16_000_000
"""A journal of this size becomes a batch: large enough that files stay few, small enough to fit any memory."""


def main() -> None:
    """Answers requests until the input ends. Arguments: the store, and what all its runs have in common."""
    die_quietly()
    keeper = Keeper(Layout(Path(sys.argv[1])), json.loads(sys.argv[2]))
    for line in sys.stdin.buffer:
        _say(keeper.answer(json.loads(line)))
    try:
        keeper.make_batch()
    except StoreError as error:
        _say({"error": "StoreError", "message": str(error), "fatal": True})


class Keeper:
    """Computes runs and keeps them in a journal."""

    def __init__(self, layout: Layout, common: dict[str, Any]) -> None:
        self.layout, self.common = layout, common
        self.claims = Claims(layout)
        self.journal: Journal | None = None

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """Runs one request."""
        if not self.claims.take(request["run"]):
            return {"busy": True}
        cpu_before_s, wall_before_s = cpu_s(), time.perf_counter()
        try:
            pieces = _engine.run(request["scenario"])
        except (_engine.ScenarioError, _engine.AlgorithmError) as error:
            return {"error": type(error).__name__, "message": str(error)}
        usage = {"wall_s": time.perf_counter() - wall_before_s, "cpu_s": cpu_s() - cpu_before_s}
        meta = {
            "run": request["run"],
            **self.common,
            **request["meta"],
            **usage,
            "peak_rss_mb": peak_rss_mb(),
            "finished": datetime.now(UTC).isoformat(timespec="seconds"),
            "scenario": request["scenario"],
        }
        try:
            self.journal = self.journal or Journal(self.layout.journals)
            self.journal.append(meta, *pieces)
            name = self.journal.path.name
            begin_s = time.perf_counter()
            if self.journal.size > BATCH_BYTES:
                self.make_batch()
        except StoreError as error:
            return {"error": "StoreError", "message": str(error), "fatal": True}
        return {**usage, "journal": name, "store_s": time.perf_counter() - begin_s}

    def make_batch(self) -> None:
        """Turns the journal into a batch."""
        from fairlane.store import batch

        if self.journal:
            batch.write(self.layout, [(record.meta, record.body) for record in records(self.journal.path)])
            self.journal.remove()
            self.journal = None


def _say(answer: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
