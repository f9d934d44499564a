"""A small study with claims, run once; its report; and a browser to read it with."""

import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import fairlane
import pytest
from fairlane.show.report.page import page
from fairlane.show.report.study_contents import Part, gather
from fairlane.study.paper.definition import load
from fairlane.study.rerun import jobs_for

STUDY = """
title = "A study"
paper = "Somebody & Somebody: <Something>, 2020"

[experiments.small]
covers = []
assumptions = { rtt = "Because it is <short>." }
differences = { rate = "It differs." }

[experiments.other]
optional = true

[unsupported.radio]
needs = "Wi-Fi"
source = "Figure 9"
title = "over the air"
covers = ["E1"]

[[items]]
name = "table-1"
source = "Table 1"
title = "means"
experiments = ["small"]
by = ["algorithm_a"]
published = "published/table-1.csv"
note = "A note."
values = [
    { metric = "total_goodput_mbps", published = "goodput", heading = "good-\\nput" },
    { metric = "jain_index", published = "jain", heading = "Jain", compare = "difference" },
    { metric = "total_retransmits", heading = "retransmits" },
    { metric = "mean_rtt_ms", heading = "RTT\\nms" },
    { metric = "mean_cwnd_packets", heading = "cwnd\\npackets" },
    { metric = "bottleneck_utilisation_pct", heading = "utilisation\\n%" },
]

[[items]]
name = "figure-1"
source = "Figure 1"
time_series = true
title = "goodput over buffers"
experiments = ["small"]
by = ["algorithm_a", "buffer_bdp"]
across = "buffer_bdp"
published = "published/figure-1.csv"
values = [{ metric = "total_goodput_mbps", published = "goodput", heading = "goodput" }]
"""

CLAIMS = """
from fairlane.study.claims import Claims

CLAIMS = Claims()


@CLAIMS.claim("c-1")
def fills(evidence):
    return evidence["small"].where(algorithm_a="reno", buffer=1)["total_goodput_mbps"] > 5


@CLAIMS.claim("c-2", explanation="The link is slower.", contradicted="Table 1 says slow.")
def fast(evidence):
    return evidence["small"].where(algorithm_a="cubic", buffer=1)["total_goodput_mbps"] > 50


CLAIMS.untestable("c-3", "an opinion")
CLAIMS.unsupported("radio", "c-4")
"""

PUBLISHED_CLAIMS = """id,section,claim,scenario,algorithms,metric,threshold,note
c-1,II,The link is filled.,small,reno,goodput,> 5 Mbps,
c-2,II,The link is fast <& furious>.,small,cubic;reno,goodput,> 50 Mbps,a note
c-3,III,It is the best of all links.,,,,,
c-4,IV,The air is slower.,radio,,,,
"""


@pytest.fixture(scope="session")
def studies(two_flows: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("studies") / "small2020"
    (folder / "published").mkdir(parents=True)
    (folder / "small.toml").write_text(f'title = "Two pairs on a slow link"\nrepeats = 3\n{two_flows}')
    (folder / "other.toml").write_text('inherits = "small.toml"\n')
    (folder / "study.toml").write_text(STUDY)
    (folder / "claims.py").write_text(CLAIMS)
    fairlane.trust(folder)
    (folder / "published" / "claims.csv").write_text(PUBLISHED_CLAIMS)
    (folder / "published" / "experiments.csv").write_text("id,section\nE1,II\n")
    (folder / "published" / "table-1.csv").write_text("algorithm_a,goodput,jain\ncubic,9.2,0.5\nreno,4.0,\n")
    rows = ["cubic,1,9.2", "cubic,2,9.2", "reno,1,9.2"]
    (folder / "published" / "figure-1.csv").write_text("\n".join(["algorithm_a,buffer_bdp,goodput", *rows]) + "\n")
    return folder.parent


@pytest.fixture(scope="session")
def results(studies: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder as `fairlane reproduce small2020` leaves it."""
    folder = tmp_path_factory.mktemp("results") / "small"
    study = load(studies / "small2020")
    items, experiments = study.chosen(None)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.argv", ["fairlane", "reproduce", "--quick", "small2020"])
        for job in jobs_for(study, items, experiments, whole=True):
            job.run(folder, 2)
    return folder


@pytest.fixture(scope="session")
def parts(studies: Path, results: Path) -> list[Part]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("fairlane.show.report.study_contents.data_folder", lambda _name: studies)
        return gather([results])


@pytest.fixture(scope="session")
def report(parts: list[Part], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page in a file."""
    path = tmp_path_factory.mktemp("report") / "report.html"
    path.write_text(page(parts, "fairlane report results/small2020"), encoding="utf-8")
    return path


def wait_until(tab: Any, condition: str, within_s: float = 30.0) -> None:
    """Waits until a JavaScript expression or function is true in a page.

    Playwright's `wait_for_function` repeats a condition by `eval` in the page, which our pages forbid, so it works
    only where the condition is true at once.
    """
    end = time.monotonic() + within_s
    while not tab.evaluate(condition):
        assert time.monotonic() < end, f"{condition} does not become true"
        tab.wait_for_timeout(20)


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    playwright = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
    found = shutil.which("chromium") or shutil.which("chromium-browser")
    if found is None:
        pytest.skip("Chromium is not installed: apt-get install chromium")
    flags = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-sync"]
    with playwright.sync_playwright() as started:
        yield started.chromium.launch(executable_path=found, args=flags)


@pytest.fixture
def read(browser: Any, report: Path) -> Iterator[Callable[..., Any]]:
    """Opens the report at a page of it; keywords are those of a browser's context. No complaint may appear."""
    opened, complaints = [], []

    def open_at(page: str = "", path: Path = report, **how: Any) -> Any:
        context = browser.new_context(**{"viewport": {"width": 1200, "height": 900}, **how})
        context.set_default_timeout(10_000)
        opened.append(context)
        tab = context.new_page()
        tab.on("console", lambda message: complaints.append(message.text))
        tab.on("pageerror", lambda error: complaints.append(str(error)))
        tab.requests = []
        tab.on("request", lambda request: tab.requests.append(request.url))
        tab.goto(f"{path.as_uri()}#{page}")
        return tab

    yield open_at
    for context in opened:
        context.close()
    assert complaints == []
