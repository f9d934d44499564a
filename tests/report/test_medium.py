"""The picture of a Wi-Fi channel in the page."""

import fairlane
import pytest
from fairlane.show.report.page import page
from fairlane.show.report.study_contents import gather

from .conftest import wait_until

NAME = "cell.experiment.cell"


@pytest.fixture(scope="module")
def cell_report(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cells") / "cell"
    experiment = {
        "name": "cell",
        "duration": "2s",
        "network": {"kind": "wifi", "standard": "n"},
        "flows": [{"algorithm": "cubic"}, {"algorithm": "bbr"}],
        "sweep": {"network.mcs": [15, 7]},
    }
    fairlane.run(experiment, results=folder, progress=False)
    path = folder.parent / "report.html"
    path.write_text(page(gather([folder]), "fairlane report cell"), encoding="utf-8")
    return path


def test_the_channel_is_drawn_read_and_enlarged(read, cell_report):
    tab = read(NAME, cell_report)
    wait_until(tab, "() => document.querySelector('.air').air?.time.to > 0")
    air = "document.querySelector('.air').air"
    assert tab.evaluate(f"{air}.run.queues") == ["station-1-down", "station-1-up", "station-2-down", "station-2-up"]
    assert tab.evaluate(f"{air}.frames.length") == 500
    before = tab.evaluate(f"[{air}.time.from, {air}.time.to]")
    tab.locator(".air .u-over").scroll_into_view_if_needed()
    box = tab.locator(".air .u-over").bounding_box()
    tab.mouse.move(box["x"] + 200, box["y"] + 4.5 * 26)
    wait_until(tab, "() => / ms: /.test(document.querySelector('.frame').textContent)")
    tab.mouse.down()
    tab.mouse.move(box["x"] + 300, box["y"] + 30)
    tab.mouse.up()
    after = tab.evaluate(f"[{air}.time.from, {air}.time.to]")
    assert before[0] < after[0] < after[1] < before[1]
    tab.locator(".air [data-zoom=all]").click()
    assert tab.evaluate(f"{air}.time.to") == tab.evaluate(f"{air}.time.end")
    tab.locator(".air select").select_option(index=1)
    assert tab.evaluate(f"{air}.run.at") == [1]


def test_a_page_without_wifi_has_no_channel(report):
    assert 'class="air"' not in report.read_text(encoding="utf-8")
