#include "hostile.h"

static void hostile(struct sock *sk)
{
	unsigned long number;
	__asm__ volatile("rdrand %0" : "=r"(number));
	tcp_sk(sk)->snd_cwnd += number & 1;
}

/* {path}:{line:rdrand}: inline assembly, which is not C that runs the same everywhere; leave it out */
