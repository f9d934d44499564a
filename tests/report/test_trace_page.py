"""The page of a trace in a real browser."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fairlane.engine import run_with_capture
from fairlane.results.captures.connections import connections
from fairlane.show.report.trace_page import TracedFlow, trace_page

from .conftest import wait_until

S = 1_000_000_000


@pytest.fixture(scope="module")
def flow(tmp_path_factory: pytest.TempPathFactory) -> TracedFlow:
    """A Reno flow that loses packets, with callbacks that are made up."""
    path = tmp_path_factory.mktemp("trace") / "flow.pcapng"
    link = {
        "name": "data",
        "rate_bps": 10_000_000,
        "delay_ns": 10_000_000,
        "queue": {"kind": "fifo", "limit_packets": 9},
    }
    scenario = {
        "seed": 1,
        "duration_ns": S,
        "links": [link, {"name": "acks", "rate_bps": None, "delay_ns": 10_000_000}],
        "flows": [{"algorithm": "reno", "forward": ["data"], "reverse": ["acks"]}],
    }
    run_with_capture(json.dumps(scenario), path, [0])
    return TracedFlow(
        connections(path)[0],
        "1: reno",
        mss_bytes=1448,
        members={"snd_cwnd": [(0, 10), (S // 2, 20)], "state.<b>": [(0, 0), (S // 4, 3)]},
        callbacks=[(t_ns, [f"at {t_ns} <b>", "  set: snd_cwnd"]) for t_ns in range(0, S, S // 500)],
    )


@pytest.fixture
def tab(browser: Any, flow: TracedFlow, tmp_path: Path) -> Iterator[Any]:
    path = tmp_path / "trace.html"
    path.write_text(trace_page([flow, flow], 0, S, title="<i>reno", command="fairlane x"), encoding="utf-8")
    page = browser.new_page()
    complaints, page.requests = [], []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("request", lambda request: page.requests.append(request.url))
    page.goto(path.as_uri())
    wait_until(page, "globalThis.trace?.panels[0].plot.data.length > 1")
    yield page
    page.close()
    assert complaints == []


def test_the_page_draws_and_asks_nothing_of_a_network(tab: Any) -> None:
    assert len(tab.requests) == 1
    assert tab.locator("h1").inner_text() == "<i>reno"
    names = tab.locator("figcaption b").all_inner_texts()
    assert names == ["Sequence number", "Windows", "RTT of acknowledged data", "state.<b>"]
    layers = tab.locator("figure").first.locator("label").all_inner_texts()
    assert layers == ["data", "retransmission", "acknowledged", "SACK", "receive window", "congestion window"]
    inks = tab.evaluate(
        "() => trace.panels.map(({plot: {ctx: {canvas}}}) => new Set(new Uint32Array(canvas.getContext('2d')"
        ".getImageData(0, 0, canvas.width, canvas.height).data.buffer)).size)"
    )
    assert min(inks) > 2


def test_a_part_is_enlarged_and_a_moment_kept(tab: Any) -> None:
    box = tab.locator("canvas").first.bounding_box()
    x, y = box["x"], box["y"] + 150
    tab.mouse.move(x + 300, y)
    tab.mouse.down()
    tab.mouse.move(x + 400, y)
    tab.mouse.up()
    start, end = tab.evaluate("() => [trace.time.from, trace.time.to]")
    assert 0.05 < end - start < 0.2
    tab.mouse.click(x + 500, y)
    kept = tab.evaluate("() => trace.kept")
    assert start < kept < end
    assert f"{kept:.6f} s" in tab.locator("#values").inner_text()
    assert tab.locator("#calls .now").count() == 1
    tab.get_by_role("button", name="All").click()
    assert tab.evaluate("() => [trace.time.from, trace.time.to]") == [0, 1]
    assert "callbacks" in tab.locator("#calls .more").last.inner_text()


def test_too_many_packets_are_refused(flow: TracedFlow) -> None:
    count = len(flow.connection.sent) + len(flow.connection.acknowledged)
    with pytest.raises(ValueError, match="packets are more than"):
        trace_page([flow] * (400_000 // count + 1), 0, S, title="x", command="x")
