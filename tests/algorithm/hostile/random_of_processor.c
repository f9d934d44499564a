#include "hostile.h"

__attribute__((target("rdrnd"))) static void hostile(struct sock *sk)
{
	unsigned long long number = 0;

	__builtin_ia32_rdrand64_step(&number);
	tcp_sk(sk)->snd_cwnd = 2 + number % 65521;
}
/* x86-64: {path}: a second run of the same scenario ended differently */
