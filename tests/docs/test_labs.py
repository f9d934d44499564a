"""The lab sheets run, and the teacher's page has their values."""

import json
import re

import pytest

from .conftest import PAGES

ROWS = re.findall(
    r"^\| [\d.]+ \| `(duel .*?)` \| `(.*?)` \| ([\d.]+) \|$", PAGES["docs/guides/labs-for-teachers.md"], re.M
)
COMMANDS = re.findall(r"^fairlane (.*)$", PAGES["docs/guides/labs.md"], re.M)


@pytest.mark.parametrize("command", dict.fromkeys(command for command, _, _ in ROWS))
def test_the_teacher_has_the_values_of_the_sheets(cli, command):
    assert command in COMMANDS
    printed = json.loads(cli(*command.split(), "--json").out)
    for name, expected in [row[1:] for row in ROWS if row[0] == command]:
        found = printed
        for key in name.split("."):
            found = found[int(key) if key.isdigit() else key]
        assert f"{found:.{len(expected.partition('.')[2])}f}" == expected, name
