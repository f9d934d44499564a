#include "hostile.h"

static void hostile(struct sock *sk)
{
}

/* runs */
