"""A family of short runs, and an algorithm with a planted fault."""

import pytest

FAMILY = """
title = "Delay changes"

[experiment]
duration = "3s"
network = { rate = "10mbit", rtt = "20ms", buffer = "5p" }
flows = [{ algorithm = "TARGET" }]

[[genes]]
key = "network.rate"
low = "5mbit"
high = "20mbit"

[[schedules]]
key = "network.changes"
most = 3
repeat = true

[[schedules.each]]
key = "at"
low = "0.1s"
high = "2s"

[[schedules.each]]
key = "delay"
low = "1ms"
high = "100ms"

[[map]]
title = "rate"
keys = ["network.rate"]
low = 5
high = 20

[[map]]
title = "largest over smallest delay"
keys = ["network.rtt", "network.changes.delay"]
factors = [0.5, 1]
of = "ratio"
low = 1
high = 20
"""

STALLS = """
#include "congestion_control.h"
char _license[] SEC("license") = "Dual MIT/GPL";

struct stalls { __u32 low_us; __u32 low_ms; __u32 stalled; };

SEC("struct_ops/pkts_acked")
void BPF_PROG(stalls_pkts_acked, struct sock *sk, const struct ack_sample *sample)
{
	struct stalls *ca = inet_csk_ca(sk);
	__u32 now_ms = bpf_ktime_get_ns() / 1000000;

	if (sample->rtt_us <= 0)
		return;
	if (!ca->low_us || sample->rtt_us < ca->low_us || now_ms - ca->low_ms > 2000) {
		ca->low_us = sample->rtt_us;
		ca->low_ms = now_ms;
	} else if (sample->rtt_us > 2 * ca->low_us) {
		ca->stalled = 1; /* the fault */
	}
}

SEC("struct_ops/cong_avoid")
void BPF_PROG(stalls_cong_avoid, struct sock *sk, __u32 ack, __u32 acked)
{
	struct stalls *ca = inet_csk_ca(sk);
	struct tcp_sock *tp = tcp_sk(sk);

	if (ca->stalled)
		tp->snd_cwnd = 2;
	else if (tcp_is_cwnd_limited(sk) && (!tcp_in_slow_start(tp) || (acked = tcp_slow_start(tp, acked))))
		tcp_cong_avoid_ai(tp, tp->snd_cwnd, acked);
}

SEC("struct_ops/ssthresh")
__u32 BPF_PROG(stalls_ssthresh, struct sock *sk)
{
	return max(tcp_sk(sk)->snd_cwnd / 2, 2U);
}

SEC("struct_ops/undo_cwnd")
__u32 BPF_PROG(stalls_undo_cwnd, struct sock *sk)
{
	return max(tcp_sk(sk)->snd_cwnd, tcp_sk(sk)->prior_cwnd);
}

SEC(".struct_ops")
struct tcp_congestion_ops stalls = {
	.pkts_acked = (void *)stalls_pkts_acked,
	.cong_avoid = (void *)stalls_cong_avoid,
	.ssthresh = (void *)stalls_ssthresh,
	.undo_cwnd = (void *)stalls_undo_cwnd,
	.name = "stalls",
};
"""


@pytest.fixture
def write(tmp_path, monkeypatch):
    """Writes the family with some text replaced, and the faulty algorithm, into the current folder."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "stalls.c").write_text(STALLS)

    def written(*changes):
        text = FAMILY
        for old, new in changes:
            assert old in text
            text = text.replace(old, new, 1)
        (tmp_path / "delays.toml").write_text(text)
        return "delays.toml"

    return written
