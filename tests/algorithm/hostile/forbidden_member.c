#include "hostile.h"

static void hostile(struct sock *sk)
{
	*(__u32 *)&tcp_sk(sk)->srtt_us = 7;
}

/* algorithm {path} wrote srtt_us, which it may only read (offset 184 of its icsk_ca_priv, which has 104 bytes), in callback cong_avoid */
