#include "hostile.h"

#define A(x) x x x x x x x x x x
#define B(x) A(A(A(A(A(x)))))
static const char *text = B(B("0123456789"));

static void hostile(struct sock *sk)
{
	tcp_sk(sk)->snd_cwnd += text[5];
}

/* the most that it may; make it smaller */
