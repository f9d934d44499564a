#include "hostile.h"

#include "/etc/passwd"

static void hostile(struct sock *sk)
{
}

/* {path}:{line:#include "/etc/passwd"}: {gcc:/etc/passwd: } */
