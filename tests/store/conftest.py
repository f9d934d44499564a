"""A small store of made-up results, without the simulator."""

import polars as pl
import pytest
from fairlane.engine.result_bytes import pack
from fairlane.results import view
from fairlane.results.store import batch, plans
from fairlane.results.store.layout import Layout
from fairlane.results.store.store import Store
from fairlane.scenario.plan import Axis, Plan, PlannedRun


def key(number: int) -> str:
    return f"{number:032x}"


def finished(number: int) -> tuple[dict, bytes]:
    """Description and result of a run, as the journal has them."""
    result = {
        "flows": [
            {
                **{"flow": flow, "group": flow, "algorithm": name, "start_s": 0.0, "duration_s": 1.0},
                **{"goodput_mbps": float(number + flow), "completion_s": None},
            }
            for flow, name in enumerate(["cubic", "bbr"])
        ],
        "links": [{"name": "bottleneck", "utilisation": 0.5}, {"name": "return", "utilisation": 0.0}],
        "cross_traffic": [],
        "jain_index": 0.5,
        "series": {"interval_s": 0.1},
    }
    flows = pl.DataFrame({"flow": [0, 0, 1], "t_s": [0.1, 0.2, 0.1], "mbps": [1.0, 2.0, 3.0]})
    links = pl.DataFrame({"link": ["bottleneck", "return"], "t_s": [0.1, 0.1], "queue_bytes": [10, 0]})
    return {"run": key(number), "wall_s": 0.01}, pack(result, {"flow_series": flows, "link_series": links})


def plan(count: int, experiment: str = "made-up") -> Plan:
    groups = ({"name": "old", "algorithm": "cubic"}, {"name": "new", "algorithm": "bbr:x=1"})
    axis = Axis("rate", "rate_mbps", "Mbps", (10, 20), ("10mbit", "20mbit"))
    runs = tuple(
        PlannedRun(key(i), {"rate_mbps": 10 * (1 + i % 2)}, seed=i, repeat=i // 2, groups=groups) for i in range(count)
    )
    return Plan(experiment, (axis,), runs, settings={"duration": "1s"})


@pytest.fixture
def layout(tmp_path):
    layout = Layout(tmp_path / "results")
    layout.create()
    return layout


@pytest.fixture
def store(layout):
    """Six finished runs in two batches, planned and saved."""
    batch.write(layout, [finished(number) for number in range(4)])
    batch.write(layout, [finished(number) for number in range(4, 6)])
    plans.save(plan(6), layout)
    store = Store.at(layout.root)
    view.save(store, [plan(6)])
    return store
