#include "hostile.h"

#define JOIN(a, b) a##b
#define JOINED(text) JOIN(__as, m__)(text)

static void hostile(struct sock *sk)
{
	JOINED("nop");
}

/* {path}:{line:JOINED("nop")}: inline assembly */
