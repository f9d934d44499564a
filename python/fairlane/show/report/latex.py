"""Tables and figures for a paper: booktabs tables, and each figure as PDF and SVG.

For each part a folder, and in it `all.tex`, which shows everything and needs nothing else: pdflatex all.tex.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from fairlane.files import make_folder, write_text
from fairlane.results.tables import ResultTables
from fairlane.show.comparison import pictures
from fairlane.show.comparison.comparison_table import Layout, Line, Pair, laid_out
from fairlane.show.comparison.time_series import draw_timelines
from fairlane.show.plots.figure import styled
from fairlane.show.report.outcome import PlainTable, plain_tables
from fairlane.show.report.study_contents import Part
from fairlane.show.text.aligned import FEW_REPEATS
from fairlane.show.text.latex_table import escaped, latex_of_words, latex_row, latex_table
from fairlane.study.paper.comparison import Comparison

MOST_BESIDE = 4
"""With more columns than this, ours and the paper's are in separate lines."""


def write(folder: Path, parts: Sequence[Part]) -> Iterator[Path]:
    """Writes all files and names them one by one."""
    for part in parts:
        place = folder / part.name
        make_folder(place, inside=folder)
        shown = []
        for comparison in part.comparisons:
            item = comparison.item
            yield _written(place / f"{item.name}.tex", comparison_table(comparison))
            drawn: list[Path] = []
            for suffix in (".svg", ".pdf"):
                drawn = _drawn(place, comparison, part.results, suffix)
                yield from drawn
            shown.append((item.name, item.heading, [path.name for path in drawn]))
        if part.study is None:
            for name, results in part.results.items():
                for table in plain_tables(results):
                    file = name if table.per == "group" else f"{name}-{table.per}"
                    yield _written(place / f"{file}.tex", plain_latex(table))
                    shown.append((file, f"{name}: {table.title}", []))
        yield _written(place / "all.tex", _document(part.title, shown, part.damage))


def _drawn(folder: Path, comparison: Comparison, results: Mapping[str, ResultTables], suffix: str) -> list[Path]:
    """The item's figure, and its time series if the paper plots them."""
    item = comparison.item
    first = folder / f"{item.name}{suffix}"
    with styled("paper"):
        pictures.draw_comparison(first, comparison)
        over_time = draw_timelines(folder, comparison, results, prefix=f"{item.name}-", suffix=suffix)
        return [first, *(over_time if item.channels else [])]


def comparison_table(comparison: Comparison) -> str:
    """Ours and the paper's; below the table, as comments, what an author should know."""
    layout = laid_out(comparison)
    item = comparison.item
    rows = _beside(layout) if len(layout.columns) <= MOST_BESIDE else _below(layout)
    comments = [
        item.heading,
        "Packages: booktabs, longtable. Ours with 95 % intervals (BCa bootstrap).",
    ]
    comments += [FEW_REPEATS] if comparison.has_few_repeats else []
    comments += [item.note] if item.note else []
    return _with_comments(comments, rows)


def plain_latex(table: PlainTable) -> str:
    """Metrics of an experiment that belongs to no study."""
    comments = [
        "Packages: booktabs, longtable.",
        "The value after the sign is half the width of the 95 % interval (BCa bootstrap).",
        *(f"{note[:1].upper()}{note[1:]}." for note in table.notes),
    ]
    return _with_comments(comments, latex_of_words(table.headings, table.rows, table.labels, may_break=True))


def _beside(layout: Layout) -> list[str]:
    """Two columns for each of the table's, where the paper has numbers."""
    names = ["ours", "paper"] if layout.has_paper else ["ours"]
    width, heads = len(names), len(layout.heads)
    over = [f"\\multicolumn{{{width}}}{{c}}{{{escaped(_titled(layout, column))}}}" for column in layout.columns]
    rules = "".join(
        f"\\cmidrule(lr){{{heads + 1 + place * width}-{heads + (place + 1) * width}}}"
        for place in range(len(layout.columns))
    )
    head = [
        latex_row([""] * heads + over),
        rules,
        latex_row([*map(escaped, layout.heads), *names * len(layout.columns)]),
    ]
    lines = []
    for line in layout.lines:
        cells = list(map(escaped, line.head))
        for pair in line.pairs:
            cells.append(_ours(pair, ends=True))
            cells += [_paper(pair)] if layout.has_paper else []
        lines.append(latex_row(cells))
    return latex_table("l" * heads + "r" * width * len(layout.columns), head, lines, may_break=True)


def _below(layout: Layout) -> list[str]:
    """Ours, its interval and the paper's in lines of their own."""
    heads = len(layout.heads)
    head = [
        latex_row([*map(escaped, layout.heads), "", *(escaped(_titled(layout, column)) for column in layout.columns)])
    ]
    lines = [text for line in layout.lines for text in _three(line, heads, layout.has_paper)]
    return latex_table("l" * (heads + 1) + "r" * len(layout.columns), head, lines, may_break=True)


def _three(line: Line, heads: int, has_paper: bool) -> Iterator[str]:
    blank = [""] * heads
    yield latex_row([*map(escaped, line.head), "ours", *(_ours(pair, ends=False) for pair in line.pairs)])
    if any(pair and pair.ends for pair in line.pairs):
        yield latex_row([*blank, "95 \\%", *(_ends(pair) for pair in line.pairs)])
    if has_paper:
        yield latex_row([*blank, "paper", *(_paper(pair) for pair in line.pairs)]) + "[2pt]"


def _ours(pair: Pair | None, *, ends: bool) -> str:
    if pair is None:
        return "--"
    return f"{escaped(pair.ours)} {_ends(pair)}".strip() if ends else escaped(pair.ours)


def _ends(pair: Pair | None) -> str:
    return f"{{\\scriptsize {pair.ends[0]}--{pair.ends[1]}}}" if pair and pair.ends else ""


def _paper(pair: Pair | None) -> str:
    return "--" if pair is None or not pair.paper else escaped(pair.paper)


def _titled(layout: Layout, column: str) -> str:
    """A value of the axis that goes across says of what, the first time."""
    return f"{layout.over} {column}" if layout.over and column == layout.columns[0] else column


def _with_comments(comments: Sequence[str], rows: Sequence[str]) -> str:
    lines = [f"% {' '.join(comment.split())}" for comment in comments]
    return "\n".join([*lines, *rows]) + "\n"


def _document(title: str, shown: Sequence[tuple[str, str, Sequence[str]]], damage: Sequence[str]) -> str:
    lines = [
        "\\documentclass[a4paper,landscape]{article}",
        "\\usepackage[margin=15mm]{geometry}",
        "\\usepackage{booktabs,longtable,graphicx}",
        "\\setlength{\\tabcolsep}{4pt}",
        "\\begin{document}",
        f"\\section*{{{escaped(title)}}}",
        *(f"\\textbf{{{escaped(line)}}}\\par" for line in damage),
    ]
    for name, heading, figures in shown:
        lines += [
            "",
            f"\\subsection*{{{escaped(heading)}}}",
            "{\\scriptsize\\noindent\\input{" + name + "}\\par}",
        ]
        for figure in figures:
            stem = figure.removesuffix(".pdf")  # in braces: it may contain a point, as in 0.5 BDP
            lines += [
                "\\begin{center}",
                f"\\includegraphics[width=0.8\\linewidth,height=0.8\\textheight,keepaspectratio]{{{{{stem}}}.pdf}}",
                "\\end{center}",
            ]
    return "\n".join([*lines, "\\end{document}", ""])


def _written(path: Path, text: str) -> Path:
    write_text(path, text)
    return path
