#include "hostile.h"

static int other(void) __attribute__((weakref("x\n.incbin \"/etc/passwd\"\n")));

static void hostile(struct sock *sk)
{
	other();
}

/* {path}:{line:weakref}: a symbol's name that is more than a name */
