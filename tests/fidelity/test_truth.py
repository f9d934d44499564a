"""The calibration data that Fairlane ships, and how its scenarios become the engine's."""

from fairlane.files import data_folder
from fairlane.study.linux.score import compare, errors, load_rows, summarise
from fairlane.study.linux.truth import Queue, as_repeats, as_scenario, load, missing

FOLDER = data_folder("calibration") / "linux-6.12"
LINUX = load_rows(FOLDER / "linux.csv")


def find(name):
    return next(one for one in load(FOLDER) if one.name == name)


def test_all_of_it_is_there():
    assert len(load(FOLDER)) == 185


def test_a_pair_behind_a_token_bucket():
    scenario = as_scenario(find("pair-20m-40ms-2bdp-bbr-vs-cubic-r2"))
    bottleneck, *delays = scenario["links"]
    assert bottleneck == {
        "name": "bottleneck",
        "rate_bps": 20_000_000,
        "delay_ns": 0,
        "overhead_bytes": 14,
        "burst_bytes": 1540,
        "queue": {"kind": "fifo", "limit_bytes": 200_000},
    }
    delay = {"delay_ns": 20_000_000, "overhead_bytes": 14}
    assert all(link == {"name": link["name"], **delay} for link in delays)
    assert scenario["hz"] == 100
    assert scenario["duration_ns"] == 64 * 10**9  # and what iperf3 needs to set up
    assert [flow["algorithm"] for flow in scenario["flows"]] == ["bbr", "cubic"]
    assert scenario["flows"][0]["forward"] == ["bottleneck", "out-0"]
    assert scenario["flows"][1]["reverse"] == ["back-1"]
    assert scenario["flows"][0]["sender"] == {
        "offload": False,
        "pacing": "internal",
        "wmem_max_bytes": 64 * 2**20,
        "ecn": False,
    }


def test_extra_rtt_is_halved_between_the_directions():
    truth = next(one for one in load(FOLDER) if any(flow.rtt_extra_ms for flow in one.flows))
    links = {link["name"]: link for link in as_scenario(truth)["links"]}
    half_ms = (truth.rtt_ms + truth.flows[1].rtt_extra_ms) / 2
    assert links["out-1"]["delay_ns"] == links["back-1"]["delay_ns"] == half_ms * 10**6


def test_loss_strikes_data_behind_the_bottleneck():
    links = {link["name"]: link for link in as_scenario(find("lossy-20m-100ms-0.1pct-cubic"))["links"]}
    assert links["out-0"]["loss"] == {"kind": "independent", "probability": 0.001, "correlation": 0.0}
    assert "loss" not in links["back-0"]
    assert "loss" not in links["bottleneck"]


def test_repeats_lose_other_packets():
    first, second = (as_scenario(find(f"lossy-20m-100ms-0.1pct-cubic{suffix}")) for suffix in ("", "-r2"))
    assert first["seed"] != second["seed"]


def test_missing_files_are_named():
    codel = find("aqm-20m-40ms-codel-bbr-vs-cubic")
    assert missing(codel, ["bbr", "cubic"]) == ""
    other = codel.model_copy(update={"queue": Queue(kind="sfq")})
    assert missing(other, ["bbr", "cubic"]) == "queue sfq"
    pair = find("pair-20m-40ms-2bdp-bbr-vs-cubic")
    assert missing(pair, ["cubic"]) == "algorithm bbr"
    assert missing(pair, ["bbr", "cubic"]) == ""


def test_linux_scores_perfectly_against_itself():
    rows = errors(compare(LINUX, LINUX))
    summary = summarise(rows)
    assert len(rows) == 68
    assert not any(row.missing for row in rows)
    assert summary["goodput"].worst == summary["share"].worst == summary["rtt"].worst == 0
    assert summary["retransmits"].worst == 1


def test_absent_results_count_as_wholly_wrong(tmp_path):
    lines = (FOLDER / "linux.csv").read_text().splitlines(keepends=True)
    (tmp_path / "some.csv").write_text("".join(lines[:3]))
    some = compare(LINUX, load_rows(tmp_path / "some.csv"))
    assert sum(row.missing for row in errors(some)) == 67
    assert [row.missing for row in errors(some, only_present=True)] == [False]


def test_further_repeats_draw_the_offset_of_each_flow_and_so_their_order():
    name = "pair-20m-40ms-2bdp-reno-vs-cubic"
    recorded = [find(name), find(f"{name}-r2")]
    repeats = as_repeats(recorded, 20)
    assert [one.name for one in repeats[:2]] == [f"{name}-r5", f"{name}-r6"]
    starts = [tuple(flow.start_s for flow in one.flows) for one in repeats]
    bases = [tuple(flow.start_s for flow in recorded[number % 2].flows) for number in range(20)]
    for drawn, base in zip(starts, bases, strict=True):
        assert all(0 <= start - begin <= 0.03 for start, begin in zip(drawn, base, strict=True))
    assert len({start for pair in starts for start in pair}) == 40
    assert 1 < sum(first < second for first, second in starts[::2]) < 9
    assert as_repeats(recorded, 20) == repeats
    assert recorded[0].flows[1].start_s == 0
    assert as_repeats([find("single-20m-40ms-1bdp-reno")], 3) == []
