"""Mistakes take one line, and nothing is written."""

import pytest


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["excel", "-o", "out"], "unknown format 'excel'"),
        (["csv", "--tables", "flow", "-o", "out"], "unknown table 'flow'; did you mean flows"),
        (["csv", "--interval", "1s", "-o", "out"], "csv has no interval s; it has tables"),
        (["flent", "--at", "sender", "-o", "out"], "flent has no at; it has no options"),
        (["pcapng", "--at", "middle", "-o", "out"], "unknown end 'middle'"),
        (["pcapng", "-o", "out.pcapng"], "8 files would go into 'out.pcapng'; name a folder instead"),
        (["csv", "-o", "out.parquet"], "'out.parquet' is neither a folder nor a file in .csv"),
        (["csv", "--where", "buffer=1kB", "-o", "out"], "unknown value of buffer '1kB'"),
        (["iperf3", "--where", "algorithm=bbr", "-o", "out"], "no flow in the results is like that"),
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
