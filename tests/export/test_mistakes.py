"""Errors take one line, and write no file."""

import pytest


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["excel", "-o", "out"], "'excel'"),
        (["csv", "--tables", "flow", "-o", "out"], "'flow'; did you mean flows"),
        (["csv", "--interval", "1s", "-o", "out"], "interval s"),
        (["flent", "--at", "sender", "-o", "out"], "flent has no at"),
        (["pcapng", "--at", "middle", "-o", "out"], "'middle'"),
        (["pcapng", "-o", "out.pcapng"], "8 files"),
        (["csv", "-o", "out.parquet"], "'out.parquet'"),
        (["csv", "--where", "buffer=1kB", "-o", "out"], "buffer '1kB'"),
        (["iperf3", "--where", "algorithm=bbr", "-o", "out"], "unknown value of algorithm 'bbr'. Known: cubic, reno"),
        (["csv", "-o", "/proc/nothing/out"], "cannot write '/proc/nothing"),
    ],
)
def test_one_line(cli, pairs, tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    outcome = cli("export", pairs.path, *arguments)
    assert outcome.status in (1, 2)
    assert message in outcome.err
    assert outcome.err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []
