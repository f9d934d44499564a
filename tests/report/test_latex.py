"""LaTeX that compiles, with our values and the paper's."""

import re
import shutil
import subprocess

import pytest
from fairlane.show.report.latex import write
from fairlane.show.text.latex_table import escaped


@pytest.fixture(scope="module")
def folder(parts, tmp_path_factory):
    """All files of the small study."""
    place = tmp_path_factory.mktemp("latex")
    written = [path.name for path in write(place, parts)]
    over_time = [name for name in written if "over-time" in name]
    assert len(written) - len(over_time) == 2 * 3 + 1
    runs = [f"{algorithm}-{buffer}bdp" for algorithm in ("cubic", "reno") for buffer in (1, 2)]
    assert sorted(over_time) == sorted(f"figure-1-over-time-{run}.{how}" for run in runs for how in ("pdf", "svg"))
    return place / "small2020"


def rows(path):
    lines = path.read_text().splitlines()
    return [line.removesuffix("[2pt]").removesuffix(r"\\").rstrip().split(" & ") for line in lines if line.count(" & ")]


def test_ours_stands_beside_the_papers(folder):
    head, columns, cubic, reno = rows(folder / "figure-1.tex")
    assert head == ["", r"\multicolumn{2}{c}{buffer, BDP 1}", r"\multicolumn{2}{c}{2}"]
    assert columns == ["first", "ours", "paper", "ours", "paper"]
    assert (cubic[0], cubic[2], cubic[4]) == ("cubic", "9.20", "9.20")
    assert (reno[2], reno[4]) == ("9.20", "--"), "the paper has no number of it"
    assert re.fullmatch(r"\d\.\d\d \{\\scriptsize \d\.\d\d--\d\.\d\d\}", cubic[1])


def test_many_columns_stand_below_each_other(folder):
    found = rows(folder / "table-1.tex")
    assert found[0][:4] == ["first", "", "goodput", "Jain"]
    assert [row[:2] for row in found[1:]] == [["cubic", "ours"], ["", "paper"], ["reno", "ours"], ["", "paper"]]
    assert "A note." in (folder / "table-1.tex").read_text()


@pytest.mark.parametrize("path", ["table-1.tex", "figure-1.tex", "all.tex"])
def test_environments_close_and_rows_fit_the_table(folder, path):
    text = (folder / path).read_text()
    assert re.findall(r"\\begin\{(\w+)\}", text) == re.findall(r"\\end\{(\w+)\}", text)[::-1] or path == "all.tex"
    bare = re.sub(r"\\[{}]", "", text)
    assert bare.count("{") == bare.count("}")
    kinds = re.search(r"\\begin\{tabular\}\{([lr]+)\}", text)
    if kinds:
        for row in rows(folder / path):
            wide = sum(int((re.match(r"\\multicolumn\{(\d)", cell) or [0, 1])[1]) for cell in row)
            assert wide == len(kinds[1])


def test_figures_are_there_twice_with_type_that_publishers_take(folder):
    drawing = (folder / "figure-1.pdf").read_bytes()
    assert b"CIDFontType2" in drawing
    assert b"/Type3" not in drawing
    assert "<svg" in (folder / "figure-1.svg").read_text()


def test_signs_of_latex_are_escaped():
    assert escaped(r"a_b & 5 % <φ> \x") == r"a\_b \& 5 \% $<$$\varphi$$>$ \textbackslash{}x"


def test_it_compiles(folder, tmp_path):
    compiler = shutil.which("pdflatex")
    if compiler is None:
        pytest.skip("pdflatex is not installed: apt-get install texlive-latex-base texlive-latex-recommended")
    command = [compiler, "-interaction=nonstopmode", "-halt-on-error", f"-output-directory={tmp_path}", "all.tex"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout[-2000:]
    assert (tmp_path / "all.pdf").stat().st_size > 5000
