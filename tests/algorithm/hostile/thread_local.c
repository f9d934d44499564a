#include "hostile.h"

static __thread int counter = 5;

static void hostile(struct sock *sk)
{
	tcp_sk(sk)->snd_cwnd += counter++;
}

/* {path}:{line:__thread}: a thread-local variable, which a congestion control has no use for; leave it out */
