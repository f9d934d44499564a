#include "hostile.h"

void _init(void)
{
	*(volatile int *)8 = 1;
}

static void hostile(struct sock *sk)
{
}

/* {path}:{line:_init}: a constructor or destructor, which would run outside of any callback; start in init() */
