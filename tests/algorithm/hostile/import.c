#include "hostile.h"

static void hostile(struct sock *sk)
{
	exit(0);
}

/* {path}:{line:exit(0)}: uses exit, which the simulator does not offer */
