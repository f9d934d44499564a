"""Each layer of the package imports only from those below it: `[tool.importlinter]` in pyproject.toml."""

import os
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
SETTINGS = (ROOT / "pyproject.toml").read_text(encoding="utf-8")


def lint(folder: Path, packages: Path) -> subprocess.CompletedProcess:
    command = [sys.executable, "-c", "from importlinter.cli import lint_imports_command as lint; lint()", "--no-cache"]
    environment = {**os.environ, "PYTHONPATH": str(packages), "COLUMNS": "200"}
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, env=environment)


def test_no_module_imports_upwards():
    done = lint(ROOT, ROOT / "python")
    assert done.returncode == 0, done.stdout + done.stderr


def test_an_upward_import_would_be_found(tmp_path):
    (tmp_path / "pyproject.toml").write_text(SETTINGS[SETTINGS.index("[tool.importlinter]") :])
    contracts = tomllib.loads(SETTINGS)["tool"]["importlinter"]["contracts"]
    layers = next(one["layers"] for one in contracts if one["type"] == "layers")
    package = tmp_path / "fairlane"
    package.mkdir()
    for name in ["__init__", *(name.strip() for layer in layers for name in layer.replace("|", ":").split(":"))]:
        (package / f"{name}.py").touch()
    (package / "__init__.py").write_text("from fairlane import api\n")
    assert lint(tmp_path, tmp_path).returncode == 0
    (package / "results.py").write_text("def late():\n    from fairlane import runs\n")
    done = lint(tmp_path, tmp_path)
    assert done.returncode == 1
    assert "fairlane.results is not allowed to import fairlane.runs" in done.stdout
