"""The page in a real browser."""

import random
import re
import string
from itertools import pairwise

import pytest
from fairlane.show.report.page import page

from .conftest import wait_until

PAGES = ["small2020", "small2020.table-1", "small2020.figure-1", "small2020.claims", "small2020.experiment.small",
         "small2020.making"]  # fmt: skip
SERIES = "small2020.experiment.small"
EXPLORER = "document.querySelector('.explorer').explorer"


def shown(tab, selector):
    return tab.locator(f"{selector}:visible")


ARRIVED = """() => {
    const id = decodeURIComponent(location.hash.slice(1)).split("=")[0];
    return document.getElementById(id).closest(".page").classList.contains("shown");
}"""


def follow(tab, link):
    """Clicks, and waits for the page that the address then names: the browser tells scripts of it a little later."""
    shown(tab, link).first.click()
    wait_until(tab, ARRIVED)


def plotted(tab):
    """Waits until the time series are there; how far their axis of time reaches."""
    tab.wait_for_selector(".plots canvas")
    return tab.evaluate(f"() => {{ const x = {EXPLORER}.plots[0].plot.scales.x; return [x.min, x.max]; }}")


def test_no_request_leaves_the_page(read, report):
    tab = read(SERIES)
    plotted(tab)
    for name in PAGES:
        tab.goto(f"{report.as_uri()}#{name}")
        wait_until(tab, ARRIVED)
    tab.wait_for_timeout(200)
    assert {url for url in tab.requests if not url.startswith(("file:", "blob:"))} == set()
    assert len([url for url in tab.requests if url.startswith("file:")]) == 1
    text = report.read_text(encoding="utf-8")
    assert re.search(r"<link|<img|<iframe|@import|src=|url\((?!#|data:)", text.split("<body>")[0]) is None
    assert set(re.findall(r'(?:src|href)="([^#"d][^"]*)"', text)) == set()


def test_one_page_at_a_time_and_all_can_be_reached(read):
    tab = read()
    assert shown(tab, ".page").count() == 1
    assert shown(tab, "h1").inner_text() == "A study"
    assert "<Something>" in tab.inner_text("main")
    for link, heading in [
        ("Table 1", "Means"),
        ("Figure 1 →", "Goodput over buffers"),
        ("small", "Two pairs on a slow link"),
        ("Claims", "Claims"),
        ("How it was made", "How it was made"),
        ("Tables and figures", "A study"),
    ]:
        follow(tab, f"main a:text-is('{link}')")
        assert heading in shown(tab, "h1").inner_text()
        assert shown(tab, ".page").count() == 1
    tab.keyboard.press("Tab")  # browsers frame the focused element for keyboard users
    tab.go_back()
    wait_until(tab, ARRIVED)
    assert shown(tab, "h1").inner_text() == "How it was made"
    focused = tab.evaluate("[document.activeElement.id, getComputedStyle(document.activeElement).outlineStyle]")
    assert focused == ["main", "none"]  # a frame around the whole page would say nothing


def test_claims_by_verdict_and_words(read):
    tab = read("small2020.claims")
    assert shown(tab, ".claim").count() == 4
    tab.locator("label:has(input[value=fails])").click()
    assert shown(tab, ".claim h2").all_inner_texts() == ["The link is fast <& furious>."]
    assert tab.inner_text(".filter output") == "1 of 4"
    lines = shown(tab, ".claim dl").inner_text().splitlines()
    assert [lines[at] for at in range(0, len(lines), 2)] == [
        "Ours",
        "Paper",
        "The paper's own numbers",
        "The paper elsewhere",
        "Why",
        "Note",
    ]
    card = shown(tab, ".claim").first
    assert card.locator(".cause").inner_text() == "the paper contradicts itself"
    row = card.locator(".rows li")
    assert re.fullmatch(
        r"\d\.\d+ \(\d\.\d+ to \d\.\d+\) Mbps; claimed above 50 Mbps; paper 9.2 Mbps",
        row.locator(".numbers").inner_text(),
    )
    assert row.locator(".of").inner_text() == "total goodput, small cubic 1bdp"
    dot, paper = (row.locator(f"svg {one}").bounding_box()["x"] for one in (".dot", ".paper-value"))
    bound = row.locator("svg .bound").bounding_box()["x"]
    assert max(dot, paper) < bound, "both lie below the claimed value"
    assert lines[1] == "all values"
    assert lines[3] == "> 50 Mbps"
    assert lines[5].startswith("fail this claim too: ")
    assert lines[7::2] == ["Table 1 says slow.", "The link is slower.", "a note"]
    tab.locator("label:has(input[value=''])").click()
    tab.fill("input[type=search]", "LINK best")
    assert shown(tab, ".claim h2").all_inner_texts() == ["It is the best of all links."]
    tab.fill("input[type=search]", "no such words")
    assert shown(tab, ".nothing").inner_text().startswith("No claim matches.")
    shown(tab, ".nothing button").click()
    assert shown(tab, ".claim").count() == 4
    summary = read("small2020")
    follow(summary, ".counts a:has-text('not supported')")
    assert shown(summary, ".claim").count() == 1
    assert "needs Wi-Fi" in shown(summary, ".claim").inner_text()


