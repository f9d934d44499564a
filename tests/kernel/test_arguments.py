"""cong_control() has two argument lists: (sk, sample) up to Linux 6.9, and (sk, ack, flag, sample) since 6.10.

test_transfer.py loads the programs into the running kernel and compares them with the simulator. Here both lists are
tried natively: programs get an array of arguments, and the kernel's version determines which one is the sample.
"""

import subprocess
from pathlib import Path

from .conftest import ALGORITHMS

INTERFACE = ALGORITHMS / "interface"


def test_the_sample_is_found_in_both_argument_lists(tmp_path):
    program = tmp_path / "arguments"
    source = Path(__file__).parent / "programs" / "arguments.c"
    include = ["-I", str(INTERFACE / "native"), "-I", str(INTERFACE)]
    subprocess.run(["cc", "-O2", *include, str(source), "-o", str(program)], check=True)
    printed = subprocess.run([str(program)], check=True, capture_output=True, text=True).stdout
    # Linux 5.15 and 6.9: argument 1; 6.10 and 6.18: argument 3.
    assert printed.split("\n") == ["100 101", "100 101", "100 103", "100 103", ""]


def test_all_programs_that_have_the_callback_are_written_for_both():
    files = (*ALGORITHMS.glob("*.c"), *(ALGORITHMS / "shared").rglob("*.h"))
    with_callback = [path for path in files if ".cong_control" in path.read_text()]
    assert len(with_callback) >= 5
    for path in with_callback:
        assert "void CONG_CONTROL(" in path.read_text(), path.name
