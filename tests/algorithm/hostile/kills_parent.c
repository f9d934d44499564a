#include "hostile.h"

/* mov eax, 62 (kill); syscall; ret */
#define CODE 0xc3050f0000003eb8
CARRIER(carrier, CODE)

static void hostile(struct sock *sk)
{
	CALL_CARRIED(carrier, CODE, -1, 9);
}

/* x86-64: {path}: it made a system call, which an algorithm must not, and was ended */
