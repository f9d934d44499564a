#include "hostile.h"

struct big {
	__u32 a[256];
};

static void hostile(struct sock *sk)
{
	struct big *state = inet_csk_ca(sk);

	for (int i = 0; i < 256; i++)
		state->a[i] = i;
}

/* {path}:{line:struct big}: struct big has 1024 bytes, but a connection's private memory (icsk_ca_priv) has 104 */
