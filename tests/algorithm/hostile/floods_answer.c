#include "hostile.h"

/* mov eax, 1 (write); syscall; ret. The answer's length, and then bytes for the process that waits for it. */
#define CODE 0xc3050f00000001b8
CARRIER(carrier, CODE)

static void hostile(struct sock *sk)
{
	static char block[1 << 20];
	__u64 length = 3000000000;
	char *place = (char *)carrier;

	for (int i = 0; i < 64; i++, place++)
		if (*(__u64 *)place == CODE) {
			((long (*)(long, ...))place)(3, &length, sizeof(length));
			for (int n = 0; n < 3000; n++)
				((long (*)(long, ...))place)(3, block, sizeof(block));
			break;
		}
}

/* x86-64: {path}: its answer has more than 1000 MB, the most that is read; record less, or run it for a shorter time */
