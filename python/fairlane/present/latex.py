"""Text for LaTeX."""

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
