"""The page about the agreement, and the comparison of series."""

from fairlane.files import data_folder
from fairlane.show.comparison.agreement_page import alone, write
from fairlane.study.linux.recorded_series import SEGMENT_BYTES, Divergence, Series, divergence_s, linux
from fairlane.study.linux.score import compare, errors, flow_rows, load_rows
from fairlane.study.linux.truth import as_scenario, load

FOLDER = data_folder("calibration") / "linux-6.12"


def line(cwnd):
    return Series([i / 10 for i in range(len(cwnd))], cwnd, [40.0] * len(cwnd), [0] * len(cwnd))


def test_windows_that_agree_never_part():
    assert divergence_s(line([10, 20, 30, 40] * 5), line([10.4, 20, 29, 41] * 5)) is None


def test_a_drop_a_sample_late_is_no_divergence():
    assert divergence_s(line([100] * 9 + [70] * 9), line([100] * 10 + [70] * 8)) is None


def test_half_a_second_apart_is_a_divergence():
    assert divergence_s(line([100] * 30), line([100] * 10 + [150] * 20)) == 1.1


def test_windows_are_recorded_in_packets():
    [flow] = linux(FOLDER, "single-20m-40ms-1bdp-cubic")
    assert flow.cwnd_packets[0] == 57.92 * 1000 / SEGMENT_BYTES == 40
    assert linux(FOLDER, "no such scenario") == []


def test_flows_alone_that_diverge_are_counted_and_named():
    found = [
        Divergence("single-reno", 0, None, 0, 0),
        Divergence("single-bic", 0, 59.4, 1, 1),
        Divergence("pair", 0, None, 0, 0),
    ]
    [text] = alone(found)
    assert text.startswith("Of 2 flows alone on the link, 1 ")
    assert text.endswith("`single-bic` diverges at 59.4 s.")
    assert alone(found[2:]) == []


def test_the_page_shows_errors_and_explains_large_ones(tmp_path):
    from fairlane.engine import run

    name = "single-20m-40ms-1bdp-cubic"
    scenario = next(one for one in load(FOLDER) if one.name == name)
    result = run(as_scenario(scenario))
    off = dict(result, flows=[dict(result["flows"][0], goodput_mbps=result["flows"][0]["goodput_mbps"] / 2)])
    compared = compare(load_rows(FOLDER / "linux.csv"), flow_rows(name, off["flows"]))
    found = errors(compared, only_present=True)
    page, picture = write(tmp_path / "concepts" / "fidelity.md", FOLDER, found, {name: result})
    text = page.read_text()
    assert f"| `{name}` | 50.0 |" in text
    assert f"- `{name}` (goodput): not explained yet." in text
    assert picture.stat().st_size > 10_000
