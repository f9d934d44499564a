"""Tables in LaTeX, for the booktabs package."""

from collections.abc import Iterable, Sequence

LONG_FROM = 40
"""With more lines than this, a table may break over pages, if it is allowed to."""


def latex_table(alignment: str, head: Sequence[str], lines: Sequence[str], *, may_break: bool = False) -> list[str]:
    """The lines of a table; `head` and `lines` are rows."""
    kind = "longtable" if may_break and len(lines) > LONG_FROM else "tabular"
    return [
        f"\\begin{{{kind}}}{{{alignment}}}",
        "\\toprule",
        *head,
        "\\midrule",
        *(["\\endhead"] if kind == "longtable" else []),
        *lines,
        "\\bottomrule",
        f"\\end{{{kind}}}",
    ]


def latex_of_words(
    headings: Sequence[str], rows: Sequence[Sequence[str]], labels: int, *, may_break: bool = False
) -> list[str]:
    """The lines of a table of plain text; its first `labels` columns are words, the others numbers."""
    head, *lines = (latex_row(escaped(cell.replace("\n", " ")) for cell in row) for row in [headings, *rows])
    return latex_table("l" * labels + "r" * (len(headings) - labels), [head], lines, may_break=may_break)


def latex_row(cells: Iterable[str]) -> str:
    """A row of cells, which are LaTeX already."""
    return " & ".join(cells) + " \\\\"


_SIGNS = {
    "\\": r"\textbackslash{}",
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": "$<$",
    ">": "$>$",
    "±": r"$\pm$",
    "×": r"$\times$",
    "÷": r"$\div$",
    "≤": r"$\leq$",
    "≥": r"$\geq$",
    "→": r"$\rightarrow$",
    "–": "--",
    "−": "$-$",
    "’": "'",
    "…": r"\dots{}",
    "φ": r"$\varphi$",
    "μ": r"$\mu$",
    "µ": r"$\mu$",
    "α": r"$\alpha$",
    "β": r"$\beta$",
    "σ": r"$\sigma$",
    "²": r"\textsuperscript{2}",
}


def escaped(text: str) -> str:
    r"""Text as LaTeX.

    >>> escaped("5 % of R_t × 2")
    '5 \\% of R\\_t $\\times$ 2'
    """
    return "".join(_SIGNS.get(sign, sign) for sign in text)
