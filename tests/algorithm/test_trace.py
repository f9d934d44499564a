"""Traces of an algorithm: its callbacks with arguments and results, and its output."""

import json
from collections import Counter
from pathlib import Path

import pytest
from fairlane import engine
from fairlane.runs.traced_run import read_trace, watched_members
from fairlane.scenario.requests import dumbbell, point
from fairlane.show.text.callbacks import callback_lines, printed_lines

PROGRAM = """
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include "bpf_tracing_net.h"

char _license[] SEC("license") = "GPL";

struct range {
    __u32 min_us;
    __u32 max_us;
};

/* Bit fields, a sign, an array and a structure in the structure. */
struct memory {
    __u32 mode : 3, calls : 20;
    __s32 countdown;
    __u64 stamp_ns;
    __u16 last[3];
    struct range rtt;
};

SEC("struct_ops") void BPF_PROG(mine_acked, struct sock *sk, const struct ack_sample *sample)
{
    struct memory *memory = inet_csk_ca(sk);

    memory->mode = 5;
    memory->calls++;
    memory->countdown--;
    memory->stamp_ns = bpf_ktime_get_ns();
    memory->last[1] = sample->pkts_acked;
    if (!memory->rtt.min_us || sample->rtt_us < memory->rtt.min_us) {
        memory->rtt.min_us = sample->rtt_us;
        bpf_printk("min %u us, %d calls left, %s|%5d|%05d|%x|%llu|100%%\\n", memory->rtt.min_us,
               memory->countdown, "word", 42, -42, 255, 1ULL << 40);
    }
}

SEC("struct_ops") void BPF_PROG(mine_avoid, struct sock *sk, __u32 ack, __u32 acked)
{
    struct tcp_sock *tp = (struct tcp_sock *)sk;

    if (tp->snd_cwnd < 40)
        tp->snd_cwnd += acked;
}

SEC("struct_ops") __u32 BPF_PROG(mine_ssthresh, struct sock *sk)
{
    return 20;
}

SEC("struct_ops") __u32 BPF_PROG(mine_undo, struct sock *sk)
{
    return ((struct tcp_sock *)sk)->snd_cwnd;
}

SEC(".struct_ops") struct tcp_congestion_ops mine = {
    .pkts_acked = (void *)mine_acked,
    .cong_avoid = (void *)mine_avoid,
    .ssthresh = (void *)mine_ssthresh,
    .undo_cwnd = (void *)mine_undo,
    .name = "mine",
};
"""


@pytest.fixture
def mine(tmp_path: Path) -> str:
    path = tmp_path / "mine.c"
    path.write_text(PROGRAM)
    return str(path)


def scenario_of(*algorithms: str, duration: str = "1s") -> dict:
    flows = [{"algorithm": algorithm, "rtt": "20ms"} for algorithm in algorithms]
    return point(dumbbell(flows, rate="20mbit", duration=duration)).repeat(0)


def trace(tmp_path: Path, scenario: dict, **what: object) -> list[dict]:
    path = tmp_path / "trace.jsonl"
    engine.run_with_trace(scenario, path, **what)
    return list(read_trace(path))


def test_a_program_prints_with_time_flow_and_callback(mine: str, tmp_path: Path) -> None:
    lines = list(printed_lines(trace(tmp_path, scenario_of("reno", mine), printed=True)))
    assert lines[0].endswith("flow 2  pkts_acked: " + lines[0].split("pkts_acked: ")[1])
    assert lines[0].split(", ")[1:] == ["-1 calls left", "word|   42|-0042|ff|1099511627776|100%"]
    first_s = float(lines[0].split()[0])
    assert 0.04 < first_s < 0.05, "the handshake and the first round trip take 20 ms each"


def test_members_of_its_own_memory_have_their_names(mine: str, tmp_path: Path) -> None:
    names = [
        "snd_cwnd",
        "state.mode",
        "state.calls",
        "state.countdown",
        "state.last[1]",
        "state.rtt.min_us",
        "state.min_us",
    ]
    lines = trace(tmp_path, scenario_of(mine), watch=names, calls=True)
    calls = [line for line in lines if line["call"] == "pkts_acked"]
    watched = watched_members(lines, 1)[0]
    assert [value for _, value in watched["state.mode"]] == [0, 5]
    assert [value for _, value in watched["state.calls"]] == list(range(len(calls) + 1))
    assert watched["state.countdown"][-1][1] == -len(calls)
    assert {value for _, value in watched["state.last[1]"]} <= {0, *(call["arguments"]["pkts_acked"] for call in calls)}
    assert watched["state.min_us"] == watched["state.rtt.min_us"], "the last part of a name is enough"
    assert max(value for _, value in watched["snd_cwnd"]) in (40, 41)


