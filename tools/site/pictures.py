"""Draws the pictures of the documentation again: python tools/site/pictures.py [NAME.png ...]

Each is made by the commands of the page that shows it: the one that writes it, and the run whose results it reads. The
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
RESULTS = re.compile(r"results/(\w+)")


def draw(name: str, to: Path) -> None:
    """Runs the commands of a page that lead to the picture of that name, and copies the picture to `to`."""
    page, file = PICTURES[name]
    writes = re.compile(rf"(?:--plot|-o) {re.escape(file)}$")
    steps = list(walk.steps((ROOT / page).read_text()))
    writer = next((step.text for step in steps if step.kind == "command" and writes.search(step.text)), None)
    if writer is None:
        sys.exit(f"{page} has no command that writes {file}")
    runs = [f"fairlane run {results}.toml" for results in RESULTS.findall(writer)]
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "docs").symlink_to(ROOT / "docs")  # of which some pages use an example
        for step in steps:
            if step.kind == "file":
                Path(folder, step.name).write_text(step.text)
        for command in [*runs, writer]:
            words = [sys.executable, "-m", "fairlane", *command.split()[1:]]
            subprocess.run(words, cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        shutil.copy(Path(folder, file), to)


def execute(notebook: Path) -> None:
    """Executes a notebook in an empty folder and writes it again."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, ROOT / "tools/execute_notebook.py", notebook], cwd=folder, check=True)
    print(notebook.relative_to(ROOT))


if __name__ == "__main__":
    for wanted in sys.argv[1:] or PICTURES:
        draw(wanted, ROOT / "docs/images" / wanted)
        print(f"docs/images/{wanted}")
    if not sys.argv[1:]:
        execute(ROOT / "docs/guides/first-steps.ipynb")
