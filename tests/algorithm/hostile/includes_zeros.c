#include "hostile.h"

#include "/dev/zero"

static void hostile(struct sock *sk)
{
}

/* {path}:{line:#include "/dev/zero"}: {gcc:/dev/zero: } */
