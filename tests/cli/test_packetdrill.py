"""`fairlane packetdrill`: output and exit status."""

import pytest

PASSES = """
   0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3
  +0 bind(3, ..., ...) = 0
  +0 listen(3, 1) = 0
  +0 < S 0:0(0) win 65535 <mss 1000>
  +0 > S. 0:0(0) ack 1 <mss 1460>
 +.1 < . 1:1(0) ack 1 win 65535
  +0 accept(3, ..., ...) = 4
  +0 write(4, ..., 1000) = 1000
  +0 > P. 1:1001(1000) ack 1
  +0 %{ print(tcpi_snd_cwnd) }%
"""
FAILS = PASSES.replace("1:1001(1000)", "1:501(500)")
NEEDS_MORE = PASSES.replace("<mss 1000>", "<mss 1000,FO>")


@pytest.fixture
def script(tmp_path):
    def write(text, name="script.pkt"):
        path = tmp_path / name
        path.write_text(text)
        return path

    return write


def test_a_script_that_passes(cli, script):
    path = script(PASSES)
    outcome = cli("packetdrill", path)
    assert (outcome.status, outcome.err) == (0, "")
    assert outcome.out == f"ok   {path}\n1 passed, 0 failed, 0 not supported\n"
    assert cli("packetdrill", "--verbose", path).out.startswith("10\n")


def test_a_mismatch_is_shown_as_packetdrill_shows_it(cli, script):
    path = script(FAILS)
    outcome = cli("packetdrill", path)
    assert outcome.status == 1
    assert outcome.err.splitlines()[0] == (
        f"{path}:10: error handling packet: live packet payload: expected 500 bytes vs actual 1000 bytes"
    )
    assert "script packet:  0.1" in outcome.err
    assert "actual packet:  0.1" in outcome.err


def test_a_feature_that_is_missing_is_named(cli, script):
    outcome = cli("packetdrill", script(NEEDS_MORE))
    assert outcome.status == 77
    assert "TCP Fast Open" in outcome.out


def test_a_folder_of_scripts(cli, script, tmp_path):
    script(PASSES, "a.pkt")
    script(NEEDS_MORE, "b.pkt")
    assert cli("packetdrill", tmp_path).status == 77
    script(FAILS, "c.pkt")
    outcome = cli("packetdrill", tmp_path)
    assert outcome.status == 1
    assert outcome.out.endswith("1 passed, 1 failed, 1 not supported\n")


def test_settings_from_outside(cli, script):
    late = PASSES.replace("+0 > P.", "+.006 > P.")
    assert cli("packetdrill", script(late)).status == 1
    assert cli("packetdrill", "--tolerance-usecs", 10000, script(late)).status == 0
    scaled = PASSES.replace("<mss 1000>", "<mss 1000,nop,wscale 7>").replace("<mss 1460>", "<mss 1460,nop,wscale 8>")
    assert cli("packetdrill", script(scaled)).status == 1
    setup = script("sysctl -q net.ipv4.tcp_rmem='4096 540000 15728640'", "setup.sh")
    assert cli("packetdrill", "--init-scripts", setup, script(scaled)).status == 0


def test_grain_of_timers(cli, script):
    # 100 ms round trips: RACK waits for a quarter, 2 ms more, and the end of a tick.
    wait = PASSES.replace("<mss 1000>", "<mss 1000,sackOK>").replace("<mss 1460>", "<mss 1460,nop,nop,sackOK>")
    wait = wait.replace("1000) = 1000", "4000) = 4000").replace("1:1001(1000)", "1:4001(4000)")
    wait += " +.1 < . 1:1(0) ack 1 win 65535 <sack 3001:4001,nop,nop>\n+.032 > . 1:1001(1000) ack 1\n"
    exact = ["--tolerance-usecs", 1000, script(wait)]
    assert cli("packetdrill", *exact).status == 1
    assert cli("packetdrill", "--hz", 250, *exact).status == 0


def test_settings_without_effect_are_notes(cli, script):
    path = script("`sysctl -q net.ipv4.tcp_nonsense=1 net.ipv4.tcp_timestamps=0\nip route flush cache`" + PASSES)
    outcome = cli("packetdrill", "--verbose", path)
    assert outcome.status == 0
    notes = [line.strip() for line in outcome.out.splitlines() if "note:" in line]
    assert len(notes) == 2
    assert "net.ipv4.tcp_nonsense=1" in notes[0]
    assert "ip route flush cache" in notes[1]


def test_files_that_cannot_be_read(cli, tmp_path):
    for arguments in (["nowhere.pkt"], [tmp_path], ["--init-scripts", "nowhere.sh", "x.pkt"]):
        outcome = cli("packetdrill", *arguments)
        assert outcome.status == 2
        assert len(outcome.err.splitlines()) == 1


def test_settings_without_effect_are_named(cli, script):
    commands = "`sysctl -w net.inet.tcp.ecn.enable=1\nsysctl -q net.ipv4.tcp_syncookies=1; kldload cc_cubic`\n"
    outcome = cli("packetdrill", script(commands + PASSES))
    assert outcome.status == 0
    (line,) = [line for line in outcome.out.splitlines() if "note:" in line]
    assert "net.inet.tcp.ecn.enable=1 has no effect here: it is one of BSD; give Linux's" in line
    assert "and 2 more" in line
    notes = [line for line in cli("packetdrill", "-v", script(commands + PASSES)).out.splitlines() if "note:" in line]
    assert len(notes) == 3
