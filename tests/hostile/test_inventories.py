"""Inventories of others take neither the time nor the memory that a few lines of them could ask for."""

import time

import pytest
from fairlane.algorithm.kernel import KernelError
from fairlane.runs.backends.hosts import testbeds

LIMIT_S = 20
MANY = "".join(f"h{number} fairlane_address=10.0.0.1\n" for number in range(2000))
LAUGHS = "\n".join(
    ["a0: &a0 {hosts: {h: }}", *(f"a{n}: &a{n} {{children: {{x: *a{n - 1}, y: *a{n - 1}}}}}" for n in range(1, 60))]
)
MERGES = "\n".join(
    ["a0: &a0 {k: v}", *(f"a{n}: &a{n} {{<<: [{', '.join([f'*a{n - 1}'] * 10)}]}}" for n in range(1, 12))]
)
TOO_MUCH = {
    "hosts.ini": [("1" * 900_000, "line 1: is longer"), ("[senders]\n" + MANY, "more than 1,000 hosts")],
    "hosts.yml": [
        (LAUGHS, "has an alias"),
        (MERGES, "has an alias"),
        ("a: " + "[" * 500_000, "is not valid YAML"),
        ("senders: {hosts: {" + "".join(f"h{number}: , " for number in range(2000)) + "}}", "more than 1,000 hosts"),
        ("#" * (2 << 20), "is larger than 1 MiB"),
        ("a: 2026-99-99", "is not valid YAML"),
        ("a: !!python/object/apply:os.system ['true']", "is not valid YAML"),
    ],
    "hosts.json": [('{"a": {"hosts": [' + ", ".join(['"h"'] * 400_000) + "]}}", "more than 1,000 hosts")],
}


@pytest.mark.parametrize(("name", "number"), [(name, at) for name, all_ in TOO_MUCH.items() for at in range(len(all_))])
def test_it_is_refused_in_time(name, number, tmp_path):
    if name.endswith(".yml"):
        pytest.importorskip("yaml")
    text, message = TOO_MUCH[name][number]
    (tmp_path / name).write_text(text)
    begin_s = time.process_time()
    with pytest.raises(KernelError, match=message) as error:
        testbeds.read(str(tmp_path / name))
    assert time.process_time() - begin_s < LIMIT_S
    assert "\n" not in str(error.value)


def test_a_thousand_hosts_are_read(tmp_path):
    parts = {"senders": MANY.splitlines()[:499], "receivers": MANY.splitlines()[499:999]}
    text = "\n".join(f"[{name}]\n" + "\n".join(lines) for name, lines in parts.items())
    (tmp_path / "hosts.ini").write_text(f"{text}\n[routers]\nr\n")
    assert len(testbeds.read(str(tmp_path / "hosts.ini")).hosts) == 1000
