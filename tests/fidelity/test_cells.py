"""Results of `fairlane fidelity --against` in one cell of each study, in files and on the page."""

from fairlane.results.statistics import Interval
from fairlane.show.comparison.agreement_page import cells_section as section
from fairlane.show.comparison.comparison_text import comparison_text
from fairlane.study.linux.against import beside_kernel, read, rows_of, write
from fairlane.study.paper.comparison import Cell


def interval(estimate, half_width):
    return Interval(estimate, estimate - half_width, estimate + half_width, 5)


def cell(ours, kernel):
    return Cell(ours.estimate, ours, kernel.estimate, paper_interval=kernel)


def found(kernel_share, place="vm:debian-13"):
    cells = [
        cell(interval(50, 1), interval(50, 1)),
        cell(interval(50, 2), interval(kernel_share, 2)),
        cell(interval(20.25, 0.5), interval(20, 0.5)),
        cell(interval(7, 2), interval(8, 2)),
    ]
    return [beside_kernel("lin", place, "Linux 6.12.1", {("the run", "1 a"): cells})]


def test_written_files_are_read_back(tmp_path):
    write(tmp_path / "vm.csv", found(51))
    assert read(tmp_path / "vm.csv") == found(51)


def test_the_table_is_that_of_a_paper_and_marks_differences():
    same, other = (comparison_text(found(share)[0]).splitlines()[-3:] for share in (51, 55))
    assert same[1].split()[:5] == ["kernel", "50.00", "±1.00", "51.00", "±2.00"]
    assert "≠" not in "".join(same)
    assert other[2].split() == ["diff", "+0.00", "≠", "-5.00", "+0.25", "-1.00"]


def test_the_page_marks_and_explains_differences(tmp_path):
    assert section(tmp_path) == ""
    write(tmp_path / "vm.csv", found(51))
    text = section(tmp_path)
    same = (
        "| `lin` | Linux 6.12.1, vm | 1 a | 50.0 ± 2.0 / 51.0 ± 2.0 | 20.2 ± 0.5 / 20.0 ± 0.5 | 7.0 ± 2.0 / 8.0 ± 2.0 |"
    )
    assert same in text
    assert "not explained" not in text
    write(tmp_path / "vm.csv", found(55))
    text = section(tmp_path)
    assert "| **≠** 50.0 ± 2.0 / 55.0 ± 2.0 |" in text
    assert text.endswith("- `lin` (vm:debian-13): not explained yet.\n")
    (tmp_path / "explanations.toml").write_text('lin = "other timers."\n')
    write(tmp_path / "real.csv", found(51, "namespaces"))
    assert section(tmp_path).endswith("- `lin` (vm:debian-13, namespaces): other timers.\n")


def flow(group, name, goodput_mbps, mean_rtt_ms, retransmits):
    return {
        "group": group,
        "name": name,
        "goodput_mbps": goodput_mbps,
        "mean_rtt_ms": mean_rtt_ms,
        "retransmits": retransmits,
    }


def test_groups_of_flows_have_a_row_and_so_have_all_together():
    many = [flow(0, "cubic", 1.0, 20.0 + n, 2) for n in range(3)] + [flow(1, "bbr", 7.0, 30.0, 4)]
    cubic, bbr, every = rows_of(many)
    assert [row["label"] for row in (cubic, bbr, every)] == ["1 cubic, 3 flows", "2 bbr", "all 4"]
    assert (cubic["goodput_mbps"], cubic["share_pct"], cubic["mean_rtt_ms"], cubic["retransmits"]) == (3, 30, 21, 6)
    assert (bbr["share_pct"], every["goodput_mbps"], every["share_pct"], every["retransmits"]) == (70, 10, 100, 10)
    assert [row["label"] for row in rows_of([flow(0, "a", 1.0, 2.0, 0), flow(1, "a", 1.0, None, 0)])] == ["1 a", "2 a"]
