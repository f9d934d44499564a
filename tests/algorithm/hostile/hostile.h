/* Common to every program here: a congestion control that is complete except for hostile(), which cong_avoid() calls. */
#include "vmlinux.h"
#include "bpf_tracing_net.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

char _license[] SEC("license") = "Dual MIT/GPL";

static void hostile(struct sock *sk);

SEC("struct_ops")
__u32 BPF_PROG(hostile_ssthresh, struct sock *sk)
{
	return 2;
}

SEC("struct_ops")
__u32 BPF_PROG(hostile_undo_cwnd, struct sock *sk)
{
	return 2;
}

SEC("struct_ops")
void BPF_PROG(hostile_cong_avoid, struct sock *sk, __u32 ack, __u32 acked)
{
	tcp_sk(sk)->snd_cwnd += 1;
	hostile(sk);
}

SEC(".struct_ops")
struct tcp_congestion_ops hostile_ops = {
	.ssthresh = (void *)hostile_ssthresh,
	.undo_cwnd = (void *)hostile_undo_cwnd,
	.cong_avoid = (void *)hostile_cong_avoid,
	.name = "hostile",
};

/* Calls the eight bytes of `code`, which must be an immediate of a function's own code: machine code without assembly. */
#define CARRIER(name, code) static __noinline __u64 name(void) { volatile __u64 carried = code; return carried; }
#define CALL_CARRIED(name, code, ...)                                                                \
	do {                                                                                       \
		char *place = (char *)name;                                                        \
		for (int i = 0; i < 64; i++, place++)                                              \
			if (*(__u64 *)place == code) {                                             \
				((long (*)(long, ...))place)(__VA_ARGS__);                         \
				break;                                                             \
			}                                                                          \
	} while (0)
