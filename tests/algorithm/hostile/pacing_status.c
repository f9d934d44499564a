#include "hostile.h"

static void hostile(struct sock *sk)
{
	((volatile __u32 *)inet_csk_ca(sk))[-10] = 1234;
}

/* algorithm {path} set sk_pacing_status to 1234, which is no enum sk_pacing, in callback cong_avoid */
