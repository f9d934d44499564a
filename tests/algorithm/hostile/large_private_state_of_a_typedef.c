#include "hostile.h"

typedef struct {
	__u64 a[14];
} state_of_flow;

static state_of_flow *state(struct sock *sk)
{
	return inet_csk_ca(sk);
}

static void hostile(struct sock *sk)
{
	state(sk)->a[0]++;
}

/* {path}:{line:} state_of_flow;}: state_of_flow has 112 bytes, but a connection's private memory (icsk_ca_priv) has 104 */
