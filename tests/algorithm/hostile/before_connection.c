#include "hostile.h"

static void hostile(struct sock *sk)
{
	((volatile __u32 *)inet_csk_ca(sk))[-2048] = 1;
}

/* (offset -8192 of its icsk_ca_priv), in callback cong_avoid */
