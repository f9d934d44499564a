#include "hostile.h"

static void first(void)
{
	*(volatile int *)8 = 1;
}

static void (*const volatile entry)(void) __attribute__((section(".init_array.5"), used)) = first;

static void hostile(struct sock *sk)
{
}

/* {path}:{line:section}: a constructor or destructor, which would run outside of any callback; start in init() */
