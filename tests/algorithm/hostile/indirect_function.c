#include "hostile.h"

static int real(int n)
{
	return 2 * n;
}

static void *resolve(void)
{
	return real;
}

int twice(int n) __attribute__((ifunc("resolve")));

static void hostile(struct sock *sk)
{
	tcp_sk(sk)->snd_cwnd = twice(5);
}

/* twice is an indirect function (ifunc), whose resolver would run outside of any callback; make it an ordinary one */
