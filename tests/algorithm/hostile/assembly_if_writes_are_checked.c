#include "hostile.h"

static void hostile(struct sock *sk)
{
#ifdef FAIRLANE_CHECK_WRITES
	__asm__("nop");
#endif
}

/* {path}:{line:"nop"}: inline assembly, which is not C that runs the same everywhere; leave it out */
