#include "hostile.h"

/* The congestion window is compared with the packets in flight: with this value, mean cwnd became 4,294,967,217. */
static void hostile(struct sock *sk)
{
	*(__u32 *)&tcp_sk(sk)->packets_out -= 100;
}

/* algorithm {path} wrote packets_out, which it may only read */
