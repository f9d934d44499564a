"""What `fairlane fidelity --against` found in one cell of each study, in files and on the page."""

from dataclasses import replace

from fairlane.results.statistics import Interval
from fairlane.show.agreement.cells_page import section
from fairlane.study.linux import cells
from fairlane.study.linux.against import Row


def interval(estimate, half_width):
    return Interval(estimate, estimate - half_width, estimate + half_width, 5)


def found(kernel_share):
    rows = [
        Row("the run", "1 a", "goodput_mbps", interval(50, 1), interval(50, 1)),
        Row("the run", "1 a", "share_pct", interval(50, 2), interval(kernel_share, 2)),
        Row("the run", "1 a", "mean_rtt_ms", interval(20.25, 0.5), interval(20, 0.5)),
        Row("the run", "1 a", "retransmits", interval(7, 2), interval(8, 2)),
    ]
    return [cells.Cell("lin", "vm:debian-13", "Linux 6.12.1", row) for row in rows]


def test_what_is_written_is_read_again(tmp_path):
    cells.write(tmp_path / "vm.csv", found(51))
    assert cells.load(tmp_path / "vm.csv") == found(51)


def test_the_page_marks_what_differs_and_explains_it(tmp_path):
    assert section(tmp_path) == ""
    cells.write(tmp_path / "vm.csv", found(51))
    text = section(tmp_path)
    same = (
        "| `lin` | Linux 6.12.1, vm | 1 a | 50.0 ± 2.0 / 51.0 ± 2.0 | 20.2 ± 0.5 / 20.0 ± 0.5 | 7.0 ± 2.0 / 8.0 ± 2.0 |"
    )
    assert same in text
    assert "not explained" not in text
    cells.write(tmp_path / "vm.csv", found(55))
    text = section(tmp_path)
    assert "| **≠** 50.0 ± 2.0 / 55.0 ± 2.0 |" in text
    assert text.endswith("- `lin` (vm:debian-13): not explained yet.\n")
    (tmp_path / "explanations.toml").write_text('lin = "other timers."\n')
    cells.write(tmp_path / "real.csv", [replace(cell, place="namespaces") for cell in found(51)])
    assert section(tmp_path).endswith("- `lin` (vm:debian-13, namespaces): other timers.\n")
