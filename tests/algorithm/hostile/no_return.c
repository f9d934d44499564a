#include "hostile.h"

static int forgets(int n)
{
	n++;
} /* forgets-end */

static void hostile(struct sock *sk)
{
	tcp_sk(sk)->snd_cwnd = forgets(3);
}

/* {path}:{line:forgets-end}: {gcc:no return statement in function returning non-void}{clang:non-void function does not return a value} */
