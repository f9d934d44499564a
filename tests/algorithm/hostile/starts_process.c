#include "hostile.h"

/* mov eax, 57 (fork); syscall; ret */
#define CODE 0xc3050f00000039b8
CARRIER(carrier, CODE)

static void hostile(struct sock *sk)
{
	CALL_CARRIED(carrier, CODE, 0);
}

/* x86-64: {path}: it made a system call, which an algorithm must not, and was ended */
