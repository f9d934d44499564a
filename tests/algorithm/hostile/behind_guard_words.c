#include "hostile.h"

static void hostile(struct sock *sk)
{
	((volatile __u32 *)inet_csk_ca(sk))[200] = 1;
}

/* touched memory 336 bytes behind the end of tcp_sock (offset 800 of its icsk_ca_priv), in callback cong_avoid */
