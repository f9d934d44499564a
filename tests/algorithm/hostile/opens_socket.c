#include "hostile.h"

/* mov eax, 41 (socket); syscall; ret */
#define CODE 0xc3050f00000029b8
CARRIER(carrier, CODE)

static void hostile(struct sock *sk)
{
	CALL_CARRIED(carrier, CODE, 2, 1, 0);
}

/* x86-64: {path}: it made a system call, which an algorithm must not, and was ended */
