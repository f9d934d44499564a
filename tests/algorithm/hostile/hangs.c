#include "hostile.h"

static void hostile(struct sock *sk)
{
	volatile int forever = 1;

	while (forever)
		;
}

/* algorithm {path} did not return (infinite loop) in callback cong_avoid */
