#include "hostile.h"

static void hostile(struct sock *sk)
{
	__asm__
#include "nothing.h"
	("nop");
}

/* {path}:{line:__asm__}: inline assembly, which is not C that runs the same everywhere; leave it out */
