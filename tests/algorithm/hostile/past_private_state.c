#include "hostile.h"

static void hostile(struct sock *sk)
{
	((__u64 *)inet_csk_ca(sk))[13] = 1;
}

/* algorithm {path} wrote icsk_rto_min */
