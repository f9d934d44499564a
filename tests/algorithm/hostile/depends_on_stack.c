#include "hostile.h"

static void hostile(struct sock *sk)
{
	volatile unsigned char left_there[32768];
	__u32 sum = 0, i;

	for (i = 0; i < sizeof(left_there); i += 64)
		sum += left_there[i];
	tcp_sk(sk)->snd_cwnd = 2 + sum;
}
/* {path}: a second run of the same scenario ended differently */
