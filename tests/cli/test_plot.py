"""`fairlane plot`."""

import pytest


def test_a_plot(cli, pairs, tmp_path):
    file = tmp_path / "shares.svg"
    outcome = cli("plot", pairs.path, "line", "--metric", "share_pct", "--x", "buffer", "-o", file)
    assert (outcome.status, outcome.err) == (0, "")
    assert outcome.out == f"plot: {file}\n"
    assert file.read_text().lstrip().startswith("<?xml")


def test_all_options(cli, pairs, tmp_path):
    file = tmp_path / "windows.pdf"
    options = ["--where", "against=reno", "--panels", "buffer", "--width", "page", "--height", "3"]
    options += ["--title", "two buffers", "--bin", "1s", "--until", "8s"]
    outcome = cli("plot", pairs.path, "goodput", *options, "-o", file)
    assert (outcome.status, outcome.err) == (0, "")
    assert file.read_bytes().startswith(b"%PDF")
    options = ["--metric", "goodput_mbps", "--against", "packet_rtt_p95_ms", "--lines", "name"]
    assert cli("plot", pairs.path, "delay-throughput", *options, "--log-x", "-o", file).status == 0


def test_help_lists_the_kinds(cli):
    out = cli("plot", "--help").out
    assert "delay-throughput" in out
    assert "Jain's index" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["lines"], "'lines'; did you mean line?"),
        (["line", "--metric", "goodput"], "did you mean goodput_mbps"),
        (["line", "--x", "rate"], "axis 'rate'"),
        (["line", "--width", "poster"], "'poster'"),
        (["shares", "--metric", "share_pct"], "--metric"),
        (["cdf", "--panels", "buffer"], "--panels"),
        (["cwnd"], "--where against=VALUE"),
        (["overview", "--panels", "buffer", "--where", "against=reno"], "--panels"),
        (["line", "--where", "algorithm=bbr"], "unknown value of algorithm 'bbr'"),
        (["line", "--metric", "completion_s"], "completion_s"),
        (["cdf", "--metric", "completion_s"], "completion_s"),
        (["box", "--metric", "completion_s"], "completion_s"),
        (["heatmap", "--metric", "completion_s"], "completion_s"),
    ],
)
def test_mistakes_take_one_line(cli, pairs, tmp_path, arguments, message):
    outcome = cli("plot", pairs.path, *arguments, "-o", tmp_path / "picture.png")
    assert outcome.status in (1, 2)
    assert message in outcome.err
    assert outcome.err.count("\n") == 1
    assert not (tmp_path / "picture.png").exists()


def test_the_file_says_which_kind_of_picture(cli, pairs, tmp_path):
    outcome = cli("plot", pairs.path, "shares", "-o", tmp_path / "picture.gif")
    assert ".png, .svg, .pdf" in outcome.err
