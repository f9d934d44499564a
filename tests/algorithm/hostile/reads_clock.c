#include "hostile.h"

static void hostile(struct sock *sk)
{
	tcp_sk(sk)->snd_cwnd += __builtin_ia32_rdtsc() & 1;
}

/* x86-64: algorithm {path} read the processor's clock, which makes every run another, in callback cong_avoid */
