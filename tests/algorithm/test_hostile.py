"""A hostile program fails one run with one clear line.

Each file of `hostile/` ends with that line, or a part of it: `{path}` is the file, `{line:TEXT}` the number of the
first line that has this text, `{gcc:...}` and `{clang:...}` the words of one compiler. "x86-64:" in front marks machine
code of that processor, ":TABLE" the table to take.
"""

import json
import os
import platform
import re
import subprocess
from functools import cache
from pathlib import Path

import pytest
from fairlane import engine
from fairlane.scenario.requests import dumbbell, scenario

FOLDER = Path(__file__).parent / "hostile"
PROGRAMS = sorted(path for path in FOLDER.glob("*.c") if path.stem != "innocent")


def of(*algorithms: str | Path) -> dict:
    """A short run of these algorithms."""
    flows = [{"algorithm": str(algorithm), "rtt": "10ms"} for algorithm in algorithms]
    return scenario(dumbbell(flows, rate="10mbit", duration="1s"))


def expected(path: Path) -> tuple[str, str]:
    """Name of the program, and the message."""
    lines = path.read_text().splitlines()
    mark, line = re.match(r"/\* (x86-64: |:\w+ )?(.*) \*/", lines[-1]).groups()
    if mark == "x86-64: " and platform.machine() != "x86_64":
        pytest.skip("machine code of x86-64")
    word = f"{path}{mark.strip()}" if mark and mark.startswith(":") else str(path)

    def number(found: re.Match) -> str:
        return str(next(number for number, one in enumerate(lines, 1) if found[1] in one))

    line = re.sub(r"\{(gcc|clang):(.*?)\}", lambda found: found[2] if found[1] == compiler() else "", line)
    return word, re.sub(r"\{line:(.*?)\}(?=:)", number, line.replace("{path}", str(path)))


@cache
def compiler() -> str:
    """Of native programs: gcc, or clang."""
    words = os.environ.get("CC", "cc").split()
    return "clang" if "clang" in subprocess.run([*words, "--version"], capture_output=True, text=True).stdout else "gcc"


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_it_costs_one_run_and_one_clear_line(path):
    word, line = expected(path)
    with pytest.raises(engine.AlgorithmError) as caught:
        engine.run(of(word))
    assert line in str(caught.value)
    assert len(str(caught.value).splitlines()) == 1
    # Runs after it, here and of the same workers, are as they were.
    assert engine.run(of(FOLDER / "innocent.c"))["flows"][0]["data_packets_sent"] > 100


def test_the_same_program_is_run_as_the_bundled_one_is(tmp_path):
    copy = tmp_path / "other.c"
    copy.write_text((Path(__file__).parents[2] / "algorithms/cubic.c").read_text())
    bundled, other = engine.run(of("cubic", "bbr")), engine.run(of(copy, "bbr"))
    for flow in other["flows"]:
        flow["algorithm"] = flow["algorithm"].replace(str(copy), "cubic")
    assert json.dumps(bundled, sort_keys=True) == json.dumps(other, sort_keys=True)


def test_more_memory_than_allowed_is_one_line(tmp_path):
    (tmp_path / "hostile.h").write_text((FOLDER / "hostile.h").read_text())
    large = tmp_path / "large.c"
    large.write_text(
        '#include "hostile.h"\nconst volatile __u32 size = 0;\nstatic volatile char room[1900UL << 20];\n'
        "static void hostile(struct sock *sk) { room[size] = 1; }\n"
    )
    flows = [{"algorithm": str(large), "parameters": {"size": n}, "rtt": "10ms"} for n in range(3)]
    with pytest.raises(engine.AlgorithmError, match=f"^{large} .*(map|memory)"):
        engine.run(scenario(dumbbell(flows, rate="10mbit", duration="1s")))


def test_a_run_that_takes_too_long_is_one_line():
    engine.contain(run_timeout_s=0.2)
    try:
        with pytest.raises(engine.AlgorithmFault, match="--run-timeout"):
            engine.run(of(FOLDER / "hangs.c"))
    finally:
        engine.contain()


def test_a_trusted_file_runs_in_this_process():
    path = FOLDER / "innocent.c"
    engine.contain(trusted=[path])
    try:
        assert engine.run_measured(json.dumps(of(path)))[1] is None
    finally:
        engine.contain()
    assert engine.run_measured(json.dumps(of(path)))[1].cpu_s > 0


def test_nothing_is_executed_to_check_or_describe_a_file(tmp_path):
    """A fault of a callback, a system call or a missing compiler's run would show; neither may load the object."""
    maps = Path("/proc/self/maps")
    path = FOLDER / "exits.c"
    engine.check(of(path))
    assert engine.describe(str(path))["kernel_name"] == "hostile"
    assert "fairlane-algorithm" not in maps.read_text()


def test_the_compilers_warnings_are_kept(tmp_path):
    program = tmp_path / "warned.c"
    text = (FOLDER / "innocent.c").read_text().replace("{\n}", "{\n\tint n;\n\n\ttcp_sk(sk)->snd_cwnd += n;\n}")
    program.write_text(text)
    (tmp_path / "hostile.h").write_text((FOLDER / "hostile.h").read_text())
    warnings = engine.describe(str(program))["warnings"]
    assert any(line.startswith(f"{program}:7: warning: ") and "uninitialized" in line for line in warnings), warnings
