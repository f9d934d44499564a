#include "hostile.h"

__asm__(".pushsection .rodata\n.incbin \"/etc/passwd\"\n.popsection");

static void hostile(struct sock *sk)
{
}

/* {path}:{line:incbin}: inline assembly with .incbin */
