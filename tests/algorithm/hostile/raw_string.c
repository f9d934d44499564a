#include "hostile.h"

static const char *first = R"x(")x";

static void hostile(struct sock *sk)
{
	__asm__ volatile("nop");
}

static const char *last = R"x(")x";

/* {path}:3: a raw string, which is not C that runs the same everywhere; leave it out */
