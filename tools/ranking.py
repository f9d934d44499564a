"""Writes the published ranking into its page: `python -m tools.ranking`."""

from pathlib import Path

from fairlane.search.evidence.rank_report import as_markdown
from fairlane.search.evidence.ranking import load, read

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "guides" / "best-algorithm.md"
BEGIN, END = "<!-- ranking -->", "<!-- end of ranking -->"


def written(text: str) -> str:
    """The page with the ranking of `studies/ranking/published.json`."""
    folder = ROOT / "studies" / "ranking"
    _, every = load(folder / "published.json")
    table = as_markdown(read(folder / "ranking.toml"), every, ROOT / "studies" / "rfc9743" / "published")
    before, _, rest = text.partition(BEGIN)
    return f"{before}{BEGIN}\n{table}\n{END}{rest.partition(END)[2]}"


if __name__ == "__main__":
    PAGE.write_text(written(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    print(f"written: {PAGE.relative_to(ROOT)}")
