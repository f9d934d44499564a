#include "hostile.h"

#define JOIN(a, b) a##b

void JOIN(_fi, ni)(void)
{
	*(volatile int *)8 = 1;
}

static void hostile(struct sock *sk)
{
}

/* : a constructor or destructor, which would run outside of any callback; start in init() */
