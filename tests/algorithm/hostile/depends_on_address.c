#include "hostile.h"

static void hostile(struct sock *sk)
{
	tcp_sk(sk)->snd_cwnd = 2 + ((unsigned long)sk >> 4) % 65521;
}
/* {path}: a second run of the same scenario ended differently */
