#include "hostile.h"

static void hostile(struct sock *sk)
{
	for (int i = 0; i < 2048; i++)
		((volatile __u32 *)inet_csk_ca(sk))[i] = i + 1;
}

/* algorithm {path} wrote icsk_rto_min, which it may only read (offset 104 of its icsk_ca_priv, which has 104 bytes) */
