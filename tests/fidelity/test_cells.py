"""Results of `fairlane fidelity --against` in one cell of each study, in files and on the page."""

from dataclasses import replace

from fairlane.results.statistics import Interval
from fairlane.show.agreement.agreement_page import cells_section as section
from fairlane.study.linux.against import Row, read, write

NAMES = ("lin", "vm:debian-13", "Linux 6.12.1", "the run", "1 a")


def interval(estimate, half_width):
    return Interval(estimate, estimate - half_width, estimate + half_width, 5)


def found(kernel_share):
    return [
        Row(*NAMES, "goodput_mbps", interval(50, 1), interval(50, 1)),
        Row(*NAMES, "share_pct", interval(50, 2), interval(kernel_share, 2)),
        Row(*NAMES, "mean_rtt_ms", interval(20.25, 0.5), interval(20, 0.5)),
        Row(*NAMES, "retransmits", interval(7, 2), interval(8, 2)),
    ]


def test_written_files_are_read_back(tmp_path):
    write(tmp_path / "vm.csv", found(51))
    assert read(tmp_path / "vm.csv") == found(51)


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
    write(tmp_path / "real.csv", [replace(row, place="namespaces") for row in found(51)])
    assert section(tmp_path).endswith("- `lin` (vm:debian-13, namespaces): other timers.\n")