@pytest.mark.parametrize("algorithm", ["bbr", "cubic"])
def test_a_traced_run_is_the_run(algorithm: str, tmp_path: Path) -> None:
    scenario = scenario_of(algorithm, "reno")
    assert engine.run_with_trace(scenario, tmp_path / "trace", calls=True) == engine.run(scenario)


def test_every_packet_sent_is_in_the_trace(tmp_path: Path) -> None:
    scenario = scenario_of("reno", duration="3s")
    result = engine.run_with_trace(scenario, tmp_path / "trace", calls=True)
    lines = list(read_trace(tmp_path / "trace"))
    sent, retransmitted = (sum(line.get("sent", (0, 0))[which] for line in lines) for which in (0, 1))
    flow = result["flows"][0]
    after_last = 100  # what left after the last callback
    assert flow["data_packets_sent"] - after_last < sent <= flow["data_packets_sent"]
    assert 0 < retransmitted == flow["retransmits"]


def test_callbacks_come_in_the_order_of_linux(tmp_path: Path) -> None:
    """tcp_ack() tells the samples first and then lets the window grow; entering recovery asks for ssthresh."""
    lines = trace(tmp_path, scenario_of("cubic", duration="3s"), calls=True)
    senders = [line for line in lines if line["at"] == "sender"]
    assert senders[0]["call"] == "init"
    entered = next(n for n, line in enumerate(senders) if line.get("arguments") == {"new_state": "Recovery"})
    asked = next(n for n, line in enumerate(senders) if line["call"] == "ssthresh")
    assert 0 < entered - asked < 3 or 0 < asked - entered < 3
    assert Counter(line["call"] for line in senders)["cong_avoid"] > 100


def test_the_text_has_arguments_and_changes(tmp_path: Path) -> None:
    lines = trace(tmp_path, scenario_of("reno"), calls=True, from_ns=30_000_000, until_ns=70_000_000)
    text = "\n".join(callback_lines(lines))
    assert "set: snd_cwnd 10 -> 11" in text
    assert "sent since: 2 packets" in text
    assert "cong_avoid(ack=1449 acked=1)" in text


def test_the_capture_of_a_contained_program_holds_its_packets(mine: str, tmp_path: Path) -> None:
    capture = tmp_path / "capture.pcapng"
    metrics = engine.run_with_capture(json.dumps(scenario_of(mine)), capture, [0])
    assert capture.stat().st_size > 50 * metrics["flows"][0]["data_packets_sent"]


def test_duel_logs_and_watches(cli, mine: str, tmp_path: Path) -> None:
    log, plot = tmp_path / "mine.log", tmp_path / "mine.svg"
    shown = ("--rate", "20mbit", "--time", "1s", "--log", log, "--watch", "state.calls", "--plot", plot)
    outcome = cli("duel", mine, *shown)
    assert outcome.status == 0, outcome.err
    assert "pkts_acked: min " in log.read_text()
    assert "state.calls" in plot.read_text()
    outcome = cli("duel", mine, "--time", "1s", "--watch", "state.calls,snd_cwnd", "--json")
    assert json.loads(outcome.out)["watched"][0]["state.calls"][1][1] == 1


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["duel", "bbr", "--time", "1s", "--watch", "snd_cwndd"], "did you mean snd_cwnd"),
        (["duel", "bbr", "--time", "1s", "--watch", "state.nothing"], "state.nothing"),
        (["duel", "bbr", "--repeats", "2", "--watch", "snd_cwnd"], "leave --repeats out"),
        (["algorithm", "trace", "bbr", "--flow", "2"], "1 flow"),
        (["algorithm", "trace", "bbr", "--from", "3s", "--to", "2s"], "begin before --to"),
    ],
)
def test_impossible_requests_take_one_line(cli, words: list[str], message: str) -> None:
    outcome = cli(*words)
    assert outcome.status == 2
    assert message in outcome.err
    assert outcome.err.count("\n") == 1


def test_the_command_shows_callbacks(cli) -> None:
    outcome = cli("algorithm", "trace", "reno", "--to", "45ms", "--rate", "20mbit")
    assert outcome.status == 0
    assert "init()" in outcome.out
    outcome = cli("algorithm", "trace", "reno", "--to", "1s", "--most", "3", "--json")
    assert len(outcome.out.splitlines()) == 3
    assert "raise --most" in outcome.err
