#include "hostile.h"

static volatile int early;

static __attribute__((constructor)) void first(void)
{
	early = 1;
}

static void hostile(struct sock *sk)
{
}

/* {path}:{line:__attribute__}: a constructor or destructor, which would run outside of any callback; start in init() */
