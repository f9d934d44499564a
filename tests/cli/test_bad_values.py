"""Impossible values are refused with status 2 and one line: the option and what to write instead."""

import pytest

DUEL = ("duel", "cubic")

BAD = [
    # arguments, option in the message, fact in the message
    ((*DUEL, "--rate", "0mbit"), "--rate", "'0mbit'"),
    ((*DUEL, "--rate", "-5mbit"), "--rate", "'-5mbit'"),
    ((*DUEL, "--rate", "100"), "--rate", "100mbit"),
    ((*DUEL, "--rate", "100parsec"), "--rate", "'parsec'"),
    ((*DUEL, "--rate", "100MBps"), "--rate", "counts bytes"),
    ((*DUEL, "--rate", "fast"), "--rate", "100mbit"),
    ((*DUEL, "--rate", "nan"), "--rate", "100mbit"),
    ((*DUEL, "--rate", ""), "--rate", "100mbit"),
    ((*DUEL, "--rate", "0.1bit"), "--rate", "too small"),
    ((*DUEL, "--rate", "1e30gbit"), "--rate", "too large"),
    ((*DUEL, "--rtt", "0ms"), "--rtt", "'0ms'"),
    ((*DUEL, "--rtt", "-1ms"), "--rtt", "negative"),
    ((*DUEL, "--rtt", "20"), "--rtt", "20ms"),
    ((*DUEL, "--rtt", "20ms,30ms"), "--rtt", "2 values for 1 flow"),
    ((*DUEL, "--rtt", "20ms,"), "--rtt", "20ms"),
    ((*DUEL, "--buffer", "0p"), "--buffer", "'0p'"),
    ((*DUEL, "--buffer", "0.5p"), "--buffer", "1p"),
    ((*DUEL, "--buffer", "1.5p"), "--buffer", "'1.5p'"),
    ((*DUEL, "--buffer", "1513B"), "--buffer", "1514-byte frame"),
    ((*DUEL, "--buffer", "1bdp", "--rate", "1mbit", "--rtt", "1ms"), "--buffer", "1514-byte frame"),
    ((*DUEL, "--buffer", "5kbit"), "--buffer", "'kbit'"),
    ((*DUEL, "--buffer", "-1bdp"), "--buffer", "'-1bdp'"),
    ((*DUEL, "--queue", "fifi"), "--queue", "did you mean fifo?"),
    ((*DUEL, "--queue", "tail"), "--queue", "Known: fifo"),
    ((*DUEL, "--queue", "codel:taget=5ms"), "--queue", "'taget'; did you mean target?"),
    (("matrix", "cubic", "--against", "al"), "--against", "unknown algorithm 'al'"),
    (("advise", "--link", "cable", "--algorithms", "qubic"), "--algorithms", "did you mean cubic"),
    ((*DUEL, "--threads", "1000"), "--threads", "need as many CPUs"),
    ((*DUEL, "--time", "0s"), "--time", "'0s'"),
    ((*DUEL, "--time", "-3s"), "--time", "negative"),
    ((*DUEL, "--time", "3 fortnights"), "--time", "'fortnights'"),
    ((*DUEL, "--start", "30s"), "--start", "30 s"),
    ((*DUEL, "--start", "-1s"), "--start", "negative"),
    ((*DUEL, "reno", "--start", "0s,1s,2s"), "--start", "3 values for 2 flows"),
    ((*DUEL, "--loss", "101%"), "--loss", "more than 100%"),
    ((*DUEL, "--loss", "-1%"), "--loss", "negative"),
    ((*DUEL, "--loss", "0.1"), "--loss", "0.1%"),
    ((*DUEL, "--mtu", "52"), "--mtu", "not between"),
    ((*DUEL, "--mtu", "65536"), "--mtu", "not between"),
    ((*DUEL, "--mtu", "big"), "--mtu", "integer"),
    ((*DUEL, "--seed", "-1"), "--seed", "not between"),
    ((*DUEL, "--seed", "1.5"), "--seed", "integer"),
    ((*DUEL, "--plot", "picture.jpg"), "--plot", ".png, .svg, .pdf"),
    ((*DUEL, "--plot", "no/such/folder/picture.png"), "--plot", "no/such/folder"),
    ((*DUEL, "--plot"), "--plot", "needs a value"),
    ((*DUEL, "--rat", "1mbit"), "--rat", "did you mean --rate"),
    (("duel",), "ALGORITHM", "missing"),
    (("duel", "cubicc"), "ALGORITHM", "did you mean cubic"),
    (("duel", "cubic*0"), "ALGORITHM", "cubic*5"),
    ((*DUEL, "--queue", "codel:target"), "--queue", "not name=value"),
    ((*DUEL, "--queue", "kodel:target=1ms"), "--queue", "did you mean codel"),
    (("duel", "nothing"), "ALGORITHM", "Known: "),
    (("duel", "./no-such-file.c"), "ALGORITHM", "'./no-such-file.c'"),
    (("duel", "Makefile.c"), "ALGORITHM", "no file"),
    (("duel", "cubic:bet=1"), "ALGORITHM", "'bet'"),
    (("duel", "cubic:beta"), "ALGORITHM", "not name=value"),
    (("duel", "cubic:beta=much"), "ALGORITHM", "not a number"),
    (("duel", "cubic:beta=1,beta=2"), "ALGORITHM", "twice"),
    (("duel", "cubic:beta=0.7"), "ALGORITHM", "beta=0.7"),
    (("duel", "cubic:beta=1e30"), "ALGORITHM", "64 bits"),
    (("duel", "cubic:beta=inf"), "ALGORITHM", "is not a number"),
    (("bench", "z"), "NAME", "Known: a, b, c"),
    (("fidelity",), "--out", "missing"),
    (("fidelity", "--truth", "/nowhere", "--out", "x.csv"), "--truth", "/nowhere"),
    (("fidelity", "--out", "x.txt"), "--out", ".csv"),
    (("fidelity", "--out", "x.csv", "--jobs", "0"), "--jobs", "not between"),
    (("reproduce",), "STUDY", "missing"),
    (("reproduce", "fiftyshade2019"), "STUDY", "did you mean fiftyshades2019?"),
    (("reproduce", "fiftyshades2019", "--only", "base"), "--only", "did you mean baseline?"),
    (("dual", "cubic"), "command 'dual'", "did you mean duel?"),
    (("--colour",), "--colour", "no option"),
]


@pytest.mark.parametrize(("arguments", "option", "fact"), BAD, ids=[" ".join(arguments) for arguments, _, _ in BAD])
def test_one_line_names_option_and_remedy(cli, arguments, option, fact):
    outcome = cli(*arguments)
    assert outcome.status == 2
    assert outcome.out == ""
    assert outcome.err.count("\n") == 1
    assert option in outcome.err
    assert fact in outcome.err
    assert outcome.err.startswith("fairlane")


def test_a_plot_into_a_folder_is_refused(cli, tmp_path):
    (tmp_path / "folder.png").mkdir()
    outcome = cli("duel", "cubic", "--plot", tmp_path / "folder.png")
    assert outcome.status == 2
    assert "is a folder" in outcome.err
