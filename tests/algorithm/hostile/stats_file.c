#include "hostile.h"

/* mov eax, 262 (newfstatat); syscall; ret. The size of a file would be in the structure. */
#define CODE 0xc3050f00000106b8
CARRIER(carrier, CODE)

static void hostile(struct sock *sk)
{
	const char *names[] = { "/etc/passwd", "/no/such/file" };
	long found[2] = { 0, 0 };
	char *place = (char *)carrier;
	__u64 status[32] = { 0 };

	for (int i = 0; i < 64; i++, place++)
		if (*(__u64 *)place == CODE) {
			for (int n = 0; n < 2; n++)
				found[n] = ((long (*)(long, ...))place)(-100, names[n], status, 0);
			break;
		}
	if (found[0] < 0 && found[0] == found[1] && !status[6])
		tcp_sk(sk)->snd_cwnd = 0;
}

/* x86-64: algorithm {path} set cwnd to 0 in callback cong_avoid */