def test_hover_values_and_direct_labels(read):
    """Below the pointer each line says its value; lines have the colours of their algorithms."""
    tab = read(SERIES)
    plotted(tab)
    over = tab.locator(".u-over").first
    over.scroll_into_view_if_needed()
    box = over.bounding_box()
    tab.mouse.move(box["x"] + box["width"] * 0.5, box["y"] + 50)
    wait_until(tab, "document.querySelector('.readout').textContent")
    text = tab.locator(".readout").first.inner_text()
    assert re.fullmatch(r"\d\.\d\d s: *\s*a: cubic [\d.]+\s+b: cubic [\d.]+", text)
    at = float(text.split()[0])
    values = tab.evaluate(f"{EXPLORER}.plots[0].plot.data.map(one => one[{EXPLORER}.plots[0].plot.cursor.idx])")
    assert values[0] == pytest.approx(at, abs=0.006)
    assert [float(word) for word in re.findall(r"cubic ([\d.]+)", text)] == pytest.approx(
        values[1:], rel=0.006, abs=0.01
    )
    assert tab.evaluate(f"{EXPLORER}.run.capacity") == [[0, 10]]
    colours = tab.evaluate(f"{EXPLORER}.styles().map(one => one.colour)")
    assert colours == ["--c0", "--c1"]
    tab.locator(".choices select").first.select_option(label="reno")
    assert tab.evaluate(f"{EXPLORER}.styles().map(one => one.colour)") == ["--c2", "--c0"]


def test_time_series_zoom_and_flows(read):
    tab = read(SERIES)
    whole = plotted(tab)
    assert whole[0] == 0
    assert whole[1] == pytest.approx(4, abs=0.2)
    over = tab.locator(".u-over").first
    over.scroll_into_view_if_needed()
    box = over.bounding_box()
    tab.mouse.move(box["x"] + box["width"] * 0.25, box["y"] + 50)
    tab.mouse.down()
    tab.mouse.move(box["x"] + box["width"] * 0.5, box["y"] + 50, steps=4)
    tab.mouse.up()
    ranges = tab.evaluate(f"{EXPLORER}.plots.map(one => [one.plot.scales.x.min, one.plot.scales.x.max])")
    assert len(ranges) == 6, "goodput, window, RTT, queue, retransmissions, fairness"
    for low, high in ranges:
        assert (low, high) == pytest.approx((whole[1] * 0.25, whole[1] * 0.5), abs=0.1)
    tab.click("button:text('Zoom in')")
    low, high = plotted(tab)
    assert high - low == pytest.approx(whole[1] * 0.125, abs=0.05)
    tab.click("button:text('Whole run')")
    assert plotted(tab) == whole
    names = tab.locator(".flows label").all_inner_texts()
    assert names == ["a: cubic", "b: cubic"]
    tab.locator(".flows input").first.click()
    seen = f"{EXPLORER}.plots[0].plot.series.slice(1).map(one => one.show)"
    assert tab.evaluate(seen) == [False, True]
    tab.locator(".choices select").first.select_option(label="reno")
    assert tab.locator(".flows label").all_inner_texts() == ["a: reno", "b: cubic"]


COMPUTED = """names => {
    const probe = document.createElement("i");
    document.body.append(probe);
    const computed = name => { probe.style.color = `var(--${name})`; return getComputedStyle(probe).color; };
    return Object.fromEntries(names.map(name => [name, computed(name)]));
}"""


def test_runs_beside_each_other(read):
    tab = read(SERIES)
    plotted(tab)
    tab.click("button:text('Keep, to compare')")
    tab.locator(".choices select").first.select_option(label="reno")
    names = tab.locator(".flows label").all_inner_texts()
    assert names == ["cubic 1bdp – a: cubic", "cubic 1bdp – b: cubic", "reno 1bdp – a: reno", "reno 1bdp – b: cubic"]
    lines = f"{EXPLORER}.plots.map(one => one.plot.data.slice(1).map(line => line.filter(Number.isFinite).length))"
    of_flows, of_runs = [True] * 4, [True] * 2
    expected = [of_flows, of_flows, of_flows, of_runs, of_flows, of_runs]
    assert [[count > 20 for count in counts] for counts in tab.evaluate(lines)] == expected
    assert tab.locator(".plots h3").all_inner_texts()[-2:] == ["retransmissions, per second", "Jain's index"]
    tab.click("button:text('Let go')")
    assert tab.locator(".flows label").all_inner_texts() == ["a: reno", "b: cubic"]


def luminance(colour):
    parts = [int(one) / 255 for one in re.findall(r"\d+", colour)[:3]]
    return sum(w * (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4)
               for w, c in zip((0.2126, 0.7152, 0.0722), parts, strict=True))  # fmt: skip


