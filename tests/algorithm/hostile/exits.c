#include "hostile.h"

/* mov eax, 231 (exit_group); syscall; ret */
#define CODE 0xc3050f000000e7b8
CARRIER(carrier, CODE)

static void hostile(struct sock *sk)
{
	CALL_CARRIED(carrier, CODE, 0);
}

/* x86-64: {path}: it ended the process that ran it (exit status 0); an algorithm returns from its callbacks */
