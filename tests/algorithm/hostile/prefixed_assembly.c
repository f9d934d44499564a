#include "hostile.h"

static void hostile(struct sock *sk)
{
	__asm("" u8"nop");
}

/* {path}:{line:u8"nop"}: inline assembly, which is not C that runs the same everywhere; leave it out */
