"""Tables of the pages on agreement."""


def table(head: list[str], lines: list[list[str]]) -> str:
    """A table whose columns after the first are numbers."""
    align = ["---"] + ["---:"] * (len(head) - 1)
    return "".join("| " + " | ".join(line) + " |\n" for line in [head, align, *lines])
