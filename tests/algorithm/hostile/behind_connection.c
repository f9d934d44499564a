#include "hostile.h"

static void hostile(struct sock *sk)
{
	((__u64 *)sk)[sizeof(struct tcp_sock) / 8 + 3] = 1;
}

/* algorithm {path} wrote 24 bytes behind the end of tcp_sock, in callback cong_avoid */
