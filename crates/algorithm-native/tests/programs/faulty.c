// A program whose callbacks make one mistake, chosen by a parameter.
#include "vmlinux.h"
#include "bpf_tracing_net.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

char _license[] SEC("license") = "GPL";

const volatile int mistake = 0;
const volatile __u32 zero = 0;

int *nowhere;

SEC("struct_ops/ssthresh")
__u32 BPF_PROG(faulty_ssthresh, struct sock *sk)
{
	if (mistake == 11)
		return tcp_sk(sk)->snd_cwnd - 1000;
	return tcp_sk(sk)->snd_cwnd / 2;
}

static int deeper(int n)
{
	volatile char room[4096];

	room[n % 4096] = n;
	return deeper(n + 1) + room[0];
}

SEC("struct_ops/cong_avoid")
void BPF_PROG(faulty_cong_avoid, struct sock *sk, __u32 ack, __u32 acked)
{
	struct tcp_sock *tp = tcp_sk(sk);

	switch (mistake) {
	case 1:
		tp->snd_cwnd += acked / zero;
		break;
	case 2:
		while (acked | 1)
			barrier();
	case 3:
		tp->snd_cwnd = 0;
		break;
	case 4:
		tp->snd_cwnd = *nowhere;
		break;
	case 5:
		tp->snd_cwnd = deeper(1);
		break;
	case 6: /* the compiler can see that it is zero */
		tp->snd_cwnd += acked / (tp->packets_out - tp->packets_out);
		break;
	case 7: /* past the private memory */
		((__u64 *)inet_csk_ca(sk))[13] = 1 + acked;
		break;
	case 8: /* through a cast */
		*(__u32 *)&tp->srtt_us = 1 + acked;
		break;
	case 9: /* behind the connection */
		((__u64 *)sk)[sizeof(*tp) / 8 + 3] = acked;
		break;
	case 10:
		tp->snd_cwnd -= 1000;
		break;
	case 12: /* a remainder */
		tp->snd_cwnd = (20 + acked) % zero;
		break;
	case 13: /* of 64 bits */
		tp->snd_cwnd = (((__u64)1 << 40) + 30 + acked) % ((__u64)zero << 3);
		break;
	case 14: /* with signs */
		tp->snd_cwnd = 40 + (int)acked / (int)zero - (-7 % (int)zero);
		break;
	default:
		tp->snd_cwnd += 1;
	}
}

SEC("struct_ops/undo_cwnd")
__u32 BPF_PROG(faulty_undo_cwnd, struct sock *sk)
{
	return tcp_sk(sk)->snd_cwnd;
}

SEC(".struct_ops")
struct tcp_congestion_ops faulty = {
	.ssthresh = (void *)faulty_ssthresh,
	.cong_avoid = (void *)faulty_cong_avoid,
	.undo_cwnd = (void *)faulty_undo_cwnd,
	.name = "faulty",
};
