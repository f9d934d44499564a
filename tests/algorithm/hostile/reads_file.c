#include "hostile.h"

/* mov eax, 257 (openat); syscall; ret. The file is readable by everybody, but not for a worker: then cwnd becomes 0. */
#define CODE 0xc3050f00000101b8
static __noinline __u64 carrier(void) { volatile __u64 carried = CODE; return carried; }

static void hostile(struct sock *sk)
{
	long opened = 0;
	char *place = (char *)carrier;

	for (int i = 0; i < 64; i++, place++)
		if (*(__u64 *)place == CODE) {
			opened = ((long (*)(long, ...))place)(-100, "/etc/passwd", 0, 0);
			break;
		}
	if (opened == -13) /* EACCES */
		tcp_sk(sk)->snd_cwnd = 0;
}

/* x86-64: algorithm {path} set cwnd to 0 in callback cong_avoid */
