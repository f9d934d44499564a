#include "hostile.h"

int file __attribute__((section(".rodata\n.incbin \"/etc/passwd\"\n#")));

static void hostile(struct sock *sk)
{
}

/* {path}:{line:section}: a section name that is more than a name */
