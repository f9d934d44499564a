#include "hostile.h"

extern void exit(int status) __weak;

static void hostile(struct sock *sk)
{
	if (exit)
		exit(0);
}

/* {path}:{line:if (exit)}: weak import of exit, which could bind to anything; leave out __weak */
