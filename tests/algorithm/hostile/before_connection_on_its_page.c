#include "hostile.h"

static void hostile(struct sock *sk)
{
	((volatile __u32 *)sk)[-200] = 1;
}

/* algorithm {path} wrote 800 bytes before tcp_sock, in callback cong_avoid */
