"""The simulator executes at most 3 % more instructions per packet than benchmarks/instruction_counts.json has."""

import importlib.util
import json
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "instruction_counts.py"


@pytest.fixture(scope="module")
def counts() -> Iterator[ModuleType]:
    sys.path.insert(0, str(SCRIPT.parent))  # for its `import table`
    spec = importlib.util.spec_from_file_location("instruction_counts", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    yield module
    sys.path.remove(str(SCRIPT.parent))


def lacking(counts: ModuleType) -> str | None:
    """Why counts cannot be compared here."""
    if not shutil.which("valgrind"):
        return "valgrind is not installed: apt-get install valgrind"
    if platform.machine() != "x86_64":
        return "the table is of x86_64"
    if overridden := [name for name in os.environ if name.startswith("CARGO_PROFILE_RELEASE_")]:
        return f"the extension is not built as a release: {', '.join(sorted(overridden))} set"
    if not shutil.which("rustc"):
        return "there is no rustc to compare with that of the table"
    table = json.loads(counts.TABLE.read_text())
    if counts.compiler() != table["compiler"]:
        return f"the table is of {table['compiler']}, and this is {counts.compiler()}"
    return None


@pytest.mark.timeout(900)
def test_no_network_costs_more_instructions_than_the_table_allows(counts: ModuleType):
    if reason := lacking(counts):
        pytest.skip(reason)
    run = subprocess.run([sys.executable, SCRIPT], capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr


def test_growth_names_the_functions_that_grew(counts: ModuleType):
    def network(total: float, **functions: float) -> dict:
        return {"n": {"instructions_per_packet": total, "functions": functions}}

    before = network(1000, push=300, pop=200, ack=500)
    assert counts.growth(before, network(1030, push=330, pop=200, ack=500)) == []
    (line,) = counts.growth(before, network(1031, push=300, pop=190, ack=511, new=30))
    assert line == "n: 1,000 -> 1,031 instructions per data packet (+3.1%): new +30, ack +11"


def test_a_profile_of_callgrind_is_read(counts: ModuleType):
    profile = """\
events: Ir

fl=(1) /src/a.rs
fn=(1) fairlane_tcp::outer
10 7
fi=(2) /src/b.rs
+1 5
fe=(1)
cfn=(2) fairlane_tcp::inner
calls=3 20
* 900

fn=(2)
20 300
-2 600
"""
    assert counts.per_function(profile) == {"tcp::outer": 12, "tcp::inner": 900}