def contrast(one, other):
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_dark_and_light_are_legible(read, scheme):
    tab = read("small2020.table-1", color_scheme=scheme)
    text, shades = ["ink", "muted", "link", "holds", "fails", "undecided"], ["h1", "h2", "h3", "l1", "l2", "l3"]
    colours = tab.evaluate(COMPUTED, ["paper", *text, *shades])
    assert (luminance(colours["paper"]) < 0.1) == (scheme == "dark")
    assert tab.evaluate("getComputedStyle(document.documentElement).backgroundColor") == colours["paper"]
    for name in text:
        assert contrast(colours[name], colours["paper"]) >= 4.5, name
    for name in shades:
        assert contrast(colours["ink"], colours[name]) >= 4.5, name
    drawing = tab.evaluate("getComputedStyle(document.querySelector('.shown .drawing text')).fill")
    assert contrast(drawing, colours["paper"]) >= 7, "figures take the ink of the page"


def test_the_switch_changes_the_theme_and_plots_follow(read):
    tab = read(SERIES, color_scheme="light")
    plotted(tab)
    stroke = f"{EXPLORER}.plots[0].plot.series[1]._stroke"
    before, paper = tab.evaluate(stroke), "getComputedStyle(document.documentElement).backgroundColor"
    tab.click("#theme")
    assert luminance(tab.evaluate(paper)) < 0.1
    assert tab.evaluate(stroke) != before
    # Chromium hands the stored choice to a reloaded page through another process, which may take a moment.
    for _ in range(10):
        tab.reload()
        if luminance(tab.evaluate(paper)) < 0.1:
            return
        tab.wait_for_timeout(200)
    pytest.fail("the theme is not remembered")


@pytest.mark.parametrize("width", [320, 375])
def test_a_phone_scrolls_tables_and_not_the_page(read, report, width):
    tab = read(viewport={"width": width, "height": 700}, is_mobile=True, has_touch=True)
    for name in PAGES:
        tab.goto(f"{report.as_uri()}#{name}")
        wait_until(tab, ARRIVED)
        if name == SERIES:
            plotted(tab)
        assert tab.evaluate("document.documentElement.scrollWidth") <= width, name


def test_paper_shows_everything(read):
    tab = read(color_scheme="dark")
    tab.click("#theme")  # a user who prints chose a theme
    tab.click("#theme")
    pdf = tab.pdf()
    assert len(re.findall(rb"/Type\s*/Page\b", pdf)) >= len(PAGES)
    tab.emulate_media(media="print")
    tab.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert shown(tab, ".page").count() == len(PAGES)
    assert "[sweep]" in shown(tab, ".settings").inner_text()
    assert luminance(tab.evaluate("getComputedStyle(document.documentElement).backgroundColor")) > 0.9
    assert shown(tab, ".filter").count() == shown(tab, "#theme").count() == 0
    tab.evaluate("dispatchEvent(new Event('afterprint'))")
    tab.emulate_media(media="screen")
    assert shown(tab, ".page").count() == 1
    assert tab.locator("details[open]").count() == 0
    assert luminance(tab.evaluate("getComputedStyle(document.documentElement).backgroundColor")) < 0.1


def test_without_scripts_all_of_it_can_be_read(read):
    tab = read(java_script_enabled=False)
    assert shown(tab, ".page").count() == len(PAGES)
    assert shown(tab, ".claim").count() == 4
    assert shown(tab, ".filter").count() == 0


def test_it_is_made_for_everybody(read):
    tab = read()
    tab.keyboard.press("Tab")
    assert tab.evaluate("document.activeElement.textContent") == "Skip to the text"
    tab.keyboard.press("Enter")
    assert tab.evaluate("document.activeElement.id") == "main"
    assert shown(tab, "h1").inner_text() == "A study"
    assert tab.evaluate("document.documentElement.lang") == "en"
    assert tab.evaluate("[...document.querySelectorAll('thead th, tbody th')].filter(one => !one.scope).length") == 0
    assert (
        tab.evaluate("[...document.querySelectorAll('tbody tr')].filter(one => one.cells[0].tagName !== 'TH').length")
        == 0
    )
    assert tab.evaluate("[...document.querySelectorAll('svg:not([aria-label])')].length") == 0
    ids = tab.evaluate("[...document.querySelectorAll('[id]')].map(one => one.id)")
    assert len(ids) == len(set(ids))
    levels = tab.evaluate(
        "[...document.querySelectorAll('.shown h1, .shown h2, .shown h3')].map(one => +one.tagName[1])"
    )
    assert levels[0] == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))


def test_a_page_as_large_as_allowed_is_there_in_two_seconds(read, parts, tmp_path):
    letters = "".join(random.Random(1).choices(string.ascii_letters, k=4_500_000))
    text = page(parts, "fairlane report")
    begin = text.index('<script type="application/octet-stream"')
    heavy = f'<script type="application/octet-stream" id="heavy">{letters}</script>'
    path = tmp_path / "large.html"
    path.write_text(text[:begin] + heavy + text[begin:], encoding="utf-8")
    assert path.stat().st_size > 4_600_000
    tab = read(path=path)
    tab.wait_for_load_state("load")
    assert tab.evaluate("performance.getEntriesByType('navigation')[0].loadEventEnd") < 2000
