"""Draws the pictures of the documentation again: python tools/site/pictures.py [NAME.png ...]

Each is made by the commands of the page that shows it, walked in an empty folder up to the one that writes it. The
notebook is executed, too. Only fidelity-windows.png is not among them: `make fidelity` draws it with its table.
"""

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import walk

ROOT = Path(__file__).parents[2]
PICTURES = {
    "duel.png": ("docs/index.md", "duel.png"),
    "first-shares.png": ("docs/getting-started.md", "shares.png"),
    "link-pages.png": ("docs/guides/choose-for-your-link.md", "pages.png"),
    "tune-modest-bbr.png": ("docs/guides/tune.md", "pareto.png"),
    "window-cubic.png": ("docs/guides/watch-a-window-grow.md", "cubic.png"),
    "window-reno.png": ("docs/guides/watch-a-window-grow.md", "reno.png"),
}
"""File in docs/images, the page, and how the page's command calls it."""
NOT_NEEDED = re.compile(r"fairlane (?!run |duel )|.* --until-ci ")
"""Commands that write nothing which later ones read."""


def draw(name: str) -> None:
    """Walks the page of a picture and keeps the picture."""
    page, file = PICTURES[name]
    writes = re.compile(rf"(?:--plot|-o) {re.escape(file)}$")
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "docs").symlink_to(ROOT / "docs")  # of which some pages use an example
        for step in walk.steps((ROOT / page).read_text()):
            if step.kind == "file":
                Path(folder, step.name).write_text(step.text)
            elif step.kind == "command" and step.text.startswith("fairlane"):
                wanted = writes.search(step.text)
                if wanted or not (NOT_NEEDED.match(step.text) or "--plot" in step.text):
                    program = [sys.executable, "-m", "fairlane"]
                    subprocess.run(
                        [*program, *step.text.split()[1:]], cwd=folder, check=True, stdout=subprocess.DEVNULL
                    )
                if wanted:
                    shutil.copy(Path(folder, file), ROOT / "docs/images" / name)
                    print(f"docs/images/{name}")
                    return
    sys.exit(f"{page} has no command that writes {file}")


def execute(notebook: Path) -> None:
    """Executes a notebook in an empty folder and writes it again."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, ROOT / "tools/execute_notebook.py", notebook], cwd=folder, check=True)
    print(notebook.relative_to(ROOT))


if __name__ == "__main__":
    for wanted in sys.argv[1:] or PICTURES:
        draw(wanted)
    if not sys.argv[1:]:
        execute(ROOT / "docs/guides/first-steps.ipynb")
